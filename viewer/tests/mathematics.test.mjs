// The page computes attitudes as the program does, and thins curves without losing a spike.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, polhode, random } from './support.mjs';

const rotation = await load('rotation');
const { Pyramid, thin } = await load('pyramid');
const { locate } = await load('result');

const next = random(11);
const attitudes = Array.from({ length: 60 }, () => {
  const e = [0, 1, 2, 3].map(() => 2 * next() - 1);
  const n = Math.hypot(...e);
  return e.map((x) => x / n);
});
attitudes.push([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.6, 0.8], [0.5, -0.5, 0.5, 0.5]);
const table = attitudes.map((e) => e.join(',')).join('\n') + '\n';
const program = (representation) =>
  polhode(['convert', '--from', 'quaternion_wxyz', '--to', representation, '-i', '-', '--quiet'], table)
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));

/** Attitudes are the same within rounding of a few operations, grown by at most 1e3 near lock. */
const tolerance = 1e-12;
const worst = (a, b) => Math.max(...a.flatMap((row, i) => row.map((x, k) => Math.abs(x - b[i][k]))));
/** The same for angles, where −π and π are one. */
const worstAngle = (a, b) => Math.max(...a.flatMap((row, i) => row.map((x, k) => Math.abs(Math.sin((x - b[i][k]) / 2)))));

test('Euler angles of all 12 sequences are those of the program', () => {
  assert.equal(rotation.sequences.length, 12);
  for (const sequence of rotation.sequences) {
    const ours = attitudes.map((e) => rotation.eulerAngles(sequence, e));
    assert.ok(worstAngle(ours, program(`euler:${sequence.name}`)) < tolerance, sequence.name);
  }
});

test('another order of the turns is noticed', () => {
  const ours = attitudes.map((e) => rotation.eulerAngles(rotation.sequenceOf('3-2-1'), e));
  assert.ok(worstAngle(ours, program('euler:3-1-2')) > 0.1);
});

test('rotation vector and modified Rodrigues parameters are those of the program', () => {
  assert.ok(worst(attitudes.map(rotation.rotationVector), program('rotation_vector')) < tolerance);
  assert.ok(worst(attitudes.map(rotation.modifiedRodrigues), program('mrp')) < tolerance);
  const scalarLast = attitudes.map(([w, x, y, z]) => rotation.rotationVector([x, y, z, w]));
  assert.ok(worst(scalarLast, program('rotation_vector')) > 0.1);
});

test('turning a vector is what the matrix of the program does', () => {
  const matrices = program('matrix');
  const v = [0.3, -1.2, 0.7];
  const theirs = matrices.map((m) => [0, 1, 2].map((i) => m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]));
  assert.ok(worst(attitudes.map((e) => rotation.rotate(e, v)), theirs) < tolerance);
  assert.ok(worst(attitudes.map((e) => rotation.rotateBack(e, v)), theirs) > 0.1);
});

test('between two rows a fast spin is shown as fast, and without rates the short way is taken', () => {
  const w = [0, 0, 10];
  const after = rotation.exp(w);
  const part = rotation.between([1, 0, 0, 0], after, w, w, 1, 0.25);
  const expected = rotation.exp([0, 0, 2.5]);
  const near = (a, b) => Math.abs(Math.abs(a.reduce((sum, x, i) => sum + x * b[i], 0)) - 1);
  assert.ok(near(part, expected) < 1e-12);
  assert.ok(near(rotation.between([1, 0, 0, 0], after, null, null, 1, 0.25), expected) > 0.01);
  assert.ok(near(rotation.between([1, 0, 0, 0], after, w, w, 1, 1), after) < 1e-12);
});

test('lock is where the middle angle says', () => {
  const zyx = rotation.sequenceOf('3-2-1');
  const zxz = rotation.sequenceOf('3-1-3');
  assert.ok(rotation.distanceToLock(zyx, Math.PI / 2) < 1e-12);
  assert.ok(Math.abs(rotation.distanceToLock(zyx, 0) - Math.PI / 2) < 1e-12);
  assert.ok(rotation.distanceToLock(zxz, 0) < 1e-12);
  assert.ok(Math.abs(rotation.distanceToLock(zxz, 1) - 1) < 1e-12);
});

test('a row is found at once, wherever it is', () => {
  const times = Float64Array.from({ length: 1000 }, (_, i) => i + 0.4 * Math.sin(i));
  for (let i = 0; i < 999; i++) {
    assert.equal(locate(times, times[i]).row, i);
    const { row, u } = locate(times, 0.25 * times[i] + 0.75 * times[i + 1]);
    assert.equal(row, i);
    assert.ok(Math.abs(u - 0.75) < 1e-9);
  }
  assert.deepEqual(locate(times, -5), { row: 0, u: 0 });
  assert.deepEqual(locate(times, 5000), { row: 999, u: 0 });
});

test('a thinned curve keeps its spike, its ends and its size', () => {
  const n = 200_000;
  const t = Float64Array.from({ length: n }, (_, i) => i);
  const y = Float64Array.from({ length: n }, (_, i) => Math.sin(i / 500));
  y[123_457] = 7;
  const { data: [x, curve], columns } = thin(t, [new Pyramid(y)], 0, n - 1, 500);
  assert.ok(x.length <= 4 * 500 + 8 && x.length >= 500);
  assert.ok(columns);
  assert.equal(Math.max(...curve), 7);
  assert.equal(x[0], 0);
  assert.ok(x.every((value, i) => i === 0 || value >= x[i - 1]));
  const every = Math.max(...Array.from({ length: 1000 }, (_, i) => y[i * 200]));
  assert.ok(every < 7, 'every 200th row would have lost it');
  const { data: [few, rows], columns: bars } = thin(t, [new Pyramid(y)], 123_400, 123_500, 500);
  assert.equal(few.length, 101);
  assert.equal(rows[57], 7);
  assert.ok(!bars);
});

test('between all rows and the levels of the pyramid a column holds exactly its rows', () => {
  const n = 20_000;
  const t = Float64Array.from({ length: n }, (_, i) => i);
  const y = Float64Array.from({ length: n }, (_, i) => Math.sin(i * i));
  for (const rows of [1001, 1600, 4000, 7999]) {
    const first = 4321;
    const { data: [x, curve], columns } = thin(t, [new Pyramid(y)], first, first + rows - 1, 500);
    assert.ok(columns);
    assert.ok(x.length >= 2 * 500 && x.length <= 4 * 500 + 4, `${rows} rows became ${x.length} points`);
    for (let i = 0; i + 2 < x.length; i += 2) {
      const own = y.subarray(x[i], x[i + 2]);
      assert.equal(curve[i], Math.min(...own));
      assert.equal(curve[i + 1], Math.max(...own));
    }
  }
});

test('no line is drawn across a jump by a whole turn', () => {
  const t = Float64Array.from([0, 1, 2, 3]);
  const { data: [x, y] } = thin(t, [new Pyramid(Float64Array.from([170, 179, -179, -170]))], 0, 3, 100, 180);
  assert.deepEqual(y, [170, 179, null, -179, -170]);
  assert.deepEqual(x, [0, 1, 1.5, 2, 3]);
});
