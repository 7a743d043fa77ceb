// How quick the viewer's page is: node bench/viewer/frames.mjs [ROWS [BODIES]]. Needs what the viewer's tests need.
// First a run of one body with ROWS rows (10⁶), all of them on the page; then a chain of BODIES (100) with ROWS/BODIES rows.
// Columns: our own script in a frame, the worst of forty jumps to another time, frames a second at 1280x720; then what a
// frame costs in time of the processor, which other work on the machine does not change: the page's process and the drawing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chain, pageWith } from '../../viewer/tests/mechanism.mjs';

const top = new URL('../..', import.meta.url);
const { chromium } = createRequire(new URL('viewer/package.json', top))('playwright-core');
const rows = Number(process.argv[2] ?? 1e6);
const bodies = Number(process.argv[3] ?? 100);
const program = process.env.POLHODE_PROGRAM ?? new URL('build/polhode', top).pathname;
const folder = mkdtempSync(join(tmpdir(), 'polhode-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const load = () => `load of the machine ${loadavg()[0].toFixed(1)}`;
const part = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(p * list.length))];
const ms = (x) => x.toFixed(1).padStart(7);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--enable-unsafe-swiftshader'],
});

const system = await browser.newBrowserCDPSession();
/** Seconds of the processor, by kind of process. */
async function processor() {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const of = (type) => processInfo.filter((one) => one.type === type).reduce((sum, one) => sum + one.cpuTime, 0);
  return { page: of('renderer'), drawing: of('GPU') };
}

async function measure(path, plots) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const start = performance.now();
  await page.goto(`${pathToFileURL(path).href}#t=1&plots=${plots}`);
  await page.waitForFunction(() => window.polhode?.ready, undefined, { timeout: 300_000 });
  console.log(`page of ${(statSync(path).size / 1e6).toFixed(1)} MB opened in ${((performance.now() - start) / 1000).toFixed(1)} s; ${load()}; ${await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    return info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER);
  })}`);
  console.log('view      script ms: median  95 %   jump ms: median  worst   frames/s   processor ms: page  drawing');
  for (const view of ['motion', 'poinsot', 'cans', 'sphere']) {
    await page.click(`#view-${view}`);
    await page.waitForTimeout(500);
    await page.evaluate(async () => {
      const { page } = window.polhode;
      page.play(true);
      await new Promise((done) => setTimeout(done, 4000)); // it finds its resolution
      page.work.length = 0;
    });
    const before = await processor();
    const played = await page.evaluate(async () => {
      const { page } = window.polhode;
      const from = performance.now();
      await new Promise((done) => setTimeout(done, 5000));
      const frames = page.work.length / ((performance.now() - from) / 1000);
      page.play(false);
      return { work: [...page.work], frames };
    });
    const after = await processor();
    const cost = (kind) => (1000 * (after[kind] - before[kind])) / played.work.length;
    const jumps = await page.evaluate(async () => {
      const { page } = window.polhode;
      const list = [];
      for (let i = 0; i < 40; i++) {
        await new Promise((done) => requestAnimationFrame(done));
        const begin = performance.now();
        page.setTime(page.result.start + (((i * 0.618034) % 1) * (page.result.end - page.result.start)));
        await new Promise((done) => requestAnimationFrame(done));
        list.push(performance.now() - begin);
      }
      return list;
    });
    console.log(`${view.padEnd(10)}        ${ms(part(played.work, 0.5))} ${ms(part(played.work, 0.95))}         ${ms(part(jumps, 0.5))} ${ms(part(jumps, 1))}    ${played.frames.toFixed(0).padStart(5)}              ${ms(cost('page'))}  ${ms(cost('drawing'))}`);
  }
  const before = await processor();
  const zoom = await page.evaluate(async () => {
    const { page } = window.polhode;
    const list = [];
    for (let i = 0; i < 30; i++) {
      const middle = ((i * 0.618034) % 1) * page.result.end;
      const begin = performance.now();
      page.setRange([middle - page.result.end / (2 + i), middle + page.result.end / (2 + i)]);
      await new Promise((done) => setTimeout(done, 0));
      list.push(performance.now() - begin);
    }
    return list;
  });
  const after = await processor();
  const cost = (1000 * (after.page - before.page)) / zoom.length;
  console.log(`another part of time in three plots: ${part(zoom, 0.5).toFixed(1)} ms, worst ${part(zoom, 1).toFixed(1)} ms; processor ${cost.toFixed(1)} ms`);
  await page.close();
}

writeFileSync(
  join(folder, 'long.toml'),
  `title = "long"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.03, 1, 0.02]\n` +
    `[run]\nduration = ${rows / 50}\noutput_interval = 0.02\ncheckpoint_rows = 100000\n`,
);
const polhode = (...words) => execFileSync(program, [...words, '-q'], { cwd: folder, stdio: 'ignore' });
polhode('run', 'long.toml', '--format', 'csv');
const report = join(folder, 'long.run/report.html');
console.log(`one body, ${rows} rows; thinned, its report has ${(statSync(report).size / 1e6).toFixed(1)} MB; all of them:`);
polhode('convert', 'long.run', '--to', 'html', '-o', 'all.html');
await measure(join(folder, 'all.html'), 'euler-parameters,rate-body,euler-3-1-3');

console.log(`\na chain of ${bodies} bodies, ${rows / bodies} rows:`);
const many = join(folder, 'chain.html');
writeFileSync(many, pageWith(readFileSync(report, 'utf8'), chain(Array.from({ length: bodies }, (_, i) => `b${i}`), Math.round(rows / bodies), 100)));
await measure(many, 'rate-body,residuals,b7_joint/force');
await browser.close();
