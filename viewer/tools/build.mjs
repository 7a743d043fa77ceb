// Makes the page of viewer/src, script and style inside it, as a C++ source for the program.
//   node tools/build.mjs OUT.cpp                     as CMake calls it
//   node tools/build.mjs OUT.cpp --page PAGE.html    and the page itself, its placeholders still empty
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = process.argv[2];
if (!out) {
  console.error('build.mjs: where to? usage: node tools/build.mjs OUT.cpp');
  process.exit(2);
}

const options = { absWorkingDir: here, bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'none', logLevel: 'warning' };
// what is inside keeps its licence
const licence = (name) => `${name}\n\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`;
const banner = { js: `/*\nThis script holds polhode's viewer (Apache-2.0) and\n\n${licence('three')}\n\n${licence('uplot')}\n*/` };
const script = await build({ ...options, entryPoints: ['src/main.ts'], format: 'iife', target: 'es2022', banner });
const style = await build({ ...options, entryPoints: ['src/all.css'] });
const js = script.outputFiles[0].text.trim();
const css = style.outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(js) || /<\/style/i.test(css)) throw new Error('the bundle would end its own element');

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy =
  `default-src 'none'; script-src ${hash(js)}; style-src ${hash(css)}; img-src data: blob:; ` +
  `base-uri 'none'; form-action 'none'`;
const page = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace('%POLICY%', () => policy)
  .replace('%STYLE%', () => css)
  .replace('%SCRIPT%', () => js);
if (process.argv[3] === '--page') writeFileSync(process.argv[4], page);
const pieces = page.split(/<!--(?:TITLE|STATIC|DATA)-->/);
if (pieces.length !== 4) throw new Error('page.html has lost one of its placeholders');

/** A C++ literal: ASCII only, no trigraphs. */
function literal(bytes) {
  let text = '"';
  let octal = false;
  for (const byte of bytes) {
    const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
    const digit = byte >= 48 && byte <= 57;
    if (plain && !(octal && digit)) {
      text += String.fromCharCode(byte);
      octal = false;
    } else {
      text += '\\' + byte.toString(8).padStart(3, '0');
      octal = true;
    }
  }
  return text + '"';
}
// compilers promise no more than 65536 characters a literal
const size = 12000;
const array = pieces.map((piece) => {
  const bytes = Buffer.from(piece, 'utf8');
  const parts = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(literal(bytes.subarray(at, at + size)));
  return `      joined({\n          ${parts.join(',\n          ')}})`;
});
writeFileSync(
  out,
  `// Made from viewer/ by viewer/tools/build.mjs.
#include "polhode/io/viewer_page.h"

#include <initializer_list>

namespace polhode::io {
namespace {

std::string joined(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) { text += part; }
  return text;
}

}  // namespace

const std::array<std::string, 4>& viewer_template() {
  static const std::array<std::string, 4> kPieces{
${array.join(',\n')}};
  return kPieces;
}

}  // namespace polhode::io
`,
);
console.log(`viewer: ${Buffer.byteLength(js)} bytes of script, ${Buffer.byteLength(css)} of style`);
