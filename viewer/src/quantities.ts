// What can be plotted of a result. Curves are computed when they are asked for, and once.
import {
  eulerAngles, modifiedRodrigues, rotate, rotateBack, rotationVector, sequences, symbolsOf, type Quat, type Vec,
} from './rotation';
import type { Column, Joint, Result, Track } from './result';

export interface Curve {
  name: string;
  values: Float64Array;
  dashed?: boolean;
  /** Which colour of the palette; its index in the list where it says nothing. */
  colour?: number;
}

export interface Quantity {
  id: string;
  group: string;
  name: string;
  unit: string;
  /** Angles that jump by whole turns: no line is drawn across a jump of more than this. */
  jump?: number;
  /** Drawn on a logarithmic axis at first: the size of values, whatever their sign. */
  log?: boolean;
  /** A change below this part of its size is drawn as none; rounding, where it says nothing. */
  steady?: number;
  curves(): Curve[];
}

const degrees = 180 / Math.PI;

/** Three curves from a function of the rows. */
function three(rows: number, names: readonly string[], at: (row: number) => Vec, factor = 1): Curve[] {
  const curves = names.map((name) => ({ name, values: new Float64Array(rows) }));
  for (let row = 0; row < rows; row++) {
    const v = at(row);
    for (let k = 0; k < 3; k++) curves[k]!.values[row] = factor * v[k]!;
  }
  return curves;
}
const size = (rows: number, name: string, at: (row: number) => Vec): Curve => {
  const values = new Float64Array(rows);
  for (let row = 0; row < rows; row++) values[row] = Math.hypot(...at(row));
  return { name, values };
};

function ofAttitude(result: Result, track: Track): Quantity[] {
  const rows = result.t.length;
  const e = (row: number): Quat => track.attitude(row);
  const list: Quantity[] = [
    {
      id: 'euler-parameters',
      group: 'Attitude',
      name: 'Euler parameters',
      unit: '',
      curves: () => track.e.map((values, i) => ({ name: `e${'₀₁₂₃'[i]}`, values })),
    },
    {
      id: 'rotation-vector',
      group: 'Attitude',
      name: 'rotation vector',
      unit: '°',
      jump: 180,
      curves: () => three(rows, ['x', 'y', 'z'], (row) => rotationVector(e(row)), degrees),
    },
    {
      id: 'mrp',
      group: 'Attitude',
      name: 'modified Rodrigues parameters',
      unit: '',
      jump: 0.9,
      curves: () => three(rows, ['σ₁', 'σ₂', 'σ₃'], (row) => modifiedRodrigues(e(row))),
    },
    {
      id: 'directions',
      group: 'Attitude',
      name: result.up[2] === 1 ? 'height of the axes (z of space)' : 'height of the axes (along up)',
      unit: '',
      curves: () => three(rows, ['x', 'y', 'z'], (row) => rotateBack(e(row), result.up)),
    },
  ];
  for (const sequence of sequences) {
    list.push({
      id: `euler-${sequence.name}`,
      group: sequence.proper ? 'Euler angles, proper' : 'Euler angles, Tait-Bryan',
      name: `Euler angles ${sequence.name}`,
      unit: '°',
      jump: 180,
      curves: () => three(rows, symbolsOf(sequence), (row) => eulerAngles(sequence, e(row)), degrees),
    });
  }
  return list;
}

function ofRates(result: Result, track: Track): Quantity[] {
  const rows = result.t.length;
  const list: Quantity[] = [];
  if (track.w) {
    const rate = (row: number): Vec => track.rate(row)!;
    list.push(
      {
        id: 'rate-body',
        group: 'Rate',
        name: 'angular velocity, body',
        unit: 'rad/s',
        curves: () => [
          ...track.w!.map((values, i) => ({ name: `ω′${'xyz'[i]}`, values })),
          { ...size(rows, '|ω|', rate), dashed: true },
        ],
      },
      {
        id: 'rate-space',
        group: 'Rate',
        name: 'angular velocity, space',
        unit: 'rad/s',
        curves: () => [
          ...three(rows, ['ωx', 'ωy', 'ωz'], (row) => rotate(track.attitude(row), rate(row))),
          { ...size(rows, '|ω|', rate), dashed: true },
        ],
      },
    );
  }
  if (track.momentum(0)) {
    const momentum = (row: number): Vec => track.momentum(row)!;
    list.push(
      {
        id: 'momentum-space',
        group: 'Momentum',
        name: 'angular momentum, space',
        unit: 'N m s',
        curves: () => [
          ...three(rows, ['hx', 'hy', 'hz'], momentum),
          { ...size(rows, '|h|', momentum), dashed: true },
        ],
      },
      {
        id: 'momentum-body',
        group: 'Momentum',
        name: 'angular momentum, body',
        unit: 'N m s',
        curves: () => three(rows, ['h′x', 'h′y', 'h′z'], (row) => rotateBack(track.attitude(row), momentum(row))),
      },
      {
        id: 'torque',
        group: 'Momentum',
        name: 'torque from outside, space (rate of h)',
        unit: 'N m',
        curves: () => three(rows, ['τx', 'τy', 'τz'], (row) => track.torque(row) ?? [NaN, NaN, NaN]),
      },
    );
  }
  return list;
}

