// A mechanism as a result has it, made here: a chain of rods on hinges that swings in a plane. Not a motion that a
// pendulum makes, but one whose columns, joints and reactions are as those of a run.
import { deflateSync } from 'node:zlib';

const column = (name, unit, meaning = '') => ({ name, unit, meaning });

/** Head and rows: `names` are those of the rods; the joints are NAME_joint. */
export function chain(names, rows, duration = 10) {
  const long = 1;
  const bodies = names.map((name) => ({
    name, mass: 2, reference_B: [0, 0, 0], held: false, principal_moments: [0.02, 0.17, 0.17], e_BP: [1, 0, 0, 0],
    J_B: [[0.02, 0, 0], [0, 0.17, 0], [0, 0, 0.17]],
    parts: [{ shape: 'box', lengths: [long, 0.12, 0.12], e_BC: [1, 0, 0, 0], r_BC_B: [0, 0, 0], hole: false }],
  }));
  // z of the joint is y of the rods: hinges across the plane of the picture
  const e = [Math.SQRT1_2, -Math.SQRT1_2, 0, 0];
  const joints = names.map((name, i) => ({
    name: `${name}_joint`, kind: 'revolute', first: i - 1, second: i,
    r_first: i === 0 ? [0, 0, 0] : [long / 2, 0, 0], e_first: e, r_second: [-long / 2, 0, 0], e_second: e,
  }));
  const columns = [column('t_s', 's', 'time')];
  for (const name of names) {
    for (const [end, unit] of [['e0', '1'], ['e1', '1'], ['e2', '1'], ['e3', '1'], ['wx_body_rad_s', 'rad/s'], ['wy_body_rad_s', 'rad/s'], ['wz_body_rad_s', 'rad/s'],
      ['rx_space_m', 'm'], ['ry_space_m', 'm'], ['rz_space_m', 'm'], ['vx_space_m_s', 'm/s'], ['vy_space_m_s', 'm/s'], ['vz_space_m_s', 'm/s']]) {
      columns.push(column(`${name}.${end}`, unit));
    }
  }
  for (const { name } of joints) {
    columns.push(column(`${name}.turn_rad`, 'rad'), column(`${name}.turn_rad_s`, 'rad/s'));
    for (const axis of 'xyz') columns.push(column(`${name}.f${axis}_space_N`, 'N'));
    for (const axis of 'xyz') columns.push(column(`${name}.m${axis}_space_Nm`, 'N m'));
  }
  for (const name of ['energy_kinetic_J', 'energy_potential_J', 'energy_balance_J', 'work_supplied_J', 'work_dissipated_J']) columns.push(column(name, 'J', name));
  columns.push(column('residual_position_m', 'm'), column('residual_velocity_m_s', 'm/s'), column('residual_acceleration_m_s2', 'm/s2'));
  const values = columns.map(() => new Float64Array(rows));
  for (let row = 0; row < rows; row++) {
    const t = (duration * row) / (rows - 1);
    let at = 0;
    const put = (...numbers) => { for (const x of numbers) values[at++][row] = x; };
    put(t);
    let [x, z, vx, vz] = [0, 0, 0, 0];
    const turns = [];
    names.forEach((_, i) => {
      // angle below the horizontal
      const a = Math.PI / 2 + 0.7 * Math.cos(1.3 * t - 0.6 * i) / (1 + 0.02 * i);
      const w = (-0.7 * 1.3 * Math.sin(1.3 * t - 0.6 * i)) / (1 + 0.02 * i);
      turns.push([a, w]);
      const [c, s] = [Math.cos(a), Math.sin(a)];
      put(Math.cos(a / 2), 0, Math.sin(a / 2), 0, 0, w, 0);
      put(x + (c * long) / 2, 0, z - (s * long) / 2, vx - (s * w * long) / 2, 0, vz - (c * w * long) / 2);
      x += c * long; z -= s * long; vx -= s * w * long; vz -= c * w * long;
    });
    turns.forEach(([a, w], i) => {
      const before = i === 0 ? [0, 0] : turns[i - 1];
      put(a - before[0], w - before[1], 3 * Math.cos(t), 0, 20 + i, 0, 0.1 * Math.sin(t), 0);
    });
    put(5 + Math.cos(t), 5 - Math.cos(t), 1e-9 * Math.sin(3 * t), 0, 0.1 * t, 1e-12 * (1.5 + Math.sin(t)), 1e-11, 1e-9);
  }
  const head = {
    format: 'polhode log 1', title: 'a chain', version: '1', convention: '', scenario_file: 'chain.toml', scenario_sha256: '', formulation: 'newton-euler',
    integrator: 'rk4', portable: true, epoch: '', time_system: 'UTC', aem: {}, columns, events: [], bodies, joints, scenario: 'title = "a chain"',
    certificate: { verdict: 'yes', reason: 'made up', accuracy_asked_rad: 1e-6, attitude_error_rad: null, error_found_by: '', evidence: [], notes: [] },
    page: 'run', words: { summary: [], tables: [], notes: [], commands: [], every: 1 },
  };
  return { head, values };
}

const number = (n) => Buffer.from(Uint32Array.of(n).buffer);

/** As io/viewer_page.h lays it out. */
export function block({ head, values }, events = []) {
  const rows = values[0].length;
  const text = (kind, json) => {
    const bytes = Buffer.from(JSON.stringify(json));
    return [Buffer.from(kind), number(bytes.length), bytes];
  };
  const planes = values.map((list) => {
    const bytes = new Uint8Array(list.buffer);
    const out = Buffer.alloc(bytes.length);
    for (let k = 0; k < 8; k++) for (let i = 0; i < rows; i++) out[k * rows + i] = bytes[8 * i + k];
    return out;
  });
  const frames = [...text('H', head), Buffer.from('R'), number(rows), Buffer.from([8]), ...planes, ...text('E', events), Buffer.from('Z')];
  return deflateSync(Buffer.concat(frames)).toString('base64');
}

/** Another result in place of that of a page. */
export const pageWith = (page, result, events) => page.replace(/(id="data">)[^<]*/, (_, start) => start + block(result, events));
