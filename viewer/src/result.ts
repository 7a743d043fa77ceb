// What the page shows: one run, its columns as typed arrays, and its bodies as tracks over these columns.
import { counted } from './counted';
import { doubtOf, readingOf } from './convention';
import { readable } from './dom';
import { addStandIns } from './outline';
import { between, length, normalized, rotateBack, rotate, scale, turnBetween, type Quat, type Vec } from './rotation';

export interface Column {
  name: string;
  unit: string;
  meaning: string;
  values: Float64Array;
}

export interface EventRecord {
  name: string;
  t: number;
}

/** Triangles of a mesh: x, y, z of its points, and the indices of three points a triangle. */
export interface Surface {
  points: Float32Array;
  triangles: Uint32Array;
}

/** A shape welded to a body: its own frame C has the attitude e_BC and its origin at r_BC_B. */
export interface Part {
  shape: string;
  lengths: number[];
  e_BC: Quat;
  r_BC_B: Vec;
  hole: boolean;
  /** Of a mesh. */
  surface: Surface | null;
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
  /** Its parts are how it looks; otherwise one that has its moments stands for it. */
  shaped: boolean;
}

/** A joint: its frame on each of two bodies, in the frame of that body; −1 is the ground, whose frame is space. */
export interface Joint {
  name: string;
  kind: string;
  first: number;
  second: number;
  r_first: Vec;
  e_first: Quat;
  r_second: Vec;
  e_second: Quat;
}

/** A spring or a bushing between points of two bodies; −1 is the ground. */
export interface Spring {
  kind: string;
  first: number;
  on_first: Vec;
  second: number;
  on_second: Vec;
}

/** Something rolls on it. */
export interface Plane {
  point: Vec;
  normal: Vec;
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
  place_error_m?: number | null;
  place_error_allowed_m?: number | null;
  error_found_by: string;
  declared_order?: number;
  observed_order?: number | null;
  evidence?: Evidence[];
  notes?: string[];
}

export interface WordTable {
  caption: string;
  heads: string[];
  rows: string[][];
  row_classes?: string[];
}

/** What a page says besides head and rows. */
export interface Words {
  verdict?: string;
  reason?: string;
  summary?: [string, string][];
  tables?: WordTable[];
  notes?: string[];
  commands?: string[];
  /** Of so many rows the page holds one. */
  every?: number;
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
  joints?: unknown[];
  scene?: unknown;
  certificate?: Certificate | null;
  /** Which kind of page shows it. */
  page?: string;
  words?: Words;
}

type Triple = [Float64Array, Float64Array, Float64Array];
type Quadruple = [Float64Array, Float64Array, Float64Array, Float64Array];

/** State of one body at one moment. */
export interface Pose {
  e_NB: Quat;
  w_B: Vec;
  w_N: Vec;
  /** Null where the result does not know it. */
  h_N: Vec | null;
  tau_N: Vec | null;
  r_N: Vec;
}

/** A body along time. */
export class Track {
  constructor(
    readonly body: Body,
    /** What its columns begin with: "arm.", or nothing. */
    readonly prefix: string,
    readonly t: Float64Array,
    readonly e: Quadruple,
    readonly w: Triple | null,
    readonly h: Triple | null,
    readonly r: Triple | null,
  ) {}

  /** Of length 1 whatever the columns hold; NaN in a row without an attitude. */
  attitude(row: number): Quat {
    const [a, b, c, d] = this.e;
    return normalized([a[row]!, b[row]!, c[row]!, d[row]!]);
  }
  rate(row: number): Vec | null {
    return this.w && [this.w[0][row]!, this.w[1][row]!, this.w[2][row]!];
  }
  /** As the result has it, or Jω. */
  momentum(row: number): Vec | null {
    if (this.h) return [this.h[0][row]!, this.h[1][row]!, this.h[2][row]!];
    const { moments, e_BP } = this.body;
    const w_B = this.rate(row);
    if (!moments || !w_B) return null;
    const w_P = rotateBack(e_BP, w_B);
    return rotate(this.attitude(row), rotate(e_BP, [moments[0] * w_P[0], moments[1] * w_P[1], moments[2] * w_P[2]]));
  }
  position(row: number): Vec {
    return this.r ? [this.r[0][row]!, this.r[1][row]!, this.r[2][row]!] : [0, 0, 0];
  }
  /** Rate of change of the momentum, by differences of rows: what acts from outside. Rounding is no torque. */
  torque(row: number): Vec | null {
    const last = this.t.length - 1;
    // over rows of the same time
    let [i, k] = [row, row];
    while (i > 0 && this.t[i] === this.t[row]) i--;
    while (k < last && this.t[k] === this.t[row]) k++;
    const a = this.momentum(i);
    const b = this.momentum(k);
    const dt = this.t[k]! - this.t[i]!;
    if (!a || !b || !(dt > 0)) return null;
    const d: Vec = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const size = Math.hypot(...a) + Math.hypot(...b);
    return Math.hypot(...d) > 1e-8 * size ? [d[0] / dt, d[1] / dt, d[2] / dt] : [0, 0, 0];
  }

