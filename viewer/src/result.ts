// What the page shows: one run, its columns as typed arrays, and its bodies as tracks over these columns.
import { between, rotateBack, rotate, type Quat, type Vec } from './rotation';

export interface Column {
  name: string;
  unit: string;
  meaning: string;
  values: Float64Array;
}

export interface Happening {
  name: string;
  t: number;
}

/** A shape welded to a body: its own frame C has the attitude e_BC and its origin at r_BC_B. */
export interface Part {
  shape: string;
  lengths: number[];
  e_BC: Quat;
  r_BC_B: Vec;
  hole: boolean;
}

export interface Body {
  name: string;
  mass: number;
  /** Principal moments about the reference point, and the attitude of their axes in the body. */
  moments: Vec | null;
  e_BP: Quat;
  /** The point of the body that stands at r_N: the mass centre, or the point where the body is held. */
  reference_B: Vec;
  held: boolean;
  parts: Part[];
}

export interface Evidence {
  name: string;
  value: number | null;
  allowed: number;
  holds: boolean;
  meaning: string;
}

export interface Certificate {
  verdict: string;
  reason: string;
  accuracy_asked_rad: number;
  attitude_error_rad: number | null;
  error_found_by: string;
  declared_order?: number;
  observed_order?: number | null;
  evidence?: Evidence[];
  notes?: string[];
}

/** The head of a result as polhode writes it; all of it is text of others and goes to the page as text only. */
export interface Head {
  title: string;
  version: string;
  convention: string;
  scenario_file: string;
  scenario_sha256: string;
  formulation: string;
  integrator: string;
  portable: boolean;
  epoch: string;
  columns: { name: string; unit: string; meaning: string }[];
  events: string[];
  scenario: string;
  bodies?: unknown[];
  certificate?: Certificate | null;
  multiplier?: string;
}

type Triple = [Float64Array, Float64Array, Float64Array];
type Quadruple = [Float64Array, Float64Array, Float64Array, Float64Array];

/** State of one body at one moment. */
export interface Pose {
  e_NB: Quat;
  w_B: Vec;
  w_N: Vec;
  h_N: Vec;
  tau_N: Vec;
  r_N: Vec;
}

/** A body along time. */
export class Track {
  constructor(
    readonly body: Body,
    readonly t: Float64Array,
    readonly e: Quadruple,
    readonly w: Triple | null,
    readonly h: Triple | null,
    readonly r: Triple | null,
  ) {}

  attitude(row: number): Quat {
    const [a, b, c, d] = this.e;
    return [a[row]!, b[row]!, c[row]!, d[row]!];
  }
  rate(row: number): Vec | null {
    return this.w && [this.w[0][row]!, this.w[1][row]!, this.w[2][row]!];
  }
  momentum(row: number): Vec | null {
    return this.h && [this.h[0][row]!, this.h[1][row]!, this.h[2][row]!];
  }
  place(row: number): Vec {
    return this.r ? [this.r[0][row]!, this.r[1][row]!, this.r[2][row]!] : [0, 0, 0];
  }
  /** Rate of change of the momentum, by differences of rows: what acts from outside. Rounding is no torque. */
  torque(row: number): Vec {
    const last = this.t.length - 1;
    const i = Math.max(0, row - 1);
    const k = Math.min(last, row + 1);
    const a = this.momentum(i);
    const b = this.momentum(k);
    const dt = this.t[k]! - this.t[i]!;
    if (!a || !b || !(dt > 0)) return [0, 0, 0];
    const d: Vec = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const size = Math.hypot(...a) + Math.hypot(...b);
    return Math.hypot(...d) > 1e-8 * size ? [d[0] / dt, d[1] / dt, d[2] / dt] : [0, 0, 0];
  }

  /** At a time between rows. */
  pose(t: number): Pose {
    const { row, u } = locate(this.t, t);
    const next = Math.min(row + 1, this.t.length - 1);
    const dt = this.t[next]! - this.t[row]!;
    const w0 = this.rate(row);
    const w1 = this.rate(next);
    const e_NB = between(this.attitude(row), this.attitude(next), w0, w1, dt, u);
    const mix = (a: Vec, b: Vec): Vec => [a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2])];
    const w_B: Vec = w0 && w1 ? mix(w0, w1) : [0, 0, 0];
    const h0 = this.momentum(row);
    const h1 = this.momentum(next);
    return {
      e_NB,
      w_B,
      w_N: rotate(e_NB, w_B),
      h_N: h0 && h1 ? mix(h0, h1) : [0, 0, 0],
      tau_N: mix(this.torque(row), this.torque(next)),
      r_N: mix(this.place(row), this.place(next)),
    };
  }
}

