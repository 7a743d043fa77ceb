// The page in a real browser, as a user meets it. Chromium is that of the system; WebGL is drawn by software.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { chain, pageWith } from './mechanism.mjs';
import { examples, folder, pageOf, polhode, readText, viewer } from './support.mjs';

const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [...root, '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
});
after(() => browser.close());

/** Milliseconds: a machine with other work may be many times slower, and that is no fault of the page. */
const patience = 600_000;

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
    const tones = [];
    let drawn = 0;
    for (let i = 0; i < data.length; i += 4) {
      colours.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
      const differs = Math.abs(data[i] - ground[0]) + Math.abs(data[i + 1] - ground[1]) + Math.abs(data[i + 2] - ground[2]) > 24;
      cells.push(differs ? 1 : 0);
      tones.push(data[i] + data[i + 1] + data[i + 2]);
      if (differs) drawn++;
    }
    return { colours: colours.size, part: drawn / cells.length, cells, tones };
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

test('values in the legend are those of the time beside them, at rows and between', async () => {
  const { page, trouble, close } = await open(path, '#t=9.313&plots=rate-body,euler-3-2-1');
  const legend = () => page.evaluate(() => [...document.querySelectorAll('.plot')].map((plot) => [plot.querySelector('.time').textContent, ...[...plot.querySelectorAll('.curve b')].map((one) => one.textContent)]));
  const number = (text) => Number(text.replace('−', '-').replace(/[^-0-9.e].*$/, ''));
  /** Rows are 0.02 s apart, values between them on the line that is drawn. */
  const check = async (least) => {
    const shown = await legend();
    const t = number(shown[0][0].replace('t = ', ''));
    const expected = await page.evaluate((time) => {
      const { result, quantities } = window.polhode.page;
      const row = result.t.findLastIndex((one) => one <= time);
      const u = (time - result.t[row]) / (result.t[row + 1] - result.t[row]);
      return quantities.find(({ id }) => id === 'rate-body').curves().map(({ values }) => [values[row] + u * (values[row + 1] - values[row]), values[row + 1] - values[row]]);
    }, t);
    const steps = expected.map(([value, step], i) => {
      // five digits are shown of a value, six of the time, which is worth a part of the step between rows
      assert.ok(Math.abs(number(shown[0][i + 1]) - value) < 1e-4 * Math.abs(value) + 0.01 * Math.abs(step) + 1e-12, `${t}: ${shown[0]} for ${value}`);
      return Math.abs(step) / (1 + Math.abs(value));
    });
    assert.ok(Math.max(...steps) > least, 'a neighbouring row would be seen');
  };
  await check(1e-3);
  const box = await page.locator('.plot .u-over').first().boundingBox();
  for (const part of [0.2501, 0.2517, 0.6443]) {
    await page.mouse.move(box.x + part * box.width, box.y + 20);
    await frame(page);
    await check(1e-6);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('what is constant to rounding is drawn as a constant, and no tick is cut off', async () => {
  const text = readText(join(folder, 't-handle.toml')).replace('[run]', '[run]\nformulation = "f12"');
  const f12 = pageOf('f12', text);
  const { page, trouble, close } = await open(f12, '#t=1&plots=multiplier,rate-body,energy_balance_J');
  const seen = await page.evaluate(() => {
    const { plots } = window.polhode.page.plots;
    const context = document.createElement('canvas').getContext('2d');
    return plots.map(({ chart, curves }) => {
      context.font = '12px system-ui, sans-serif';
      const texts = chart.axes[1]._values;
      const { min, max } = chart.scales.y;
      const values = curves.flatMap((curve) => [...curve.values]);
      const times = chart.axes[0]._values;
      const last = times.findLastIndex((one) => one);
      const edge = chart.valToPos(chart.axes[0]._splits[last], 'x') + chart.bbox.left / devicePixelRatio + context.measureText(times[last]).width / 2;
      return { room: chart.axes[1]._size - 8, widths: texts.map((one) => context.measureText(one ?? '').width), texts, edge, width: chart.width, min, max, low: Math.min(...values), high: Math.max(...values) };
    });
  });
  for (const { room, widths, texts, edge, width } of seen) {
    assert.ok(Math.max(...widths) <= room, `${Math.max(...widths)} of ${room}: ${texts}`);
    assert.equal(new Set(texts.filter((one) => one)).size, texts.filter((one) => one).length, `${texts}`);
    assert.ok(edge <= width, `${edge} of ${width}`);
  }
  const [multiplier, rate] = seen;
  assert.ok(multiplier.high - multiplier.low > 0 && multiplier.high - multiplier.low < 1e-6 * multiplier.high);
  assert.ok(multiplier.max - multiplier.min > 0.1 * multiplier.high, 'no zoom into rounding');
  assert.ok(rate.max - rate.min < 1.2 * (rate.high - rate.low), 'what changes fills its plot');
  assert.deepEqual(trouble, []);
  await close();
});

test('keys stay those of the page: after a click on a button, in a list, on a tick, after the help; what was reached by tab is pressed', async () => {
  const { page, trouble, close } = await open(made('chain', chain(['arm', 'hand', 'tip'], 401)), '#t=2&view=cans');
  const playing = () => page.evaluate(() => window.polhode.page.state.playing);
  const looks = () => page.evaluate(() => ({ ...window.polhode.page.state.looks, loop: window.polhode.page.state.loop }));
  for (const id of ['#show-grid', '#frame-body', '#loop', '#faster', '#theme', '#view-cans']) {
    await page.click(id);
    const before = await looks();
    await page.keyboard.press('Space');
    assert.equal(await playing(), true, id);
    await page.keyboard.press('Space');
    assert.equal(await playing(), false, id);
    assert.deepEqual(await looks(), before, `${id} is not pressed again`);
  }
  // lists: their arrows are theirs, everything else is the page's
  for (const id of ['#sequence', '#camera', '.plot select']) {
    const list = page.locator(id).first();
    await list.focus();
    const value = await list.inputValue();
    await page.keyboard.press('Space');
    assert.equal(await playing(), true, id);
    await list.focus();
    await page.keyboard.press('Space');
    assert.equal(await playing(), false, id);
    await list.focus();
    const { grid } = await looks();
    await page.keyboard.press('g');
    assert.equal((await looks()).grid, !grid, id);
    assert.equal(await list.inputValue(), value, `${id} keeps its entry`);
  }
  await page.locator('#sequence').focus();
  const chosen = await page.locator('#sequence').inputValue();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await page.locator('#sequence').inputValue(), chosen);
  await page.getByRole('tab', { name: 'Bodies' }).click();
  await page.getByLabel('trail of arm').click();
  assert.equal(await page.getByLabel('trail of arm').isChecked(), true);
  await page.keyboard.press('Space');
  assert.equal(await playing(), true, 'after a tick');
  assert.equal(await page.getByLabel('trail of arm').isChecked(), true);
  await page.keyboard.press('Space');
  await page.click('#help-button');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  assert.equal(await playing(), true, 'after the help');
  assert.equal(await page.evaluate(() => document.getElementById('help').open), false);
  await page.keyboard.press('Space');
  // by keys alone a control is pressed as everywhere
  await page.click('#back');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'forth');
  const t = await time(page);
  await page.keyboard.press('Space');
  assert.equal(await playing(), false);
  assert.ok((await time(page)) > t, 'one row on');
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

test('a table without attitude leaves nothing of the body before it; what a table does not say is told', async () => {
  const { page, trouble, close } = await open(path, '#t=1');
  const drop = (name, text) => page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  assert.ok((await picture(page)).part > 0.03);
  await drop('volt.csv', 't,volt\n0,5\n1,6\n2,7\n');
  await page.waitForFunction(() => document.title === 'volt.csv');
  await frame(page);
  assert.equal((await picture(page)).part, 0);
  assert.ok(await page.locator('#nothing').isVisible());
  assert.equal(await page.locator('#values').isVisible(), false);
  await drop('rates.csv', readText(join(viewer, '../tests/cases/audit_bullet_default.csv')));
  await page.waitForFunction(() => document.title === 'rates.csv');
  await frame(page);
  assert.match(await page.textContent('#thinned'), /space components/);
  assert.match(await page.textContent('#note'), /space components/);
  assert.ok(await page.locator('#values').isVisible());
  const row = (id) => page.locator(`${id} td`).allTextContents();
  assert.deepEqual(await row('#value-h'), ['–', '–', '–'], 'its inertia is not known');
  assert.deepEqual(await row('#value-tau'), ['–', '–', '–']);
  assert.ok((await row('#value-w')).every((text) => text !== '–'));
  await drop('back.csv', 't,qw,qx,qy,qz\n0,1,0,0,0\n2,1,0,0,0\n1,1,0,0,0\n');
  await page.waitForFunction(() => /line 4: time goes back/.test(document.getElementById('note').textContent));
  assert.equal(await page.title(), 'rates.csv');
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
  // words about a table are longer than the screen is wide
  await page.setInputFiles('#file', join(viewer, '../tests/cases/audit_bullet_default.csv'));
  await page.waitForFunction(() => /space components/.test(document.getElementById('thinned').textContent));
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.deepEqual(trouble, []);
  await close();
});

/** A page that shows a result made here. */
function made(name, result) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pageWith(readText(path), result));
  return file;
}

test('a mechanism: bodies are picked by key, by list and by double click; views and plots follow', async () => {
  const file = made('chain', chain(['arm', 'hand', 'tip'], 401));
  const { page, trouble, close } = await open(file, '#t=2');
  const picked = () => page.textContent('#picked');
  const start = await picture(page);
  assert.ok(start.colours > 12 && start.part > 0.03, `${start.part}`);
  assert.match(await picked(), /^arm/);
  const of = (id) => page.evaluate((one) => window.polhode.page.quantities.find((quantity) => quantity.id === one).curves()[1].values[40], id);
  const before = await of('rate-body');
  await page.keyboard.press('p');
  await frame(page);
  assert.match(await picked(), /^hand/);
  assert.ok(Math.abs((await of('rate-body')) - before) > 0.01, 'the plots are about the hand');
  await page.keyboard.press('Shift+P');
  assert.match(await picked(), /^arm/);
  await page.getByRole('tab', { name: 'Bodies' }).click();
  await page.locator('#bodies').getByRole('button', { name: 'tip', exact: true }).press('Enter');
  assert.match(await picked(), /^tip/);
  await frame(page);
  // where the hand is on the screen
  const spot = await page.evaluate(() => {
    const { stage } = window.polhode.page;
    const box = stage.canvas.getBoundingClientRect();
    const p = stage.view.actors[1].group.getWorldPosition(stage.camera.position.clone()).project(stage.camera);
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  });
  await page.mouse.dblclick(...spot);
  assert.match(await picked(), /^hand/);
  await frame(page);
  await page.mouse.dblclick(30, 300);
  assert.match(await picked(), /^hand/, 'beside all bodies nothing is picked');
  for (const view of ['poinsot', 'cans', 'sphere', 'motion']) {
    await page.click(`#view-${view}`);
    await frame(page);
    assert.ok((await picture(page)).colours > 12, view);
  }
  assert.match(await picked(), /^hand/);
  const solid = await picture(page);
  await page.keyboard.press('x');
  await frame(page);
  const through = await picture(page);
  assert.ok(through.tones.filter((tone, i) => Math.abs(tone - solid.tones[i]) > 40).length > 20, 'bodies can be seen through');
  await page.keyboard.press('x');
  await frame(page);
  // a tick adds a trail
  const without = await picture(page);
  await page.getByLabel('trail of hand').check();
  await frame(page);
  assert.ok(changed(without, await picture(page)) > 3);
  await page.locator('#bodies').getByRole('button', { name: 'hand_joint' }).click();
  assert.match(await page.locator('.plot select').first().inputValue(), /^hand_joint\//);
  const fragment = await page.evaluate(() => window.polhode.page.fragment());
  assert.match(fragment, /body=hand&chosen=tip%7Ehand|body=hand&chosen=tip~hand/);
  await close();
  const again = await open(file, `#${fragment}`);
  assert.equal(await again.page.evaluate(() => window.polhode.page.fragment()), fragment);
  assert.deepEqual([...trouble, ...again.trouble], []);
  await again.close();
});

/** Of the bodies that are drawn, in units of the scene: how high above the net the lowest point of their shapes is, over the run. */
const clearance = (page, body) =>
  page.evaluate((name) => {
    const { stage, result } = window.polhode.page;
    const { view } = stage;
    let lowest = Infinity;
    const looks = { ...window.polhode.page.state.looks, follow: false };
    const index = Math.max(0, result.bodies.findIndex((track) => track.body.name === name));
    for (let i = 0; i <= 200; i++) {
      stage.draw(result.start + ((result.end - result.start) * i) / 200, looks);
      view.scene.updateMatrixWorld(true);
      const net = view.ground.getWorldPosition(stage.camera.position.clone()).z;
      view.actors[index].group.children[0].traverse((one) => {
        if (!one.isMesh) return;
        const { position } = one.geometry.attributes;
        for (let k = 0; k < position.count; k++) lowest = Math.min(lowest, one.getVertexPosition(k, stage.camera.position.clone()).applyMatrix4(one.matrixWorld).z - net);
      });
    }
    return lowest;
  }, body);

test('an incline stays one: up is against gravity, and the net is the plane that the ball rolls on', async () => {
  const ball = `title = "incline"
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "ball"
shape = "sphere"
mass = 1
radius = 0.1
position = [0, 0, 0.1154700538379252]
[[rolling]]
name = "edge"
body = "ball"
edge_radius = 0.1
plane_normal = [0.5, 0, 0.8660254037844386]
[run]
duration = 1
output_interval = 0.01
`;
  const { page, trouble, close } = await open(pageOf('incline', ball), '#t=0.6');
  const seen = await page.evaluate(() => {
    const { result, stage } = window.polhode.page;
    const { view } = stage;
    const normal = stage.camera.position.clone().set(0, 0, 1).applyQuaternion(view.ground.quaternion);
    const { r_N } = result.bodies[0].pose(0.6);
    const gap = normal.dot({ x: r_N[0], y: r_N[1], z: r_N[2] }) - normal.dot(view.ground.position) * view.layout.size;
    return { up: result.up, normal: normal.toArray(), gap };
  });
  assert.deepEqual(seen.up, [0, 0, 1]);
  assert.ok(Math.hypot(seen.normal[0] - 0.5, seen.normal[1], seen.normal[2] - Math.sqrt(0.75)) < 1e-7, `${seen.normal}`);
  assert.ok(Math.abs(seen.gap - 0.1) < 1e-7, `${seen.gap}`);
  assert.deepEqual(trouble, []);
  await close();
});

test('where the attitude is not known nothing is drawn, in every view, and the page says so', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => [i / 10, ...(i >= 20 && i < 40 ? ['nan', 'nan', 'nan', 'nan'] : [Math.cos(i / 20), 0, 0, Math.sin(i / 20)]), 0, 0, 1]);
  const { page, trouble, close } = await open(path);
  await page.setInputFiles('#file', { name: 'holed.csv', mimeType: 'text/csv', buffer: Buffer.from('t,qw,qx,qy,qz,wx,wy,wz\n' + rows.map((row) => row.join(',')).join('\n')) });
  await page.waitForFunction(() => document.getElementById('title').textContent === 'holed.csv');
  for (const view of ['motion', 'cans', 'sphere']) {
    for (const [t, known] of [[1, true], [3, false], [5, true]]) {
      await page.evaluate(([v, at]) => { const p = window.polhode.page; p.play(false); p.setView(v); p.setTime(at); }, [view, t]);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.equal(await page.evaluate(() => document.getElementById('no-attitude').hidden), known, `${view} ${t}`);
      const drawn = await page.evaluate(() => window.polhode.page.stage.drawn);
      assert.equal(drawn, known, `${view} ${t}`);
    }
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('on a narrow screen the verdict of a run can be read whole, and an axis has more than one number', async () => {
  const { page, trouble, close } = await open(pageOf('slider-crank'), '#t=1&plots=bearing/angle', { viewport: { width: 390, height: 844 } });
  const cut = await page.evaluate(() => { const badge = document.getElementById('verdict'); return badge.scrollWidth - badge.clientWidth; });
  assert.equal(cut, 0);
  const ticks = await page.evaluate(() => {
    const { chart } = window.polhode.page.plots.plots[0];
    return chart.axes[1]._values.filter((text) => text).length;
  });
  assert.ok(ticks >= 3, `${ticks}`);
  assert.deepEqual(trouble, []);
  await close();
});

test('up is against gravity, and what stands or rolls on the floor touches it', async () => {
  const { page, trouble, close } = await open(pageOf('rolling-coin'), '#t=0.3');
  // it rolls on the ring in its middle, which touches the net at every row
  const gaps = await page.evaluate(() => {
    const { result, stage } = window.polhode.page;
    const [{ body, ...track }, { view }] = [result.bodies[0], stage];
    const [radius] = body.parts[0].lengths;
    const list = Array.from(track.t, (_, row) => {
      const [a, b, c, d] = track.e.map((values) => values[row]);
      const up = a * a - b * b - c * c + d * d; // of its axis
      return track.r[2][row] - radius * Math.sqrt(1 - up * up) - view.layout.floor;
    });
    const net = view.ground.getWorldPosition(stage.camera.position.clone()).sub(view.world.position).z * view.layout.size;
    return { low: Math.min(...list) / radius, high: Math.max(...list) / radius, net: (net - view.layout.floor) / radius };
  });
  // residuals of the run, and single precision of what is drawn
  for (const gap of Object.values(gaps)) assert.ok(Math.abs(gap) < 1e-6, JSON.stringify(gaps));
  await go(page, pageOf('manipulator'), '#t=0');
  assert.ok(Math.abs(await clearance(page, 'base')) < 1e-6, `${await clearance(page, 'base')}`);
  // a top stands on its point, and a pendulum hangs above the net
  await go(page, pageOf('spinning-top'), '#t=0');
  assert.equal(await page.evaluate(() => window.polhode.page.stage.view.layout.floor), 0);
  await go(page, pageOf('hanging', readText(join(folder, 'spinning-top.toml')).replace('[0, 30, 0]', '[0, 150, 0]').replace('[0, 0, 200]', '[0, 0, 1]')), '#t=0');
  const gap = await clearance(page, '');
  // of 201 moments, and an ellipsoid of 48 sides
  assert.ok(gap > -1e-6 && gap < 0.02, `${gap}`);
  // the bars of this one hang along y of space, which must be z of the picture
  await go(page, pageOf('n-four-bar'), '#t=0');
  const upright = () =>
    page.evaluate(() => {
      const { stage, result } = window.polhode.page;
      stage.view.scene.updateMatrixWorld(true);
      const [x, y, z] = result.up;
      return stage.camera.position.clone().set(x, y, z).applyQuaternion(stage.view.world.quaternion).toArray();
    });
  for (const view of ['motion', 'sphere']) {
    await page.click(`#view-${view}`);
    await frame(page);
    const [x, y, z] = await upright();
    assert.ok(Math.hypot(x, y) < 1e-12 && Math.abs(z - 1) < 1e-12, view);
  }
  assert.deepEqual(await page.evaluate(() => window.polhode.page.result.up.map(Math.round)), [0, 1, 0]);
  await page.click('#view-motion');
  await page.selectOption('#camera', '+z');
  await frame(page);
  const along = await page.evaluate(() => {
    const { camera, view } = window.polhode.page.stage;
    return camera.position.clone().normalize().applyQuaternion(view.world.quaternion.clone().invert()).toArray();
  });
  assert.ok(along[2] > 0.999, 'the camera is on the z axis of space');
  assert.deepEqual(trouble, []);
  await close();
});

test('joints to the ground on either side, springs and their ends are drawn where the bodies are', async () => {
  const { page, trouble, close } = await open(pageOf('bricard'), '#t=1');
  await page.getByRole('tab', { name: 'Bodies' }).click();
  const names = await page.locator('#bodies .bodies').nth(1).locator('li').allTextContents();
  assert.equal(names.length, 6);
  assert.match(names[5], /hinge6revolute, rod5 – ground/);
  await page.locator('#bodies').getByRole('button', { name: 'hinge6' }).click();
  assert.match(await page.locator('.plot select').first().inputValue(), /^hinge6\//);
  // the hinge is where the last rod and the ground meet: a piece on each of them
  const places = await page.evaluate(() => {
    const { stage, result } = window.polhode.page;
    const joint = result.joints[5];
    const { layout, actors, world } = stage.view;
    stage.view.scene.updateMatrixWorld(true);
    const at = (v) => stage.camera.position.clone().set(...v);
    const ground = world.localToWorld(at(joint.r_second.map((x, k) => (x - layout.centre[k]) / layout.size)));
    const body = actors[joint.first];
    const onBody = body.group.localToWorld(at(joint.r_first.map((x, k) => (x - body.track.body.reference_B[k]) / layout.size)));
    const near = (group) => group.children.some((one) => one.isGroup && one.getWorldPosition(at([0, 0, 0])).distanceTo(ground) < 1e-6);
    return { apart: ground.distanceTo(onBody), onGround: near(world), onRod: near(body.group) };
  });
  assert.ok(places.apart < 1e-6 && places.onGround && places.onRod, JSON.stringify(places));
  await go(page, pageOf('flyball-governor'), '#t=0');
  const ends = () =>
    page.evaluate(() => {
      const { stage } = window.polhode.page;
      const { view } = stage;
      view.scene.updateMatrixWorld(true);
      const at = (v) => stage.camera.position.clone().set(...v);
      return view.links.map(({ kind, from, to, mesh }) => {
        const tip = (y) => mesh.localToWorld(at([0, y, 0]));
        const pin = ({ body, r }) => view.actors[body].group.localToWorld(at(r.map((x, k) => (x - view.actors[body].track.body.reference_B[k]) / view.layout.size)));
        return [kind, tip(-0.5).distanceTo(pin(from)), tip(0.5).distanceTo(pin(to)), tip(-0.5).distanceTo(tip(0.5))];
      });
    });
  let before = 0;
  for (const t of [0, 0.7, 1.3]) {
    await page.evaluate((now) => window.polhode.page.setTime(now), t);
    await frame(page);
    const list = await ends();
    assert.deepEqual(list.map(([kind]) => kind), ['spring', 'spring']);
    for (const [, a, b] of list) assert.ok(a < 1e-6 && b < 1e-6, `${t}: ${list}`);
    assert.ok(list[0][3] > 0.2 && list[0][3] !== before, 'they are stretched with the bodies');
    before = list[0][3];
  }
  // a wrong twin: without its springs less is drawn
  const whole = await picture(page);
  await page.evaluate(() => (window.polhode.page.stage.view.links.forEach(({ mesh }) => (mesh.material.visible = false))));
  const without = await picture(page);
  assert.ok(whole.tones.filter((tone, i) => Math.abs(tone - without.tones[i]) > 20).length > 5);
  assert.deepEqual(trouble, []);
  await close();
});

test('a body inside another is seen', async () => {
  const { page, trouble, close } = await open(pageOf('reaction-wheels'), '#t=0');
  const through = await page.evaluate(() => window.polhode.page.stage.view.skins.map((look) => look.box.opacity < 1));
  assert.deepEqual(through, [true, false, false, false]);
  assert.deepEqual(trouble, []);
  await close();
});

test('a mesh is drawn with all its faces, turns with its body and fills the picture, wherever its origin is', async () => {
  const { page, trouble, close } = await open(pageOf('wing-nut'), '#t=0&show=');
  const faces = () =>
    page.evaluate(() => {
      let count = 0;
      window.polhode.page.stage.view.actors[0].group.traverse((one) => (count += one.isMesh && one.geometry.type === 'BufferGeometry' ? one.geometry.attributes.position.count / 3 : 0));
      return count;
    });
  assert.equal(await faces(), await page.evaluate(() => window.polhode.page.result.bodies[0].body.parts[0].surface.triangles.length / 3));
  const near = await picture(page);
  assert.ok(near.part > 0.03 && near.part < 0.6, `${near.part}`);
  await page.evaluate(() => window.polhode.page.setTime(0.08));
  await frame(page);
  assert.ok(changed(near, await picture(page)) > 20, 'it turns');
  await page.evaluate(() => window.polhode.page.setTime(0));
  // a wrong twin: without the mesh less is drawn
  await page.evaluate(() => window.polhode.page.stage.view.actors[0].group.traverse((one) => (one.visible = !one.isMesh)));
  assert.ok((await picture(page)).part < 0.5 * near.part);
  await close();
  // the same nut a metre from the origin of its file
  const text = readText(join(folder, 'wing-nut.obj')).replace(/^v (\S+) (.*)$/gm, (_, x, rest) => `v ${Number(x) + 1000} ${rest}`);
  writeFileSync(join(folder, 'far.obj'), text);
  const far = pageOf('far', readText(join(folder, 'wing-nut.toml')).replace('wing-nut.obj', 'far.obj'));
  const other = await open(far, '#t=0&show=');
  assert.ok(changed(near, await picture(other.page)) < 30, 'it looks the same');
  assert.deepEqual([...trouble, ...other.trouble], []);
  await other.close();
});

test('many bodies of one mesh are drawn together', async () => {
  const many = chain(Array.from({ length: 30 }, (_, i) => `b${i}`), 21);
  const mesh = { shape: 'mesh', lengths: [], e_BC: [1, 0, 0, 0], r_BC_B: [-0.2, -0.2, -0.2], hole: false };
  many.head.bodies.forEach((body, i) => {
    const surface = i === 0 ? { points: '0 0 0 1 0 0 0 1 0 0 0 1', triangles: '0 2 1 0 1 3 0 3 2 1 2 3' } : 0;
    body.parts = [{ ...mesh, surface }];
  });
  const { page, trouble, close } = await open(made('crowd', many), '#t=1');
  assert.ok((await picture(page)).colours > 12);
  const counts = await page.evaluate(() => [...window.polhode.page.stage.view.herd.kinds].filter(([key]) => key.includes('mesh')).map(([, kind]) => kind.pieces.length));
  assert.deepEqual(counts, [30]);
  assert.deepEqual(trouble, []);
  await close();
});

test('compare lays all motions over each other, with their differences and the table', async () => {
  polhode(['compare', 't-handle.toml', '--quiet', '--no-times', '--formulation', 'euler-body,f5,f6,a1:3-2-1']);
  const { page, trouble, close } = await open(join(folder, 't-handle.compare/compare.html'), '#t=9.3');
  // rows that agree only with finer steps are no agreement, and no fault
  assert.equal(await page.textContent('#verdict'), '1 agree, 2 only with finer steps');
  assert.match(await page.getAttribute('#verdict', 'class'), /open/);
  assert.ok((await picture(page)).colours > 12);
  const names = await page.evaluate(() => window.polhode.page.result.bodies.map(({ body }) => body.name));
  assert.deepEqual(names, ['reference', 'euler-body', 'f5', 'f6', 'a1:3-2-1']);
  const curves = () => page.locator('.plot').first().locator('.curve').count();
  assert.equal(await curves(), 4, 'angle to the reference, which itself has none');
  assert.equal(await page.locator('.plot .small[aria-pressed]').first().getAttribute('aria-pressed'), 'true');
  await page.getByRole('tab', { name: 'Motions' }).click();
  await page.getByLabel('shown of f5').uncheck();
  assert.equal(await curves(), 3);
  await page.locator('#bodies').getByRole('button', { name: 'f6', exact: true }).click();
  assert.equal(await page.textContent('#picked'), 'f6');
  await page.getByRole('tab', { name: 'Summary' }).click();
  assert.ok((await page.textContent('#summary table')).includes('a1:3-2-1'));
  const fragment = await page.evaluate(() => window.polhode.page.fragment());
  assert.match(fragment, /body=f6&chosen=reference/);
  polhode(['compare', 't-handle.toml', '--quiet', '--no-times', '--formulation', 'euler-body,f11', '-o', 'fine']);
  await go(page, join(folder, 'fine/compare.html'), '#t=9.3');
  assert.equal(await page.textContent('#verdict'), 'All that can run this agree');
  assert.match(await page.getAttribute('#verdict', 'class'), /yes/);
  assert.deepEqual(trouble, []);
  await close();
});

test('audit shows a log beside the exact motion, and the answers', async () => {
  const log = join(viewer, '../tests/cases/audit_bullet_no_gyro.csv');
  polhode(['audit', log, '--map', 'bullet', '--inertia', '0.02,0.03,0.04', '--page', 'audit.html', '--quiet']);
  const { page, trouble, close } = await open(join(folder, 'audit.html'), '#t=0.4');
  assert.match(await page.textContent('#verdict'), /gyroscopic-missing/);
  assert.deepEqual(await page.evaluate(() => window.polhode.page.result.bodies.map(({ body }) => body.name)), ['log', 'exact']);
  assert.ok((await picture(page)).colours > 12);
  const angle = await page.evaluate(() => window.polhode.page.result.column('attitude_difference_rad').values);
  const list = Object.values(angle);
  assert.ok(list[0] < 1e-3 && Math.max(...list) > 0.1, 'they part');
  await page.getByRole('tab', { name: 'Summary' }).click();
  assert.ok((await page.textContent('#summary')).includes('is the gyroscopic term there'));
  assert.deepEqual(trouble, []);
  await close();
});

test('a joint of any kind is drawn, one that we do not know too', async () => {
  const kinds = ['weld', 'revolute', 'prismatic', 'cylindrical', 'screw', 'spherical', 'universal', 'constant-velocity', 'planar', 'point-on-line',
    'point-on-plane', 'distance', 'spherical-spherical', 'revolute-spherical', 'constructor'];
  const many = chain(kinds.map((_, i) => `b${i}`), 21);
  kinds.forEach((kind, i) => (many.head.joints[i].kind = kind));
  const { page, trouble, close } = await open(made('kinds', many), '#t=1');
  const rods = await page.evaluate(() => window.polhode.page.stage.view.links.filter(({ kind }) => kind === 'rod').length);
  assert.equal(rods, 3);
  assert.ok((await picture(page)).colours > 12);
  assert.deepEqual(trouble, []);
  await close();
});

test('a logarithmic axis shows sizes, and the address keeps it', async () => {
  const { page, trouble, close } = await open(made('chain', chain(['arm', 'hand'], 401)), '#t=2&plots=residuals,energy_balance_J');
  const pressed = () => page.locator('.plot .small[aria-pressed]').evaluateAll((list) => list.map((one) => one.getAttribute('aria-pressed')));
  assert.deepEqual(await pressed(), ['true', 'false']);
  await page.locator('.plot').nth(1).getByLabel('logarithmic axis').click();
  assert.deepEqual(await pressed(), ['true', 'true']);
  assert.match(await page.evaluate(() => window.polhode.page.fragment()), /plots=residuals%2Cenergy_balance_J%7Elog|plots=residuals%2Cenergy_balance_J~log/);
  const svg = await page.evaluate(() => window.polhode.page.plots.svg(1));
  assert.ok(svg.includes('10⁻⁹') && !svg.includes('NaN'));
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

test('script in the names of bodies, joints, columns and in the words of a page stays text', async () => {
  const evil = chain([nasty, 'b'], 21);
  evil.head.joints[1].kind = nasty;
  evil.head.joints[1].name = nasty;
  evil.head.columns.at(-4).name = nasty;
  for (const key of ['title', 'version', 'convention', 'scenario_file', 'scenario_sha256', 'formulation', 'integrator', 'epoch', 'scenario']) evil.head[key] = nasty;
  for (const column of evil.head.columns) column.meaning = column.unit = nasty;
  evil.head.certificate = { verdict: nasty, reason: nasty, attitude_error_rad: 1, accuracy_asked_rad: 1, error_found_by: nasty, notes: [nasty], evidence: [{ name: nasty, value: 1, allowed: 1, holds: true, meaning: nasty }] };
  evil.head.words = { verdict: nasty, reason: nasty, summary: [[nasty, nasty]], notes: [nasty], commands: [nasty], every: 2,
    tables: [{ caption: nasty, heads: [nasty], rows: [[nasty]], row_classes: [nasty] }] };
  for (const kind of ['run', 'compare', 'audit', nasty]) {
    evil.head.page = kind;
    const { page, trouble, close } = await open(made('evil-chain', evil), '#t=1');
    assert.equal(await page.evaluate(() => window.bad), undefined);
    await page.evaluate(() => window.polhode.page.pick(1));
    for (const tab of await page.locator('#side-tabs button:visible').all()) await tab.click();
    await page.evaluate(() => window.polhode.page.plots.svg(0));
    assert.ok((await page.textContent('#bodies')).includes(nasty));
    assert.ok((await page.textContent('#summary')).includes(nasty));
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 1);
    assert.deepEqual(trouble, [], kind);
    await close();
  }
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

test('the summary says how it went, without script too', async () => {
  const { page, trouble, close } = await open(path, '#t=1');
  await page.getByRole('tab', { name: 'Summary' }).click();
  const text = await page.textContent('#summary');
  for (const words of ['rows', 'half period of the exact motion', "event 'flip'", 'polhode compare t-handle.toml', 'SHA-256']) {
    assert.ok(text.includes(words), words);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('without script the page shows certificate and scenario', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  assert.ok(await page.getByText('Certified').isVisible());
  assert.ok(await page.getByText('half period of the exact motion').isVisible());
  await page.locator('summary').click();
  assert.ok(await page.getByText('cosmonaut').isVisible());
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
