// What the tests share: our TypeScript as modules of Node.js, the program, pages of examples.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const viewer = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = process.env.POLHODE_PROGRAM ?? join(viewer, '../build/release/polhode');

/** A folder that goes with the process. */
export const folder = mkdtempSync(join(tmpdir(), 'polhode-viewer-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A module of viewer/src, for Node.js. */
export async function load(name) {
  const out = join(folder, `${name}.mjs`);
  await build({ absWorkingDir: viewer, entryPoints: [`src/${name}.ts`], bundle: true, format: 'esm', platform: 'node', outfile: out, logLevel: 'warning' });
  return import(pathToFileURL(out));
}

/** Output of the program; a run whose certificate says no is a run all the same. */
export function polhode(args, input = '') {
  try {
    return execFileSync(program, args, { cwd: folder, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

export const examples = () =>
  JSON.parse(polhode(['list', 'examples', '--json'])).kinds[0].entries.map((entry) => entry.name);

/** Runs a scenario and gives the path of its page. */
export function pageOf(name, scenario, ...options) {
  if (scenario) writeFileSync(join(folder, `${name}.toml`), scenario);
  else polhode(['new', name, '--force']);
  polhode(['run', `${name}.toml`, '--quiet', ...options]);
  return join(folder, `${name}.run/report.html`);
}

export const readText = (path) => readFileSync(path, 'utf8');

/** The same numbers every time. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