/** The row at or before t, and how far t is into the interval after it. */
export function locate(times: Float64Array, t: number): { row: number; u: number } {
  const last = times.length - 1;
  if (last < 1 || t <= times[0]!) return { row: 0, u: 0 };
  if (t >= times[last]!) return { row: last, u: 0 };
  let low = 0;
  let high = last;
  // rows are mostly even: guess, then halve
  const guess = Math.floor(((t - times[0]!) / (times[last]! - times[0]!)) * last);
  if (times[guess]! <= t) low = guess;
  else high = guess;
  if (low + 1 <= last && times[low + 1]! > t) high = low + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle;
  }
  return { row: low, u: (t - times[low]!) / (times[low + 1]! - times[low]!) };
}

export class Result {
  readonly bodies: Track[];
  readonly t: Float64Array;
  constructor(
    readonly head: Head,
    readonly columns: Column[],
    readonly events: Happening[],
    /** Where it was read from, in words. */
    readonly source: string,
    /** Rows from here on are in single precision; the number of rows where none are. */
    readonly exactRows: number,
  ) {
    this.t = columns[0]!.values;
    const track = trackOf(this);
    this.bodies = track ? [track] : [];
  }
  get start(): number {
    return this.t[0] ?? 0;
  }
  get end(): number {
    return this.t[this.t.length - 1] ?? 0;
  }
  column(name: string): Column | undefined {
    return this.columns.find((column) => column.name === name);
  }
  /** The first names that are all there. */
  private named(...choices: string[][]): Float64Array[] | null {
    for (const names of choices) {
      const found = names.map((name) => this.column(name)?.values);
      if (found.every((values) => values !== undefined)) return found as Float64Array[];
    }
    return null;
  }
  attitudeColumns(): Quadruple | null {
    return this.named(
      ['e0', 'e1', 'e2', 'e3'],
      ['qw', 'qx', 'qy', 'qz'],
      ['q0', 'q1', 'q2', 'q3'],
      ['q_w', 'q_x', 'q_y', 'q_z'],
    ) as Quadruple | null;
  }
  rateColumns(): Triple | null {
    return this.named(['wx_body_rad_s', 'wy_body_rad_s', 'wz_body_rad_s'], ['wx_body', 'wy_body', 'wz_body'], [
      'wx',
      'wy',
      'wz',
    ]) as Triple | null;
  }
  momentumColumns(): Triple | null {
    return this.named(['hx_space_Nms', 'hy_space_Nms', 'hz_space_Nms']) as Triple | null;
  }
  placeColumns(): Triple | null {
    return this.named(['rx_space_m', 'ry_space_m', 'rz_space_m']) as Triple | null;
  }
}

const isVec = (x: unknown): x is Vec => Array.isArray(x) && x.length === 3 && x.every((n) => Number.isFinite(n));
const isQuat = (x: unknown): x is Quat => Array.isArray(x) && x.length === 4 && x.every((n) => Number.isFinite(n));

const plainBody: Body = {
  name: 'body',
  mass: 1,
  moments: null,
  e_BP: [1, 0, 0, 0],
  reference_B: [0, 0, 0],
  held: false,
  parts: [],
};

/** Only what has the form that is wanted gets in. */
function bodyOf(json: unknown): Body {
  if (typeof json !== 'object' || json === null) return plainBody;
  const given = json as Record<string, unknown>;
  const parts: Part[] = [];
  for (const one of Array.isArray(given['parts']) ? (given['parts'] as Record<string, unknown>[]) : []) {
    const lengths = one['lengths'];
    if (typeof one['shape'] !== 'string' || !Array.isArray(lengths) || !lengths.every((x) => Number.isFinite(x))) continue;
    parts.push({
      shape: one['shape'],
      lengths: lengths as number[],
      e_BC: isQuat(one['e_BC']) ? one['e_BC'] : [1, 0, 0, 0],
      r_BC_B: isVec(one['r_BC_B']) ? one['r_BC_B'] : [0, 0, 0],
      hole: one['hole'] === true,
    });
  }
  return {
    name: typeof given['name'] === 'string' ? given['name'] : 'body',
    mass: Number.isFinite(given['mass']) ? (given['mass'] as number) : 1,
    moments: isVec(given['principal_moments']) ? given['principal_moments'] : null,
    e_BP: isQuat(given['e_BP']) ? given['e_BP'] : [1, 0, 0, 0],
    reference_B: isVec(given['reference_B']) ? given['reference_B'] : [0, 0, 0],
    held: given['held'] === true,
    parts,
  };
}

function trackOf(result: Result): Track | null {
  const e = result.attitudeColumns();
  if (!e) return null;
  return new Track(
    bodyOf(result.head.bodies?.[0]),
    result.t,
    e,
    result.rateColumns(),
    result.momentumColumns(),
    result.placeColumns(),
  );
}

/** Momentum in body components. */
export const momentumBody = (pose: Pose): Vec => rotateBack(pose.e_NB, pose.h_N);
