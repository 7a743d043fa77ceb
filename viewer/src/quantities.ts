// What can be plotted of a run. Curves are computed when they are asked for, and once.
import {
  eulerAngles, modifiedRodrigues, rotate, rotateBack, rotationVector, sequences, symbolsOf, type Quat, type Vec,
} from './rotation';
import type { Result, Track } from './result';

export interface Curve {
  name: string;
  values: Float64Array;
  dashed?: boolean;
}

export interface Quantity {
  id: string;
  group: string;
  name: string;
  unit: string;
  /** Angles that jump by whole turns: no line is drawn across a jump of more than this. */
  jump?: number;
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
      name: 'height of the axes (z of space)',
      unit: '',
      curves: () => three(rows, ['x', 'y', 'z'], (row) => rotateBack(e(row), [0, 0, 1])),
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
  if (track.h) {
    const momentum = (row: number): Vec => track.momentum(row)!;
    list.push(
      {
        id: 'momentum-space',
        group: 'Momentum',
        name: 'angular momentum, space',
        unit: 'N m s',
        curves: () => [
          ...track.h!.map((values, i) => ({ name: `h${'xyz'[i]}`, values })),
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
        curves: () => three(rows, ['τx', 'τy', 'τz'], (row) => track.torque(row)),
      },
    );
  }
  return list;
}

/** Columns that a quantity above or below already shows. */
const shown = /^(t_s|t|time|e[0-3]|q[wxyz0-3]|w[xyz]_body_rad_s|h[xyz]_space_Nms|kinetic_J|potential_J|multiplier.*)$/;

export function quantitiesOf(result: Result): Quantity[] {
  const track = result.bodies[0];
  const list: Quantity[] = track ? [...ofAttitude(result, track), ...ofRates(result, track)] : [];
  const kinetic = result.column('kinetic_J');
  const potential = result.column('potential_J');
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
  const multiplier = result.column('multiplier');
  if (multiplier) {
    const closed = result.column('multiplier_closed_form');
    list.push({
      id: 'multiplier',
      group: 'Multiplier',
      name: `multiplier of the norm${result.head.multiplier ? `, closed form ${result.head.multiplier}` : ''}`,
      unit: 'J',
      curves: () => [
        { name: 'λ', values: multiplier.values },
        ...(closed ? [{ name: 'closed form', values: closed.values, dashed: true }] : []),
      ],
    });
  }
  const balances: Record<string, [string, string, string]> = {
    energy_balance_J: ['Drift', 'energy that is off', 'ΔE'],
    momentum_balance_Nms: ['Drift', 'momentum that is off', '|Δh|'],
    norm_error: ['Drift', 'norm error |e| − 1', '|e| − 1'],
  };
  const rest: Quantity[] = [];
  const seen = new Set<string>();
  for (const column of result.columns) {
    if (shown.test(column.name) || seen.has(column.name)) continue;
    const known = balances[column.name];
    // the three components of a vector go into one plot
    const vector = /^(\w+?)x(_(?:space|body)_\w+)$/.exec(column.name);
    const parts = vector && ['x', 'y', 'z'].map((axis) => result.column(`${vector[1]}${axis}${vector[2]}`));
    if (parts?.every((part) => part)) {
      for (const part of parts) seen.add(part!.name);
      rest.push({
        id: column.name,
        group: 'Other columns',
        name: column.meaning.replace(/, x of /, ', ') || `${vector![1]}${vector![2]}`,
        unit: column.unit,
        curves: () => parts.map((part) => ({ name: part!.name.replace(/_.*/, ''), values: part!.values })),
      });
      continue;
    }
    rest.push({
      id: column.name,
      group: known ? known[0] : 'Other columns',
      name: known ? known[1] : column.meaning ? `${column.name}: ${column.meaning}` : column.name,
      unit: column.unit === '1' ? '' : column.unit,
      curves: () => [{ name: known ? known[2] : column.name, values: column.values }],
    });
  }
  rest.sort((a, b) => Number(b.group === 'Drift') - Number(a.group === 'Drift'));
  list.push(...rest);
  // a quantity is computed once
  return list.map((quantity) => {
    let curves: Curve[] | null = null;
    return { ...quantity, curves: () => (curves ??= quantity.curves()) };
  });
}
