// What the program puts into a page comes out again, bit for bit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chain, pageWith } from './mechanism.mjs';
import { folder, load, pageOf, polhode, random, readText, viewer } from './support.mjs';

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

const csv = (content, name = 'x.csv') => decode.readFile({ name, arrayBuffer: async () => new TextEncoder().encode(content).buffer });

test('rates that do not say whose components they are are read as the attitudes turn, and the page says how', async () => {
  const { rotate, rotateBack, conjugate, normalized } = await load('rotation');
  /** How far the rates of a track are from the turns between its rows, relative. */
  const off = async (track) => {
    const { multiply, rotationVector } = await load('rotation');
    let [sum, size] = [0, 0];
    for (let row = 0; row + 1 < track.t.length; row++) {
      const dt = track.t[row + 1] - track.t[row];
      const turn = rotationVector(multiply(conjugate(normalized(track.attitude(row))), normalized(track.attitude(row + 1))));
      const mean = track.rate(row).map((w, k) => (w + track.rate(row + 1)[k]) / 2);
      sum += Math.hypot(...turn.map((x, k) => x - dt * mean[k])) ** 2;
      size += Math.hypot(...turn) ** 2;
    }
    return Math.sqrt(sum / size);
  };
  for (const name of ['audit_bullet_default', 'audit_ode_default', 'audit_bullet_no_gyro']) {
    const log = await csv(readText(`${viewer}/../tests/cases/${name}.csv`), name);
    assert.match(log.assumed.join(), /wx wy wz are space components: found by the turns/, name);
    // the mean of two rates is the turn to the second order of the step, 0.2 rad
    assert.ok((await off(log.bodies[0])) < 0.05, name);
    assert.ok(Math.abs(log.column('wx').values[5] - log.bodies[0].rate(5)[0]) > 1e-3, 'the column itself stays');
  }
  // the same motion, written in every way
  const [track] = result.bodies;
  const table = (e, w) => ['t,qw,qx,qy,qz,wx,wy,wz', ...Array.from({ length: 400 }, (_, i) => [track.t[i], ...e(track.attitude(i)), ...w(track.rate(i), track.attitude(i))].join(','))].join('\n');
  const same = (e) => e;
  const body = (w) => w;
  const space = (w, e) => rotate(normalized(e), w);
  const degrees = (w) => w.map((x) => (x * 180) / Math.PI);
  for (const [e, w, words] of [
    [same, body, /are body components: found/],
    [same, space, /are space components: found/],
    [same, degrees, /are body components, degrees a second: found/],
    [conjugate, body, /are body components, attitudes take space to body: found/],
    [conjugate, space, /are space components, attitudes take space to body: found/],
  ]) {
    const read = await csv(table(e, w));
    assert.match(read.assumed.join(), words);
    read.bodies[0].rate(77).forEach((x, k) => assert.ok(Math.abs(x - track.rate(77)[k]) < 1e-6 * Math.hypot(...track.rate(77)), `${words}`));
    read.bodies[0].attitude(77).forEach((x, k) => assert.ok(Math.abs(x - track.attitude(77)[k]) < 1e-12));
  }
  assert.match((await csv(table(same, (w) => w.map((x, k) => x + 7 * k)))).assumed.join(), /assumed body components, but the attitudes turn otherwise/);
  // attitudes that stand still while the rates do not
  assert.match((await csv(table(() => [1, 0, 0, 0], body))).assumed.join(), /assumed body components, but the attitudes turn otherwise/);
  // about an axis that stays both are the same; at rest nothing tells
  const spin = Array.from({ length: 50 }, (_, i) => [0.1 * i, Math.cos(0.05 * i), 0, 0, Math.sin(0.05 * i), 0, 0, 1].join(',')).join('\n');
  assert.match((await csv(`t,qw,qx,qy,qz,wx,wy,wz\n${spin}`)).assumed.join(), /assumed body components; the attitudes do not tell/);
  assert.match((await csv('t,qw,qx,qy,qz,wx,wy,wz\n0,1,0,0,0,0,0,0\n1,1,0,0,0,0,0,0\n')).assumed.join(), /assumed body components, for nothing turns/);
  // names that say it are believed
  const named = await csv(table(same, space).replace('wx,wy,wz', 'wx_space,wy_space,wz_space'));
  assert.deepEqual(named.assumed, []);
  rotateBack(normalized(track.attitude(9)), space(track.rate(9), track.attitude(9))).forEach((x, k) => assert.ok(Math.abs(x - named.bodies[0].rate(9)[k]) < 1e-9));
  assert.deepEqual(result.assumed, []);
});

