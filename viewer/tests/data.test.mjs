// What the program puts into a page comes out again, bit for bit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chain, pageWith } from './mechanism.mjs';
import { folder, load, pageOf, polhode, readText } from './support.mjs';

const decode = await load('decode');
const block = (page) => /<script type="text\/plain" id="data">([^<]*)<\/script>/.exec(page)[1];
const file = (path, name) => ({ name, arrayBuffer: async () => new Uint8Array(readFileSync(path)).buffer });

const path = pageOf('t-handle', undefined, '--certify');
const page = readText(path);
const result = await decode.readBlock(block(page));

test('the numbers of the page are those of results.csv', () => {
  const lines = readText(`${folder}/t-handle.run/results.csv`).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(result.columns.map((column) => column.name).join(','), lines[0]);
  assert.equal(result.t.length, lines.length - 1);
  assert.equal(result.exactRows, result.t.length);
  lines.slice(1).forEach((line, i) => assert.equal(result.columns.map((column) => column.values[i]).join(','), line.split(',').map(Number).join(',')));
});

test('events, certificate, scenario and shapes are there', () => {
  assert.ok(result.events.length > 20 && result.events.every((event) => event.name === 'flip'));
  assert.equal(result.head.certificate.verdict, 'yes');
  assert.equal(result.head.scenario, readText(`${folder}/t-handle.toml`));
  const [track] = result.bodies;
  assert.deepEqual(track.body.parts.map((part) => part.shape), ['cylinder', 'cylinder']);
  assert.deepEqual(track.body.parts[1].lengths, [0.006, 0.04]);
  const [a, b, c] = track.body.moments;
  assert.ok(a < b && b < c && a + b > c);
});

test('between rows the attitude moves on, at rows it is the row', () => {
  const [track] = result.bodies;
  const row = track.attitude(100);
  const there = track.pose(result.t[100]).e_NB;
  // the norm of a row drifts by some 1e-10; a pose is normalised
  row.forEach((x, i) => assert.ok(Math.abs(x - there[i]) < 1e-8));
  const later = track.pose(0.5 * (result.t[100] + result.t[101])).e_NB;
  assert.ok(row.some((x, i) => Math.abs(x - later[i]) > 1e-3));
  assert.deepEqual(track.torque(100), [0, 0, 0], 'no torque acts, and rounding is none');
});

test('the same numbers come from the log and from the table', async () => {
  for (const [name, ending] of [['run.plog', 'the log'], ['results.csv', 'the table']]) {
    const other = await decode.readFile(file(`${folder}/t-handle.run/${name}`, name));
    assert.equal(other.t.length, result.t.length, ending);
    assert.deepEqual(other.columns.map((column) => column.values[777]), result.columns.map((column) => column.values[777]), ending);
    assert.equal(other.events.length, result.events.length, ending);
    assert.deepEqual(other.head.bodies, result.head.bodies, ending);
  }
});

test('a log that was cut off gives what is whole, and what is no result is refused in words', async () => {
  const bytes = readFileSync(`${folder}/t-handle.run/run.plog`);
  const cut = { name: 'cut.plog', arrayBuffer: async () => new Uint8Array(bytes.subarray(0, bytes.length >> 1)).buffer };
  const rows = (await decode.readFile(cut)).t.length;
  assert.ok(rows > 100 && rows < result.t.length);
  const text = (content) => ({ name: 'x.csv', arrayBuffer: async () => new TextEncoder().encode(content).buffer });
  await assert.rejects(decode.readFile(text('nothing of use')), /no table/);
  await assert.rejects(decode.readFile(text('PLHD and then nothing that is whole')), /not a log/);
  await assert.rejects(decode.readBlock(block(page).slice(0, 4000)), /./);
  const odd = await decode.readFile(text('qx,qy,qz,qw,time\n0,0,0,1,0\n0,0,1,0,1\n'));
  assert.deepEqual(odd.bodies[0].attitude(1), [0, 0, 0, 1]);
});

test('a page is the same bytes every time', () => {
  polhode(['run', 't-handle.toml', '--quiet', '--certify', '-o', 'again']);
  assert.ok(readText(`${folder}/again/report.html`) === page);
});

test('a page of a long run has some of its rows and the last; one of all rows keeps seven digits of the later ones', async () => {
  const long = pageOf(
    'long',
    'title = "long"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.3, 1, -0.4]\n[run]\nduration = 1500\noutput_interval = 0.01\n',
  );
  const some = await decode.readBlock(block(readText(long)));
  assert.equal(some.head.words.every, 2);
  assert.equal(some.t.length, 75_001);
  assert.equal(some.exactRows, 75_001);
  assert.equal(some.t[75_000], 1500);
  polhode(['convert', 'long.run', '--to', 'html', '-o', 'all.html']);
  const many = await decode.readBlock(block(readText(`${folder}/all.html`)));
  assert.equal(many.t.length, 150_001);
  assert.equal(some.columns[5].values[30_000], many.columns[5].values[60_000]);
  assert.equal(many.exactRows, 131_072);
  const lines = readText(`${folder}/long.run/results.csv`).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const row = lines[140_001].split(',').map(Number);
  assert.equal(many.t[140_000], row[0]);
  row.forEach((x, c) => assert.ok(Math.abs(many.columns[c].values[140_000] - x) <= 6e-8 * Math.abs(x)));
});