/** What columns of a joint hold, by the end of their names; a vector has its size as a curve more. SECOND stands for the
 *  name of its second body. */
const ofJoints: { key: string; end: RegExp; name: string; unit: string; factor?: number; jump?: number; vector?: boolean }[] = [
  { key: 'angle', end: /_rad$/, name: 'angle', unit: '°', factor: degrees, jump: 180 },
  { key: 'rate', end: /_rad_s$/, name: 'rate', unit: 'rad/s' },
  { key: 'acceleration', end: /_rad_s2$/, name: 'angular acceleration', unit: 'rad/s²' },
  { key: 'place', end: /_m$/, name: 'slide', unit: 'm' },
  { key: 'speed', end: /_m_s$/, name: 'speed of the slide', unit: 'm/s' },
  { key: 'slide-acceleration', end: /_m_s2$/, name: 'acceleration of the slide', unit: 'm/s²' },
  { key: 'force', end: /_N$/, name: 'force on SECOND, space', unit: 'N', vector: true },
  { key: 'moment', end: /_Nm$/, name: 'moment on SECOND, space', unit: 'N m', vector: true },
];

/** Coordinates and reactions of a joint. */
function ofJoint(joint: Joint, second: string, columns: Column[]): Quantity[] {
  const list: Quantity[] = [];
  for (const { key, end, name, unit, factor, jump, vector } of ofJoints) {
    const own = columns.filter((column) => end.test(column.name));
    if (own.length === 0) continue;
    list.push({
      id: `${joint.name}/${key}`,
      group: `Joint ${joint.name} (${joint.kind})`,
      name: `${joint.name}: ${name.replace('SECOND', () => second)}`,
      unit,
      ...(jump ? { jump } : {}),
      curves: () => {
        const curves: Curve[] = own.map((column) => ({
          name: column.name.slice(joint.name.length + 1).replace(/_(space_)?(rad|rad_s|rad_s2|m|m_s|m_s2|N|Nm)$/, ''),
          values: factor ? column.values.map((v) => factor * v) : column.values,
        }));
        if (vector && own.length === 3) {
          curves.push({ ...size(own[0]!.values.length, 'size', (row) => own.map((column) => column.values[row]!) as Vec), dashed: true });
        }
        return curves;
      },
    });
  }
  return list;
}

/** Columns that a quantity already shows. */
const shown =
  /^(t_s|t|time|e[0-3]|q[wxyz0-3]|w[xyz]_body_rad_s|h[xyz]_space_Nms|(energy_)?(kinetic|potential)_J|multiplier.*|residual_\w+|work_(supplied|dissipated)_J)$/;

function ofTheWhole(result: Result): Quantity[] {
  const list: Quantity[] = [];
  const kinetic = result.column('kinetic_J') ?? result.column('energy_kinetic_J');
  const potential = result.column('potential_J') ?? result.column('energy_potential_J');
  if (kinetic) {
    list.push({
      id: 'energy',
      group: 'Energy',
      name: 'energy',
      unit: 'J',
      curves: () => {
        const curves: Curve[] = [{ name: 'kinetic', values: kinetic.values }];
        if (potential) {
          const total = kinetic.values.map((T, i) => T + potential.values[i]!);
          curves.push({ name: 'potential', values: potential.values }, { name: 'total', values: total, dashed: true });
        }
        return curves;
      },
    });
  }
  /** Columns that belong into one plot. */
  const together = (quantity: Omit<Quantity, 'curves'>, names: Record<string, string>): void => {
    const found = Object.entries(names).filter(([column]) => result.column(column));
    if (found.length > 0) {
      list.push({ ...quantity, curves: () => found.map(([column, name]) => ({ name, values: result.column(column)!.values })) });
    }
  };
  together({ id: 'work', group: 'Energy', name: 'work', unit: 'J' }, { work_supplied_J: 'supplied', work_dissipated_J: 'dissipated' });
  together(
    { id: 'residuals', group: 'Constraints', name: 'residuals of the constraints [m, m/s, m/s²]', unit: '', log: true },
    { residual_position_m: 'position', residual_velocity_m_s: 'velocity', residual_acceleration_m_s2: 'acceleration' },
  );
  const multiplier = result.column('multiplier');
  if (multiplier) {
    const closed = result.column('multiplier_closed_form');
    list.push({
      id: 'multiplier',
      group: 'Multiplier',
      name: `multiplier of the norm${closed?.meaning ? `, closed form ${closed.meaning}` : ''}`,
      unit: 'J',
      steady: 1e-6, // as near as it must be to its closed form
      curves: () => [
        { name: 'λ', values: multiplier.values },
        ...(closed ? [{ name: 'closed form', values: closed.values, dashed: true }] : []),
      ],
    });
    if (closed) {
      list.push({
        id: 'multiplier-off',
        group: 'Multiplier',
        name: 'multiplier less its closed form',
        unit: 'J',
        log: true,
        curves: () => [{ name: 'λ − closed form', values: multiplier.values.map((v, i) => v - closed.values[i]!) }],
      });
    }
  }
  return list;
}

