// Rotations as the page needs them. Euler parameters e_NB are scalar first and take body components to space
// components, as everywhere in polhode; the formulas are those of src/polhode/rotation.

export type Vec = [number, number, number];
export type Quat = [number, number, number, number];

export const add = (a: Vec, b: Vec): Vec => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s: number, a: Vec): Vec => [s * a[0], s * a[1], s * a[2]];
export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec): number => Math.hypot(a[0], a[1], a[2]);

export const multiply = (a: Quat, b: Quat): Quat => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];
export const conjugate = (a: Quat): Quat => [a[0], -a[1], -a[2], -a[3]];
/** Of length 1; NaN where it is no attitude: zero, or not a number. */
export function normalized(a: Quat): Quat {
  const n = Math.hypot(a[0], a[1], a[2], a[3]);
  return n > 0 && n < Infinity ? [a[0] / n, a[1] / n, a[2] / n, a[3] / n] : [NaN, NaN, NaN, NaN];
}

/** v_N from v_B for a unit e_NB. */
export function rotate(e: Quat, v: Vec): Vec {
  const u: Vec = [e[1], e[2], e[3]];
  const t = scale(2, cross(u, v));
  return add(add(v, scale(e[0], t)), cross(u, t));
}
/** v_B from v_N. */
export const rotateBack = (e: Quat, v: Vec): Vec => rotate(conjugate(e), v);

/** Euler parameters of the turn by the vector x: axis x/|x|, angle |x|. */
export function exp(x: Vec): Quat {
  const angle = length(x);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), s * x[0], s * x[1], s * x[2]];
}

/** The shortest turn from one unit vector to another. */
export function turnBetween(a: Vec, b: Vec): Quat {
  const cosine = dot(a, b);
  if (cosine < -1 + 1e-12) {
    // half a turn about anything across
    const across = cross(a, Math.abs(a[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]);
    return [0, ...scale(1 / length(across), across)];
  }
  return normalized([1 + cosine, ...cross(a, b)]);
}

/** Rotation vector, 0 ≤ |x| ≤ π; e and −e give the same. */
export function rotationVector(e: Quat): Vec {
  const sign = e[0] < 0 ? -1 : 1;
  const sine = Math.hypot(e[1], e[2], e[3]);
  const factor = sine > 1e-300 ? (2 * Math.atan2(sine, sign * e[0])) / sine : 2;
  return scale(sign * factor, [e[1], e[2], e[3]]);
}

/** Modified Rodrigues parameters, the set with |x| ≤ 1. */
export function modifiedRodrigues(e: Quat): Vec {
  const n = Math.hypot(e[0], e[1], e[2], e[3]);
  const sign = e[0] < 0 ? -1 : 1;
  return scale(sign / (n + sign * e[0]), [e[1], e[2], e[3]]);
}

export interface Sequence {
  name: string;
  axes: [number, number, number];
  /** The first axis comes back. */
  proper: boolean;
}

export const sequences: Sequence[] = [
  '3-1-3', '3-2-3', '1-2-1', '1-3-1', '2-1-2', '2-3-2',
  '3-2-1', '3-1-2', '1-2-3', '1-3-2', '2-1-3', '2-3-1',
].map((name) => {
  const axes = name.split('-').map((digit) => Number(digit) - 1) as Vec;
  return { name, axes, proper: axes[0] === axes[2] };
});
export const sequenceOf = (name: string): Sequence => sequences.find((s) => s.name === name) ?? sequences[0]!;

/** +1 where the first two axes and the third one there is are cyclic. */
const signOf = (s: Sequence): number => ((s.axes[1] - s.axes[0] + 3) % 3 === 1 ? 1 : -1);

/** Angles of an intrinsic sequence: the second in [0, π] (proper) or [−π/2, π/2], the others in [−π, π]; (KIN-36, KIN-37).
 *  At lock the last one is 0. */
export function eulerAngles(s: Sequence, e: Quat): Vec {
  const [i, j] = s.axes;
  const l = 3 - i - j;
  const epsilon = signOf(s);
  const e0 = e[0];
  const ei = e[i + 1]!;
  const ej = e[j + 1]!;
  const el = epsilon * e[l + 1]!;
  const a = s.proper ? e0 : e0 - ej;
  const b = s.proper ? ei : ei - el;
  const c = s.proper ? ej : ej + e0;
  const d = s.proper ? el : ei + el;
  const ab = Math.hypot(a, b);
  const cd = Math.hypot(c, d);
  const theta2 = s.proper ? 2 * Math.atan2(cd, ab) : Math.atan2(2 * (e0 * ej + ei * el), ab * cd);
  const rounding = 4 * 2 ** -53 * (ab + cd);
  if (cd <= rounding || ab <= rounding) {
    let theta1 = 2 * (ab > cd ? Math.atan2(b, a) : Math.atan2(d, c));
    if (theta1 > Math.PI) theta1 -= 2 * Math.PI;
    if (theta1 < -Math.PI) theta1 += 2 * Math.PI;
    return [theta1, theta2, 0];
  }
  const theta1 = Math.atan2(b * c + a * d, a * c - b * d);
  const theta3 = Math.atan2(b * c - a * d, a * c + b * d);
  return [theta1, theta2, s.proper ? theta3 : -epsilon * theta3];
}

/** Determinant of the rate matrix: −sin θ2 or ε cos θ2; zero is gimbal lock (KIN-33). */
export const lockDeterminant = (s: Sequence, theta2: number): number =>
  s.proper ? -Math.sin(theta2) : signOf(s) * Math.cos(theta2);

/** Radians of θ2 from lock. */
export const distanceToLock = (s: Sequence, theta2: number): number => Math.asin(Math.min(1, Math.abs(lockDeterminant(s, theta2))));

/** Symbols of the angles in the order of the turns, as polhode draw has them. */
export const symbolsOf = (s: Sequence): [string, string, string] =>
  s.proper ? ['φ', 'θ', 'ψ'] : (s.axes.map((axis) => 'φθψ'[axis]!) as [string, string, string]);

/** The attitude at the part u of an interval of dt seconds between two rows. Where the body turns by more than half a
 *  turn between rows the rates at both ends say by how many, so a fast spin is not shown as a slow one. */
export function between(e0: Quat, e1: Quat, w0_B: Vec | null, w1_B: Vec | null, dt: number, u: number): Quat {
  let turn = rotationVector(multiply(conjugate(e0), e1));
  if (w0_B && w1_B) {
    const expected = scale(dt / 2, add(w0_B, w1_B));
    const size = length(turn);
    const want = length(expected);
    if (want > 2.5) {
      const axis = size > 1e-9 ? scale(1 / size, turn) : scale(1 / want, expected);
      const whole = Math.round((dot(expected, axis) - size) / (2 * Math.PI));
      turn = scale(size + 2 * Math.PI * whole, axis);
    }
  }
  return normalized(multiply(e0, exp(scale(u, turn))));
}