test('a mechanism: every body has its track, every joint its coordinates and reactions, the whole its residuals', async () => {
  const { quantitiesOf } = await load('quantities');
  const made = chain(['arm', 'hand'], 101);
  const many = await decode.readBlock(block(pageWith(page, made)));
  assert.deepEqual(many.bodies.map((track) => track.body.name), ['arm', 'hand']);
  assert.deepEqual(many.joints.map((joint) => [joint.name, joint.kind, joint.first, joint.second]), [
    ['arm_joint', 'revolute', -1, 0], ['hand_joint', 'revolute', 0, 1],
  ]);
  const [arm, hand] = many.bodies;
  // the end of the arm is where the hand begins
  const { rotate, add } = await load('rotation');
  for (const t of [0, 3.3, 9.99]) {
    const a = arm.pose(t);
    const b = hand.pose(t);
    const end = add(a.r_N, rotate(a.e_NB, [0.5, 0, 0]));
    const start = add(b.r_N, rotate(b.e_NB, [-0.5, 0, 0]));
    // rows are 0.1 s apart: the way between them is a straight line in place of an arc
    assert.ok(Math.hypot(...end.map((x, i) => x - start[i])) < 2e-3, `${t}`);
  }
  const ids = quantitiesOf(many, hand).map((quantity) => quantity.id);
  for (const id of ['rate-body', 'momentum-space', 'energy', 'work', 'residuals', 'energy_balance_J', 'rx_space_m', 'arm_joint/angle', 'hand_joint/rate', 'hand_joint/force', 'arm_joint/moment']) {
    assert.ok(ids.includes(id), id);
  }
  assert.equal(new Set(ids).size, ids.length);
  const speed = quantitiesOf(many, hand).find((quantity) => quantity.id === 'vx_space_m_s').curves();
  assert.equal(speed[0].values, many.column('hand.vx_space_m_s').values);
  assert.notEqual(speed[0].values, many.column('arm.vx_space_m_s').values);
  const force = quantitiesOf(many, hand).find((quantity) => quantity.id === 'hand_joint/force').curves();
  assert.ok(Math.abs(force[3].values[0] - Math.hypot(3, 0, 21)) < 1e-12);
  // a joint of a body that is not there is left out
  const broken = chain(['arm', 'hand'], 11);
  broken.head.joints[1].second = 7;
  broken.head.joints[0].e_first = [1, 0, 'x', 0];
  assert.equal((await decode.readBlock(block(pageWith(page, broken)))).joints.length, 0);
});

test('a mesh comes with the points and triangles of its file, once for all who share it; a damaged one is left out', async () => {
  const nut = await decode.readBlock(block(readText(pageOf('wing-nut'))));
  const [part] = nut.bodies[0].body.parts;
  assert.equal(part.shape, 'mesh');
  const lines = readText(`${folder}/wing-nut.obj`).split('\n').map((line) => line.split(' '));
  const vertices = lines.filter(([word]) => word === 'v').map(([, ...xyz]) => xyz.map((x) => Math.fround(0.001 * Number(x))));
  const corners = lines.filter(([word]) => word === 'f').map((words) => words.length - 1);
  assert.equal(part.surface.points.length, 3 * vertices.length);
  assert.equal(part.surface.triangles.length, 3 * corners.reduce((sum, n) => sum + n - 2, 0));
  const seen = new Set(vertices.map(String));
  for (let i = 0; i < part.surface.points.length; i += 3) assert.ok(seen.has(String([...part.surface.points.slice(i, i + 3)])));
  const shared = chain(['arm', 'hand', 'tip'], 11);
  const mesh = (surface) => [{ shape: 'mesh', lengths: [], e_BC: [1, 0, 0, 0], r_BC_B: [0, 0, 0], hole: false, surface }];
  const whole = { points: '0 0 0 1 0 0 0 1 0 0 0 1', triangles: '0 2 1 0 1 3 0 3 2 1 2 3' };
  const surfacesOf = async (...list) => {
    list.forEach((surface, i) => (shared.head.bodies[i].parts = mesh(surface)));
    return (await decode.readBlock(block(pageWith(page, shared)))).bodies.map((track) => track.body.parts[0].surface);
  };
  const [a, b, c] = await surfacesOf(whole, 0, 7);
  assert.ok(a.points.length === 12 && a === b && c === null);
  const broken = [{ ...whole, triangles: '0 2 4' }, { ...whole, triangles: '0 2' }, { ...whole, points: '0 0 x' }, { points: 1 }, null, 'x', { points: '', triangles: '' }];
  for (const one of broken) assert.deepEqual(await surfacesOf(one, 0, 0), [null, null, null], JSON.stringify(one));
});

test('a form with a multiplier brings its closed form along, and they agree', async () => {
  const { quantitiesOf } = await load('quantities');
  const text = 'title = "top"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.3, 1, -0.4]\n[run]\nduration = 20\nformulation = "f6"\n';
  const made = await decode.readBlock(block(readText(pageOf('multiplier', text))));
  const [computed, closed] = quantitiesOf(made, made.bodies[0]).find(({ id }) => id === 'multiplier').curves();
  const size = Math.max(...closed.values.map(Math.abs));
  assert.ok(size > 0.1);
  // as far off as norm and attitude are at the tolerance of the run
  closed.values.forEach((x, i) => assert.ok(Math.abs(x - computed.values[i]) < 1e-6 * size));
  assert.ok(Math.abs(computed.values[40] - computed.values[0] * 1.001) > 1e-6 * size, 'a wrong one would be seen');
  assert.ok(made.column('multiplier_closed_form').meaning.length > 0);
});