const balances: Record<string, [string, string]> = {
  energy_balance_J: ['energy error', 'ΔE'],
  momentum_balance_Nms: ['momentum error', '|Δh|'],
  norm_error: ['norm error |e| − 1', '|e| − 1'],
};

/** Columns that nothing above shows: errors, and what a user asked for. `prefix` is that of the body that was picked. */
function ofColumns(columns: Column[], prefix: string): Quantity[] {
  const byName = new Map(columns.map((column) => [column.name.slice(prefix.length), column]));
  const list: Quantity[] = [];
  const seen = new Set<string>();
  for (const [name, column] of byName) {
    if (shown.test(name) || seen.has(name)) continue;
    const known = balances[name];
    // the three components of a vector go into one plot
    const vector = /^(\w*?)x(_(?:space|body)_\w+)$/.exec(name);
    const parts = vector && ['x', 'y', 'z'].map((axis) => `${vector[1]}${axis}${vector[2]}`);
    if (parts?.every((part) => byName.has(part))) {
      for (const part of parts) seen.add(part);
      list.push({
        id: name,
        group: 'Other columns',
        name: column.meaning.replace(/, x of /, ', ') || `${vector![1]}${vector![2]}`,
        unit: column.unit,
        curves: () => parts.map((part) => ({ name: part.replace(/_.*/, ''), values: byName.get(part)!.values })),
      });
      continue;
    }
    list.push({
      id: name,
      group: known ? 'Drift' : 'Other columns',
      name: known ? known[0] : column.meaning ? `${name}: ${column.meaning}` : name,
      unit: column.unit === '1' ? '' : column.unit,
      curves: () => [{ name: known ? known[1] : name, values: column.values }],
    });
  }
  return list.sort((a, b) => Number(b.group === 'Drift') - Number(a.group === 'Drift'));
}

/** Whose columns are whose: a body's and a joint's begin with its name and a point. */
function owners(result: Result): Map<string, Column[]> {
  const names = new Set([...result.bodies.map((track) => track.prefix), ...result.joints.map((joint) => `${joint.name}.`)]);
  const lists = new Map<string, Column[]>();
  for (const column of result.columns) {
    const point = column.name.lastIndexOf('.') + 1;
    const prefix = names.has(column.name.slice(0, point)) ? column.name.slice(0, point) : '';
    const list = lists.get(prefix);
    if (list) list.push(column);
    else lists.set(prefix, [column]);
  }
  return lists;
}

/** Curves of the body that was picked, of the joints and of the whole; `more` are those of the kind of page. */
export function quantitiesOf(result: Result, track: Track | undefined, more: Quantity[] = []): Quantity[] {
  const columns = owners(result);
  const list: Quantity[] = [
    ...more,
    ...(track ? [...ofAttitude(result, track), ...ofRates(result, track)] : []),
    ...ofTheWhole(result),
    ...ofColumns(columns.get('') ?? [], '').filter(({ id }) => !more.some((one) => one.id === id)),
    ...(track?.prefix ? ofColumns(columns.get(track.prefix) ?? [], track.prefix) : []),
    ...result.joints.flatMap((joint) => ofJoint(joint, result.bodies[joint.second]?.body.name ?? 'the ground', columns.get(`${joint.name}.`) ?? [])),
  ];
  // a quantity is computed once
  return list.map((quantity) => {
    let curves: Curve[] | null = null;
    return { ...quantity, curves: () => (curves ??= quantity.curves()) };
  });
}