test('what is not known of a table is not zero; what is wrong with it is refused with its line', async () => {
  const log = await csv('t,qw,qx,qy,qz,wx,wy,wz,volt\n0,1,0,0,0,0,0,1,\n1,0.8,0,0,0.6,0,0,1,5\n');
  const pose = log.bodies[0].pose(0.5);
  assert.equal(pose.h_N, null);
  assert.equal(pose.tau_N, null);
  assert.ok(Number.isNaN(log.column('volt').values[0]));
  assert.match(log.assumed.join(), /volt has no number in 1 of 2 rows, the first in line 2/);
  assert.match((await csv('t,qw,qx,qy,qz\n0,1,0,0,0\n1,1,0,0,0\n')).assumed.join(), /attitudes: assumed to take body to space/);
  await assert.rejects(csv('t,qw,qx,qy,qz\n0,1,0,0,0\n2,1,0,0,0\n1,1,0,0,0\n'), /x\.csv, line 4: time goes back from 2 to 1/);
  await assert.rejects(csv('t,qw,qx,qy,qz\n0,1,0,0,0\nsoon,1,0,0,0\n'), /line 3: time is no number/);
  await assert.rejects(csv('t,x\n1,5\n1,6\n'), /time is 1 in all rows/);
  await assert.rejects(csv('t,qw,qx,qy,qz\n0,0,1,0,0,0,0,0,0,0\n0,5,1,0,0,0,0,0,0,0\n'), /line 2: 10 cells, and 5 names above; decimal commas\?/);
  await assert.rejects(csv('t,x\n0,5\n1,6,7\n2,8\n'), /line 3: 3 cells, and 2 names above/);
  const comma = await csv('t;qw;qx;qy;qz\n0,0;1;0;0;0\n0,5;0,8;0,6;0;0\n');
  assert.deepEqual([...comma.t], [0, 0.5]);
  assert.deepEqual(comma.bodies[0].attitude(1), [0.8, 0.6, 0, 0]);
  assert.match(comma.assumed.join(), /commas in numbers read as decimal points/);
  const cut = await csv('t,x\n0,5\n1,6\n2');
  assert.equal(cut.t.length, 2);
  assert.match(cut.assumed.join(), /line 4 is cut off and left out/);
  const own = await csv('"t [s]","x [m]"\n0,5\n1,6\n');
  assert.equal(own.column('x').unit, 'm');
});

/** A turn about z at 0.5 rad/s that started about x: body and space components differ. */
const tilted = (rows, dt) =>
  Array.from({ length: rows }, (_, i) => {
    const [c, s] = [Math.cos(0.25 * i * dt), Math.sin(0.25 * i * dt)];
    return { t: i * dt, e: [0.8 * c, 0.6 * c, 0.6 * s, 0.8 * s], w_N: [0, 0, 0.5], w_B: [0, 0.48, 0.14] };
  });
const tableOf = (heads, rows) => [heads.join(','), ...rows.map((row) => row.join(','))].join('\n') + '\n';
const e4 = ['e0', 'e1', 'e2', 'e3'];

test('units that a table tells are used: milliseconds, degrees a second; unknown ones are refused or said', async () => {
  const rows = tilted(50, 0.1);
  const near = (a, b) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-12, `${a} is not ${b}`));
  for (const head of ['t [ms]', 'time_ms', 'timestamp [ms]']) {
    const read = await csv(tableOf([head, ...e4, 'wx', 'wy', 'wz'], rows.map(({ t, e, w_N }) => [1000 * t, ...e, ...w_N])));
    assert.ok(Math.abs(read.end - 4.9) < 1e-12, `${head}: ${read.end}`);
    assert.match(read.assumed.join(), /in ms, shown in seconds.*space components: found by the turns/, head);
  }
  assert.match((await csv(tableOf(['timestamp', ...e4], rows.map(({ t, e }) => [t, ...e])))).assumed.join(), /timestamp: assumed seconds/);
  await assert.rejects(csv(tableOf(['t [fortnight]', ...e4], rows.map(({ t, e }) => [t, ...e]))), /time in \[fortnight\]; known: s, /);
  for (const heads of [['wx_body [deg/s]', 'wy_body [deg/s]', 'wz_body [deg/s]'], ['wx_body_deg_s', 'wy_body_deg_s', 'wz_body_deg_s']]) {
    const read = await csv(tableOf(['t', ...e4, ...heads], rows.map(({ t, e, w_B }) => [t, ...e, ...w_B.map((x) => (x * 180) / Math.PI)])));
    near(read.bodies[0].rate(7), [0, 0.48, 0.14]);
    assert.deepEqual(read.assumed, []);
  }
  const odd = await csv(tableOf(['t', ...e4, 'wx [furlong]', 'wy [furlong]', 'wz [furlong]'], rows.map(({ t, e, w_N }) => [t, ...e, ...w_N])));
  assert.equal(odd.bodies[0].w, null);
  assert.match(odd.assumed.join(), /left out, for \[furlong\] is no unit of a rate/);
});

