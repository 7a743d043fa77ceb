// The page in a real browser, as a user meets it. Chromium is that of the system; WebGL is drawn by software.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { examples, folder, pageOf, readText } from './support.mjs';

const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [...root, '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
});
after(() => browser.close());

/** Milliseconds: a machine with other work may be ten times slower, and that is no fault of the page. */
const patience = 120_000;

/** A page, and everything that went wrong on it or left it. */
async function open(path, fragment = '', options = {}) {
  const context = await browser.newContext({ viewport: { width: 880, height: 500 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const trouble = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message/.test(message.text())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('dialog', (dialog) => (trouble.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  page.on('request', (request) => {
    if (!/^(file|blob):/.test(request.url())) trouble.push(`request ${request.url()}`);
  });
  await go(page, path, fragment);
  return { page, trouble, close: () => context.close() };
}
async function go(page, path, fragment) {
  await page.goto(pathToFileURL(path).href + fragment);
  await page.waitForFunction(() => window.polhode?.ready || window.polhode?.error, undefined, { timeout: patience });
  await frame(page);
}
/** Waits until what was asked for is drawn. */
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const time = (page) => page.evaluate(() => window.polhode.page.state.t);

/** Colours of the canvas, coarsely: how many there are, and what part of it is not the ground. */
const picture = (page) =>
  page.evaluate(() => {
    // what is drawn can be read only before the browser takes it
    const { page } = window.polhode;
    page.stage.draw(page.state.t, page.state.looks);
    const source = document.getElementById('canvas');
    const small = document.createElement('canvas');
    small.width = 120;
    small.height = 80;
    const context = small.getContext('2d');
    context.drawImage(source, 0, 0, 120, 80);
    const { data } = context.getImageData(0, 0, 120, 80);
    const ground = [data[0], data[1], data[2]];
    const colours = new Set();
    const cells = [];
    let drawn = 0;
    for (let i = 0; i < data.length; i += 4) {
      colours.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
      const differs = Math.abs(data[i] - ground[0]) + Math.abs(data[i + 1] - ground[1]) + Math.abs(data[i + 2] - ground[2]) > 24;
      cells.push(differs ? 1 : 0);
      if (differs) drawn++;
    }
    return { colours: colours.size, part: drawn / cells.length, cells };
  });
const changed = (a, b) => a.cells.filter((cell, i) => cell !== b.cells[i]).length;

const path = pageOf('t-handle', undefined, '--certify');

test('the scene is not blank, in any view, and the body view differs from the space view', async () => {
  const { page, trouble, close } = await open(path, '#t=9.3');
  for (const view of ['motion', 'poinsot', 'cans', 'sphere']) {
    await page.click(`#view-${view}`);
    await frame(page);
    const seen = await picture(page);
    assert.ok(seen.colours > 12, `${view}: ${seen.colours} colours`);
    assert.ok(seen.part > 0.03 && seen.part < 0.95, `${view}: ${seen.part}`);
  }
  const space = await picture(page);
  await page.click('#frame-body');
  await frame(page);
  assert.ok(changed(space, await picture(page)) > 20);
  // a wrong twin: with everything hidden nothing is left
  await page.click('#view-motion');
  await page.evaluate(() => (window.polhode.page.stage.view.scene.visible = false));
  await page.evaluate(() => window.polhode.page.touch());
  await frame(page);
  assert.ok((await picture(page)).part < 0.001);
  assert.deepEqual(trouble, []);
  await close();
});

test('play advances, pause holds, keys step by rows, the slider lands where it is put', async () => {
  const { page, trouble, close } = await open(path, '#t=9.3');
  const before = await picture(page);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.polhode.page.state.t > 9.5);
  await page.keyboard.press('Space');
  const held = await time(page);
  await frame(page);
  assert.equal(await time(page), held);
  assert.ok(changed(before, await picture(page)) > 10, 'the picture moved');
  await page.evaluate(() => window.polhode.page.setTime(20));
  await page.keyboard.press('ArrowRight');
  assert.ok(Math.abs((await time(page)) - 20.02) < 1e-9);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.ok(Math.abs((await time(page)) - 19.98) < 1e-9);
  await page.keyboard.press('Shift+ArrowRight');
  assert.ok(Math.abs((await time(page)) - 20.18) < 1e-9);
  await page.locator('#time').fill('33');
  assert.equal(await time(page), 33);
  await frame(page);
  assert.equal(await page.textContent('#clock'), '33 s');
  await page.keyboard.press('End');
  assert.equal(await time(page), 60);
  await page.keyboard.press('h');
  assert.equal(await page.evaluate(() => document.getElementById('help').open), true);
  await page.keyboard.press('?');
  assert.equal(await page.evaluate(() => document.getElementById('help').open), false);
  assert.deepEqual(trouble, []);
  await close();
});

test('plots answer: quantities, zoom, cursor, a click sets the time, files come out', async () => {
  const { page, trouble, close } = await open(path, '#t=0&plots=euler-parameters,rate-space');
  assert.equal(await page.locator('.plot canvas').count(), 2);
  await page.locator('.plot select').first().selectOption('euler-3-2-1');
  assert.equal((await page.locator('.plot').first().locator('.curve').allTextContents()).length, 3);
  const over = page.locator('.plot .u-over').first();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs((await time(page)) - 30) < 0.5);
  const value = page.locator('.plot').nth(1).locator('.curve b').first();
  const under = await value.textContent();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 20);
  await page.waitForFunction((old) => document.querySelectorAll('.plot')[1].querySelector('.curve b').textContent !== old, under);
  await page.mouse.wheel(0, -300);
  await frame(page);
  const [a, b] = await page.evaluate(() => window.polhode.page.range);
  assert.ok(b - a < 30 && a > 10 && b < 60);
  await page.mouse.dblclick(box.x + 30, box.y + 30);
  assert.deepEqual(await page.evaluate(() => window.polhode.page.range), [0, 60]);
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 30, { steps: 4 });
  await page.mouse.up();
  const [c, d] = await page.evaluate(() => window.polhode.page.range);
  assert.ok(Math.abs(c - 15) < 1 && Math.abs(d - 30) < 1);
  for (const [name, test] of [
    ['CSV', (text) => text.startsWith('"t [s]"') && text.split('\n').length > 700],
    ['SVG', (text) => text.startsWith('<svg') && text.includes('<path') && !text.includes('NaN')],
    ['PNG', (_, bytes) => bytes.subarray(1, 4).toString() === 'PNG' && bytes.length > 3000],
  ]) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.plot').first().getByText(name, { exact: true }).click()]);
    const bytes = readFileSync(await file.path());
    assert.ok(test(bytes.toString(), bytes), name);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('another sequence redraws the cans, and the gauge finds lock', async () => {
  const lock = pageOf('gimbal-lock');
  const { page, trouble, close } = await open(lock, '#t=16.2&view=cans&seq=3-2-1');
  const gauge = () => page.evaluate(() => Number(document.getElementById('gauge').getAttribute('aria-valuenow')));
  const first = await picture(page);
  const near = await gauge();
  assert.ok(near < 5, `${near} degrees`);
  await page.selectOption('#sequence', '3-1-3');
  await frame(page);
  assert.ok(changed(first, await picture(page)) > 20);
  assert.ok((await gauge()) > 30);
  assert.deepEqual(trouble, []);
  await close();
});

test('the address holds moment, view and plots, and brings them back', async () => {
  const one = await open(path, '#t=12.34&view=sphere&frame=body&plots=mrp&show=w.trail&theme=dark');
  await one.page.keyboard.press('d');
  const fragment = await one.page.evaluate(() => window.polhode.page.fragment());
  await one.close();
  const { page, trouble, close } = await open(path, `#${fragment}`);
  assert.equal(await page.evaluate(() => window.polhode.page.fragment()), fragment);
  assert.match(fragment, /t=12.34&view=sphere&frame=body/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.equal(await page.locator('.plot').count(), 1);
  assert.deepEqual(trouble, []);
  await close();
});

test('a table dropped on the page is shown in place of the run', async () => {
  const { page, trouble, close } = await open(path, '#t=1');
  await page.setInputFiles('#file', { name: 'other.csv', mimeType: 'text/csv', buffer: Buffer.from('t,qw,qx,qy,qz,volt\n0,1,0,0,0,5\n1,0.8,0.6,0,0,6\n2,0.6,0.8,0,0,7\n') });
  await page.waitForFunction(() => document.title === 'other.csv');
  assert.ok((await page.locator('.plot select').first().locator('option').allTextContents()).includes('volt'));
  await page.setInputFiles('#file', { name: 'broken.csv', mimeType: 'text/csv', buffer: Buffer.from('what is this') });
  await page.waitForFunction(() => /no table/.test(document.getElementById('note').textContent));
  assert.equal(await page.title(), 'other.csv');
  assert.deepEqual(trouble, []);
  await close();
});

test('on a phone, by touch, everything fits in the width', async () => {
  const { page, trouble, close } = await open(path, '#t=3', { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.locator('#play').tap();
  await page.waitForFunction(() => window.polhode.page.state.t > 3.05);
  await page.locator('#play').tap();
  const over = page.locator('.plot .u-over').first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.touchscreen.tap(box.x + box.width / 2, box.y + 40);
  await page.waitForFunction(() => Math.abs(window.polhode.page.state.t - 30) < 2);
  assert.deepEqual(trouble, []);
  await close();
});

const nasty = '</title></script><script>window.bad=1;alert(1)</script><img src=x onerror="window.bad=2">&quot;\'';

test('script in strings of the scenario stays text', async () => {
  const escaped = JSON.stringify(nasty);
  const evil = pageOf(
    'evil',
    `# ${nasty}\ntitle = ${escaped}\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.1, 1, 0]\n[run]\nduration = 20\n[[event]]\nname = ${escaped}\nrate_body = "x"\n`,
  );
  const { page, trouble, close } = await open(evil, '#t=1');
  assert.equal(await page.evaluate(() => window.bad), undefined);
  assert.equal(await page.title(), nasty);
  assert.equal(await page.textContent('#title'), nasty);
  assert.ok((await page.evaluate(() => document.getElementById('scenario').textContent)).includes(nasty));
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 1);
  assert.deepEqual(trouble, []);
  await close();
});

test('the policy of the page refuses another script, another style and every address', async () => {
  let calls = 0;
  const server = createServer((_, response) => (calls++, response.end())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const changedScript = join(folder, 'changed.html');
  const address = `http://127.0.0.1:${server.address().port}/x.png`;
  writeFileSync(changedScript, readText(path).replace('<body>', `<body><script>window.bad=1</script><img src="${address}">`));
  const { page, trouble, close } = await open(changedScript, '#t=1');
  assert.equal(await page.evaluate(() => window.bad), undefined);
  assert.equal(trouble.filter((line) => /Content Security Policy/.test(line)).length, 2);
  assert.equal(trouble.filter((line) => line === `request ${address}`).length, 1, 'the tests would have seen it');
  assert.equal(calls, 0);
  server.close();
  await close();
});

test('without script the page shows certificate and scenario', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  assert.ok(await page.getByText('cosmonaut').isVisible());
  assert.ok(await page.getByText('"verdict": "yes"').isVisible());
  await context.close();
});

test('the page of every example opens without a word on the console and without a request', async () => {
  const names = examples();
  assert.ok(names.length >= 11);
  const { page, trouble, close } = await open(path, '#t=0', { viewport: { width: 480, height: 480 } });
  for (const name of names) {
    await go(page, pageOf(name), '#t=0');
    assert.equal(await page.evaluate(() => window.polhode.error), null, name);
    assert.ok((await picture(page)).colours > 12, name);
    assert.deepEqual(trouble, [], name);
  }
  await close();
});