  /** Attitude and position only, the part u of the way from a row to the next: for many bodies at once. */
  stance({ row, u }: Moment): { e_NB: Quat; r_N: Vec } {
    if (u === 0) return { e_NB: this.attitude(row), r_N: this.position(row) };
    const next = Math.min(row + 1, this.t.length - 1);
    const e_NB = between(this.attitude(row), this.attitude(next), this.rate(row), this.rate(next), this.t[next]! - this.t[row]!, u);
    if (!this.r) return { e_NB, r_N: [0, 0, 0] };
    const [x, y, z] = this.r;
    return { e_NB, r_N: [mixed(x, row, next, u), mixed(y, row, next, u), mixed(z, row, next, u)] };
  }

  /** ω', zero where it is not known. */
  rateAt({ row, u }: Moment): Vec {
    if (!this.w) return [0, 0, 0];
    const next = Math.min(row + 1, this.t.length - 1);
    const [x, y, z] = this.w;
    return [mixed(x, row, next, u), mixed(y, row, next, u), mixed(z, row, next, u)];
  }

  /** The first row in which it turns, or −1. */
  get firstTurn(): number {
    return this.w ? this.t.findIndex((_, row) => Math.hypot(...this.rate(row)!) > 0 && Number.isFinite(this.attitude(row)[0])) : -1;
  }

  /** At a time between rows. */
  pose(t: number): Pose {
    const moment = locate(this.t, t);
    const { row, u } = moment;
    const next = Math.min(row + 1, this.t.length - 1);
    const { e_NB, r_N } = this.stance(moment);
    const mix = (a: Vec | null, b: Vec | null): Vec | null =>
      a && b && [a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2])];
    const w_B = this.rateAt(moment);
    return {
      e_NB,
      w_B,
      w_N: rotate(e_NB, w_B),
      h_N: mix(this.momentum(row), this.momentum(next)),
      tau_N: mix(this.torque(row), this.torque(next)),
      r_N,
    };
  }
}

const mixed = (values: Float64Array, row: number, next: number, u: number): number => values[row]! + u * (values[next]! - values[row]!);

/** A row, and how far a time is into the interval after it. */
export interface Moment {
  row: number;
  u: number;
}