test('rates that are called otherwise than the attitudes turn are told; rows too far apart tell nothing', async () => {
  const rows = tilted(50, 0.1);
  const lie = await csv(tableOf(['t', ...e4, 'wx_body', 'wy_body', 'wz_body'], rows.map(({ t, e, w_N }) => [t, ...e, ...w_N])));
  assert.match(lie.assumed.join(), /wx_body wy_body wz_body: read as body components, as they are called, but the attitudes turn otherwise: as if these were space components/);
  const true_ = await csv(tableOf(['t', ...e4, 'wx_space', 'wy_space', 'wz_space'], rows.map(({ t, e, w_N }) => [t, ...e, ...w_N])));
  assert.deepEqual(true_.assumed, []);
  const far = await csv(tableOf(['t', ...e4, 'omega_x', 'omega_y', 'omega_z'], tilted(9, 7).map(({ t, e, w_N }) => [t, ...e, ...w_N])));
  assert.match(far.assumed.join(), /omega_x omega_y omega_z: assumed body components, for the rows lie too far apart to tell/);
});

test('a row without an attitude has none: it is no upright body; attitudes of another length are scaled, and that is said', async () => {
  const rows = tilted(50, 0.1);
  const holed = rows.map(({ t, e, w_B }, i) => [t, ...(i >= 20 && i < 30 ? ['', '', '', ''] : e), ...w_B]);
  const read = await csv(tableOf(['t', ...e4, 'wx', 'wy', 'wz'], holed));
  const track = read.bodies[0];
  for (const t of [2.0, 2.45, 2.93]) assert.ok(Number.isNaN(track.pose(t).e_NB[0]), `${t}`);
  assert.ok(Math.abs(track.pose(1.0).e_NB[0] - rows[10].e[0]) < 1e-12);
  // and the hole does not spoil what the other rows tell
  assert.match(read.assumed.join(), /wx wy wz are body components: found by the turns/);
  const zero = await csv(tableOf(['t', ...e4], rows.map(({ t, e }, i) => [t, ...(i === 3 ? [0, 0, 0, 0] : e)])));
  assert.ok(Number.isNaN(zero.bodies[0].pose(rows[3].t).e_NB[0]));
  assert.match(zero.assumed.join(), /all four are 0 in 1 of 50 rows/);
  const twice = await csv(tableOf(['t', ...e4, 'wx', 'wy', 'wz'], rows.map(({ t, e, w_B }) => [t, ...e.map((x) => 2 * x), ...w_B])));
  assert.match(twice.assumed.join(), /attitudes: of length 2 to 2, scaled to 1/);
  const { quantitiesOf } = await load('quantities');
  const curves = quantitiesOf(twice, twice.bodies[0]).find(({ id }) => id === 'rate-space').curves();
  assert.ok(Math.abs(curves[2].values[9] - 0.5) < 1e-12, `${curves[2].values[9]}`);
});

test('a table may have quotes, capitals, a separator at the end; decimal commas among commas are told as such', async () => {
  const rows = tilted(50, 0.1);
  const quoted = await csv(tableOf(['"t"', ...e4.map((x) => `"${x}"`)], rows.map(({ t, e }) => [t, ...e].map((x) => `"${x}"`))));
  assert.equal(quoted.bodies.length, 1);
  const capitals = await csv(tableOf(['Time', 'QW', 'QX', 'QY', 'QZ', 'Wx', 'Wy', 'Wz'], rows.map(({ t, e, w_N }) => [t, ...e, ...w_N])));
  assert.match(capitals.assumed.join(), /Wx Wy Wz are space components/);
  const tail = await csv(tableOf(['t', ...e4], rows.map(({ t, e }) => [t, ...e, ''])));
  assert.equal(tail.t.length, 50);
  await assert.rejects(csv('t,qw,qx,qy,qz\n0,1,0,0,0\n0,1,0,995,0,099,0,0\n'), /line 3: 8 cells, and 5 names above; decimal commas\?/);
});

test('the clock has the digits that tell a moment from its neighbours', async () => {
  const late = await csv('t,qw,qx,qy,qz\n1700000000,1,0,0,0\n1700000005,1,0,0,0\n1700000010,1,0,0,0\n');
  assert.notEqual(late.clock(1700000002.5), late.clock(1700000002.6));
  assert.equal(result.clock(2.5), '2.5');
});

test('a joint is one whichever of its bodies is the ground; up, floor and springs come with the head, and older heads have none', async () => {
  const { quantitiesOf } = await load('quantities');
  const of = async (name) => decode.readBlock(block(readText(pageOf(name))));
  const bricard = await of('bricard');
  assert.equal(bricard.joints.length, 6);
  assert.deepEqual([bricard.joints[5].first, bricard.joints[5].second], [4, -1]);
  const ids = quantitiesOf(bricard, bricard.bodies[0]).map((quantity) => quantity.id);
  assert.ok(ids.includes('hinge6/angle') && ids.includes('hinge6/moment'));
  assert.match(quantitiesOf(bricard, bricard.bodies[0]).find(({ id }) => id === 'hinge6/force').name, /force on the ground/);
  const governor = await of('flyball-governor');
  assert.deepEqual(governor.springs.map(({ kind, first, second, on_first }) => [kind, first, second, on_first]), [['spring', 1, 3, [0, 0, 0.2]], ['spring', 2, 3, [0, 0, 0.2]]]);
  assert.deepEqual(governor.up, [0, 0, 1]);
  assert.deepEqual(governor.bodies.map(({ body }) => body.shaped), [true, false, false, true]);
  assert.equal(governor.bodies[1].body.parts[0].shape, 'sphere', 'a ball on an arm');
  assert.deepEqual((await of('n-four-bar')).up, [0, 1, 0]);
  const coin = await of('rolling-coin');
  assert.deepEqual(coin.floor, { point: [0, 0, 0], normal: [0, 0, 1] });
  assert.deepEqual(coin.otherFloors, []);
  // each plane once, whichever side of it something rolls on
  const disc = (name, position, quaternion) =>
    `[[bodies]]\nname = "${name}"\nshape = "cylinder"\nmass = 1\nradius = 0.5\nlength = 0.1\nposition = [${position}]\nquaternion_wxyz = [${quaternion}]\nw_body = [0, 0, 0]\n`;
  const lying = '0.7071067811865476, 0.7071067811865476, 0, 0'; // its axis along -y
  const rolls = (name, plane) => `[[rolling]]\nname = "${name}-rolls"\nbody = "${name}"\nradius = 0.5\n${plane}\n`;
  const floors = 'title = "floors"\n[run]\nduration = 0.1\n' +
    disc('a', '0, 0, 0.5', lying) + disc('b', '3, 0, 0.5', lying) + disc('c', '6, 0, 2.5', lying) + disc('d', '9, 0, -0.5', lying) + disc('e', '11.5, 0, 9', lying) +
    rolls('a', '') + rolls('b', 'plane_point = [7, 7, 0]') + rolls('c', 'plane_point = [0, 0, 2]') + rolls('d', 'plane_normal = [0, 0, -1]') + rolls('e', 'plane_point = [11, 0, 0]\nplane_normal = [1, 0, 0]');
  const planes = await decode.readBlock(block(readText(pageOf('floors', floors))));
  assert.deepEqual(planes.floor, { point: [0, 0, 0], normal: [0, 0, 1] });
  assert.deepEqual(planes.otherFloors, [{ point: [0, 0, 2], normal: [0, 0, 1] }, { point: [11, 0, 0], normal: [1, 0, 0] }]);
  // one body too, by its loads
  const held = 'title = "x"\n[body]\nmass = 1\nprincipal_moments = [1, 2, 3]\nmass_centre = [0, 0, 1]\nfixed_point = [0, 0, 0]\n[initial]\nw_body = [0, 0, 1]\n[run]\nduration = 0.1\n' +
    '[[load]]\nkind = "gravity"\ng_space = [9.81, 0, 0]\n[[load]]\nkind = "spring"\nstiffness = 1\nanchor_space = [0, 0, 2]\nat_body = [0, 1, 0]\n';
  const one = await decode.readBlock(block(readText(pageOf('held', held))));
  assert.deepEqual(one.up, [-1, 0, 0]);
  assert.deepEqual(one.springs, [{ kind: 'spring', first: -1, on_first: [0, 0, 2], second: 0, on_second: [0, 1, 0] }]);
  for (const name of ['run.plog', 'results.csv']) {
    const again = await decode.readFile(file(`${folder}/flyball-governor.run/${name}`, name));
    assert.deepEqual(again.springs, governor.springs, name);
    assert.deepEqual(again.bodies[1].body, governor.bodies[1].body, name);
  }
  const old = chain(['arm', 'hand'], 11);
  const plain = await decode.readBlock(block(pageWith(page, old)));
  assert.deepEqual([plain.up, plain.floor, plain.springs], [[0, 0, 1], null, []]);
  // only what has the form that is wanted gets in
  old.head.scene = { up_N: [0, 'x', 1], floor: { point: [0, 0] }, other_floors: [7, null, { point: [0, 0, 0], normal: [0, 0, 0] }], springs: [{ kind: 'spring', first: -1, second: -1, on_first: [0, 0, 0], on_second: [0, 0, 0] }, null, 7] };
  const broken = await decode.readBlock(block(pageWith(page, old)));
  assert.deepEqual([broken.up, broken.floor, broken.otherFloors, broken.springs], [[0, 0, 1], null, [], []]);
});