/** The row at or before t, and how far t is into the interval after it. */
export function locate(times: Float64Array, t: number): Moment {
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

/** To rad/s. */
const rateFactors: Record<string, number> = {
  'rad/s': 1, 'rad s-1': 1, 'deg/s': Math.PI / 180, '°/s': Math.PI / 180, 'degree/s': Math.PI / 180, 'degrees/s': Math.PI / 180, dps: Math.PI / 180,
  rpm: Math.PI / 30, 'rev/s': 2 * Math.PI,
};

export class Result {
  readonly bodies: Track[];
  readonly joints: Joint[];
  readonly springs: Spring[];
  readonly floor: Plane | null;
  /** Other planes that something rolls on. */
  readonly otherFloors: Plane[];
  /** Which way is up: against gravity, or off the plane that something rolls on. A unit vector. */
  readonly up: Vec;
  /** Turns the picture so that up is z. */
  readonly e_UN: Quat;
  readonly t: Float64Array;
  /** What the file does not say and was taken for granted, in words. */
  readonly assumed: string[];
  private readonly byName: Map<string, Column>;
  constructor(
    readonly head: Head,
    readonly columns: Column[],
    readonly events: EventRecord[],
    /** Where it was read from, in words. */
    readonly source: string,
    /** Rows from here on are in single precision; the number of rows where none are. */
    readonly exactRows: number,
    assumed: string[] = [],
  ) {
    this.t = columns[0]!.values;
    this.assumed = [...assumed];
    // the first of a name counts
    this.byName = new Map([...columns].reverse().map((column) => [column.name, column]));
    const shapes = head.bodies?.length ? head.bodies : [null];
    const surfaces: (Surface | null)[] = [];
    const tracks = shapes.map((shape) => this.trackOf(bodyOf(shape, surfaces), shapes.length === 1));
    this.bodies = tracks.filter((track) => track !== null);
    // joints name bodies by their index in the list: without all of them no joint is drawn
    const all = this.bodies.length === shapes.length;
    this.joints = all ? jointsOf(head.joints, shapes.length) : [];
    const { up_N, floor, other_floors, springs } = (head.scene ?? {}) as Record<string, unknown>;
    this.up = isVec(up_N) && length(up_N) > 0 ? (scale(1 / length(up_N), up_N).map((x) => x + 0) as Vec) : [0, 0, 1]; // no −0
    this.e_UN = turnBetween(this.up, [0, 0, 1]);
    this.floor = planeOf(floor);
    this.otherFloors = (Array.isArray(other_floors) ? (other_floors as unknown[]) : []).map(planeOf).filter((plane) => plane !== null);
    this.springs = all ? springsOf(springs, shapes.length) : [];
    addStandIns(this.bodies.map((track) => track.body), this.joints);
  }
  get start(): number {
    return this.t[0] ?? 0;
  }
  get end(): number {
    return this.t[this.t.length - 1] ?? 0;
  }
  /** A moment in words: as many digits as tell it from its neighbours. */
  clock(t: number): string {
    const { start, end } = this;
    const far = Math.log10(Math.max(Math.abs(start), Math.abs(end)) / (end - start));
    return readable(t, Math.min(15, 6 + Math.max(0, Math.floor(far > 0 ? far : 0))));
  }
  /** Whether there is more than one body without joints. */
  get mechanism(): boolean {
    return this.bodies.length > 1 || this.joints.length > 0;
  }
  column(name: string): Column | undefined {
    return this.byName.get(name);
  }
  /** The first names that are all there. */
  private named(prefix: string, ...choices: string[][]): Float64Array[] | null {
    for (const names of choices) {
      const found = this.columnsOf(prefix, names);
      if (found) return found.map((column) => column.values);
    }
    return null;
  }
  /** Columns of these names, all of them or none; a table of others may write them in capitals. */
  private columnsOf(prefix: string, names: string[]): Column[] | null {
    const exact = names.map((name) => this.column(prefix + name));
    if (exact.every((column) => column !== undefined)) return exact as Column[];
    if (this.head.version !== '') return null;
    const found = names.map((name) => this.columns.find((column) => column.name.toLowerCase() === (prefix + name).toLowerCase()));
    return found.every((column) => column !== undefined) ? (found as Column[]) : null;
  }
  private trackOf(body: Body, alone: boolean): Track | null {
    for (const prefix of alone ? [`${body.name}.`, ''] : [`${body.name}.`]) {
      const e = this.named(prefix, ['e0', 'e1', 'e2', 'e3'], ['qw', 'qx', 'qy', 'qz'], ['q0', 'q1', 'q2', 'q3'], ['q_w', 'q_x', 'q_y', 'q_z']);
      if (!e) continue;
      const w = this.ratesOf(prefix, e as Quadruple);
      if (this.head.version === '' && !w) this.assumed.push('attitudes: assumed to take body to space');
      if (this.head.version === '') this.checkNorms(e as Quadruple);
      if (this.column(`${prefix}q0`) && e[0] === this.column(`${prefix}q0`)!.values) this.assumed.push('q0: assumed the scalar part');
      const h = this.named(prefix, ['hx_space_Nms', 'hy_space_Nms', 'hz_space_Nms']);
      const r = this.named(prefix, ['rx_space_m', 'ry_space_m', 'rz_space_m'], ['x_space_m', 'y_space_m', 'z_space_m']);
      return new Track(body, prefix, this.t, e as Quadruple, w as Triple | null, h as Triple | null, r as Triple | null);
    }
    return null;
  }

  /** Says where attitudes of others are not of length 1: they are scaled. */
  private checkNorms(e: Quadruple): void {
    let [low, high, none] = [Infinity, 0, 0];
    this.t.forEach((_, row) => {
      const n = Math.hypot(e[0][row]!, e[1][row]!, e[2][row]!, e[3][row]!);
      if (n === 0) none++;
      if (n > 0) [low, high] = [Math.min(low, n), Math.max(high, n)];
    });
    if (none > 0) this.assumed.push(`attitudes: all four are 0 in ${none} of ${counted(this.t.length, 'row')}, where nothing is shown`);
    if (high > 1.01 || low < 0.99) this.assumed.push(`attitudes: of length ${readable(low, 4)} to ${readable(high, 4)}, scaled to 1`);
  }

  /** Rates in body components. Columns that do not say whose components they hold are read as the attitudes turn; attitudes
   *  that prove to take space to body are turned round in place. */
  private ratesOf(prefix: string, e: Quadruple): Float64Array[] | null {
    const names = (begin: string, end: string): string[] => [...'xyz'].map((axis) => `${begin}${axis}${end}`);
    const find = (...choices: string[][]): Column[] | null => {
      for (const one of choices) {
        const columns = this.columnsOf(prefix, one);
        if (columns) return columns;
      }
      return null;
    };
    const ours = find(names('w', '_body_rad_s'));
    if (ours) return ours.map((column) => column.values);
    const body = find(names('w', '_body_deg_s'), names('w', '_body'), names('w_body_', ''));
    const space = find(names('w', '_space_rad_s'), names('w', '_space_deg_s'), names('w', '_space'), names('w_space_', ''), names('w_world_', ''));
    const given = body ?? space ?? find(names('w', ''), names('omega_', ''), names('angular_velocity.', ''));
    if (!given) return null;
    const called = given.map((column) => column.name).join(' ');
    const unit = /_deg_s$/.test(given[0]!.name) ? 'deg/s' : given[0]!.unit;
    const factor = rateFactors[unit.toLowerCase()] ?? (unit === '' ? undefined : NaN);
    if (Number.isNaN(factor)) {
      this.assumed.push(`${called}: left out, for [${unit}] is no unit of a rate known here (${Object.keys(rateFactors).join(', ')})`);
      return null;
    }
    const attitude = (row: number): Quat => normalized([e[0][row]!, e[1][row]!, e[2][row]!, e[3][row]!]);
    const rate = (row: number): Vec => scale(factor ?? 1, [given[0]!.values[row]!, given[1]!.values[row]!, given[2]!.values[row]!]);
    const named = body || space ? { inverse: false, space: !body, degrees: false } : null;
    const { reading, assumed } = named
      ? { reading: named, assumed: doubtOf(this.t, attitude, rate, called, named) }
      : readingOf(this.t, attitude, rate, called, factor !== undefined);
    if (assumed) this.assumed.push(assumed);
    if (reading.inverse) for (const k of [1, 2, 3] as const) e[k] = e[k].map((x) => -x);
    const out = given.map(({ values }) => new Float64Array(values.length));
    for (let row = 0; row < this.t.length; row++) {
      const w = scale(reading.degrees ? Math.PI / 180 : 1, rate(row));
      (reading.space ? rotateBack(attitude(row), w) : w).forEach((x, k) => (out[k]![row] = x));
    }
    return out;
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
  shaped: true,
};

/** As io/result.cpp writes it: two texts of numbers, or the index of a surface that came before. */
function surfaceOf(json: unknown, read: (Surface | null)[]): Surface | null {
  if (typeof json === 'number') return read[json] ?? null;
  const { points, triangles } = (json ?? {}) as Record<string, unknown>;
  if (typeof points !== 'string' || typeof triangles !== 'string') return null;
  const surface = { points: Float32Array.from(points.split(' '), Number), triangles: Uint32Array.from(triangles.split(' '), Number) };
  const count = surface.points.length / 3;
  const whole = Number.isInteger(count) && surface.triangles.length % 3 === 0;
  const sound = whole && surface.points.every((x) => Number.isFinite(x)) && surface.triangles.every((n) => n < count);
  read.push(sound ? surface : null);
  return sound ? surface : null;
}

/** Only what has the form that is wanted gets in. */
function bodyOf(json: unknown, surfaces: (Surface | null)[]): Body {
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
      surface: 'surface' in one ? surfaceOf(one['surface'], surfaces) : null,
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
    shaped: given['shaped'] !== false,
  };
}

/** Whether a joint or a spring can be between these two: bodies of the list or, one of them, the ground. */
function arePair(first: unknown, second: unknown, bodies: number): boolean {
  const isBody = (x: unknown): boolean => Number.isInteger(x) && (x as number) >= -1 && (x as number) < bodies;
  return isBody(first) && isBody(second) && (first as number) + (second as number) > -2;
}

function springsOf(list: unknown, bodies: number): Spring[] {
  const springs: Spring[] = [];
  for (const one of Array.isArray(list) ? (list as Record<string, unknown>[]) : []) {
    const { kind, first, on_first, second, on_second } = one ?? {};
    if (typeof kind !== 'string' || !arePair(first, second, bodies) || !isVec(on_first) || !isVec(on_second)) continue;
    springs.push({ kind, first: first as number, on_first, second: second as number, on_second });
  }
  return springs;
}

function planeOf(json: unknown): Plane | null {
  const { point, normal } = (json ?? {}) as Record<string, unknown>;
  return isVec(point) && isVec(normal) && length(normal) > 0 ? { point, normal: scale(1 / length(normal), normal) } : null;
}

function jointsOf(list: unknown[] | undefined, bodies: number): Joint[] {
  const joints: Joint[] = [];
  for (const one of Array.isArray(list) ? (list as Record<string, unknown>[]) : []) {
    const { name, kind, first, second, r_first, e_first, r_second, e_second } = one ?? {};
    if (typeof name !== 'string' || typeof kind !== 'string' || !arePair(first, second, bodies)) continue;
    if (!isVec(r_first) || !isQuat(e_first) || !isVec(r_second) || !isQuat(e_second)) continue;
    joints.push({ name, kind, first: first as number, second: second as number, r_first, e_first, r_second, e_second });
  }
  return joints;
}