test('a shape reaches as far along any direction as its farthest point', async () => {
  const { reachAlong } = await load('outline');
  const { rotate, normalized } = await load('rotation');
  const next = random(7);
  const shapes = { box: [1, 2, 3], ellipsoid: [1, 2, 3], sphere: [1.5], cylinder: [0.5, 2], capsule: [0.5, 2], tube: [1, 0.5, 2], cone: [1, 2] };
  /** Points all over the rim of a shape, axes of revolution along z. */
  const rim = (shape, [a, b, c]) => {
    const points = [];
    for (let i = 0; i < 120; i++) {
      for (let k = 0; k <= 60; k++) {
        const [u, v] = [(Math.PI * i) / 60, (Math.PI * k) / 60];
        const on = [Math.sin(v) * Math.cos(u), Math.sin(v) * Math.sin(u), Math.cos(v)];
        if (shape === 'box') points.push([a, b, c].map((x, n) => (Math.sign(on[n]) * x) / 2));
        if (shape === 'ellipsoid') points.push([a * on[0], b * on[1], c * on[2]]);
        if (shape === 'sphere') points.push(on.map((x) => a * x));
        if (shape === 'cylinder') points.push([a * Math.cos(u), a * Math.sin(u), k % 2 ? b / 2 : -b / 2]);
        if (shape === 'tube') points.push([a * Math.cos(u), a * Math.sin(u), k % 2 ? c / 2 : -c / 2]);
        if (shape === 'capsule') points.push([a * on[0], a * on[1], a * on[2] + (k > 30 ? -b / 2 : b / 2)]);
        if (shape === 'cone') points.push(k % 2 ? [0, 0, b] : [a * Math.cos(u), a * Math.sin(u), 0]);
      }
    }
    return points;
  };
  for (const [shape, lengths] of Object.entries(shapes)) {
    for (let trial = 0; trial < 20; trial++) {
      const e_BC = normalized([next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5]);
      const d = rotate(normalized([next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5]), [0, 0, 1]);
      const [r_BC_B, reference_B] = [[next(), next(), next()], [next(), next(), next()]];
      const part = { shape, lengths, e_BC, r_BC_B, hole: false, surface: null };
      const reach = reachAlong({ body: { parts: [part], reference_B }, points: [] }, d);
      const most = Math.max(...rim(shape, lengths).map((p) => rotate(e_BC, p).reduce((sum, x, n) => sum + d[n] * (x + r_BC_B[n] - reference_B[n]), 0)));
      // points of the rim are 3 degrees apart
      assert.ok(reach >= most - 1e-12 && reach < most + 3 * 2e-3, `${shape}: ${reach} and ${most}`);
    }
  }
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
