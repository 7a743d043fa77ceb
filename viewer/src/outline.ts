// How far bodies reach: what pictures are measured by.
import { dot, length, rotateBack, sub, type Quat, type Vec } from './rotation';
import type { Body, Joint, Part, Spring, Surface } from './result';

/** Of a mesh with many points those that are farthest in some direction. */
const rims = new WeakMap<Surface, Float32Array>();
const manyPoints = 600;
function rimOf(surface: Surface): Float32Array {
  if (surface.points.length <= 3 * manyPoints) return surface.points;
  let rim = rims.get(surface);
  if (!rim) {
    const { points } = surface;
    const kept = new Set<number>();
    // directions spread evenly over the sphere
    for (let n = 0; n < manyPoints / 2; n++) {
      const z = 1 - (2 * n + 1) / (manyPoints / 2);
      const [r, a] = [Math.sqrt(1 - z * z), 2.399963229728653 * n];
      const [dx, dy] = [r * Math.cos(a), r * Math.sin(a)];
      let most = -Infinity;
      let at = 0;
      for (let i = 0; i < points.length; i += 3) {
        const d = dx * points[i]! + dy * points[i + 1]! + z * points[i + 2]!;
        if (d > most) [most, at] = [d, i];
      }
      kept.add(at);
    }
    rim = Float32Array.from([...kept].flatMap((i) => [...points.subarray(i, i + 3)]));
    rims.set(surface, rim);
  }
  return rim;
}

/** Largest d·p over the points p of a shape, in its own frame; d is a unit vector. */
function ownReach({ shape, lengths, surface }: Part, d: Vec): number {
  const [a, b, c] = [lengths[0] ?? 0, lengths[1] ?? 0, lengths[2] ?? 0];
  const across = Math.hypot(d[0], d[1]);
  switch (shape) {
    case 'box':
      return (Math.abs(d[0]) * a + Math.abs(d[1]) * b + Math.abs(d[2]) * c) / 2;
    case 'ellipsoid':
      return Math.hypot(d[0] * a, d[1] * b, d[2] * c);
    case 'sphere':
      return a;
    case 'cylinder':
      return across * a + (Math.abs(d[2]) * b) / 2;
    case 'capsule':
      return a + (Math.abs(d[2]) * b) / 2;
    case 'tube':
      return across * a + (Math.abs(d[2]) * c) / 2;
    case 'cone':
      return Math.max(across * a, d[2] * b);
    default: {
      const points = surface ? rimOf(surface) : [];
      let most = points.length > 0 ? -Infinity : 0;
      for (let i = 0; i < points.length; i += 3) most = Math.max(most, d[0] * points[i]! + d[1] * points[i + 1]! + d[2] * points[i + 2]!);
      return most;
    }
  }
}

/** A body with the points where joints and springs hold it. */
export interface Extent {
  body: Body;
  /** From the reference point, in body components. */
  points: Vec[];
}

/** How far it reaches from its reference point along d_B, a unit vector in body components. */
export function reachAlong({ body, points }: Extent, d_B: Vec): number {
  let most = -Infinity;
  for (const part of body.parts) {
    if (part.hole) continue;
    most = Math.max(most, dot(d_B, sub(part.r_BC_B, body.reference_B)) + ownReach(part, rotateBack(part.e_BC, d_B)));
  }
  for (const p of points) most = Math.max(most, dot(d_B, p));
  return most > -Infinity ? most : 0;
}

/** Every body with what it is held at, and the points of the ground. */
export function extentsOf(bodies: Body[], joints: Joint[], springs: Spring[]): { extents: Extent[]; ground: Vec[] } {
  const extents = bodies.map((body) => ({ body, points: [] as Vec[] }));
  const ground: Vec[] = [];
  const see = (index: number, r: Vec): void => {
    if (index < 0) ground.push(r);
    else extents[index]!.points.push(sub(r, bodies[index]!.reference_B));
  };
  for (const joint of joints) {
    see(joint.first, joint.r_first);
    see(joint.second, joint.r_second);
  }
  for (const spring of springs) {
    see(spring.first, spring.on_first);
    see(spring.second, spring.on_second);
  }
  return { extents, ground };
}

/** A body of a mechanism that is known by its moments alone becomes a ball with rods to its joints, as `polhode draw` has it:
 *  the ellipsoid of its moments would hide the links. */
export function addStandIns(bodies: Body[], joints: Joint[]): void {
  const { extents } = extentsOf(bodies, joints, []);
  const sizes = extents.map((extent) => {
    const far = extent.points.map(length);
    return extent.body.shaped ? 2 * reachAlong(extent, [0, 0, 1]) : Math.max(0, ...far) + (far.length > 1 ? Math.min(...far) : 0);
  });
  const largest = Math.max(0, ...sizes);
  extents.forEach(({ body, points }) => {
    if (body.shaped || points.length === 0) return;
    const longest = Math.max(...points.map(length));
    // the smallest half-axis of an ellipsoid of the same inertia, within reason
    const J = body.moments ?? [0, 0, 0];
    const squared = (2.5 * (J[0] + J[1] + J[2] - 2 * Math.max(...J))) / Math.max(body.mass, 1e-300);
    const least = 0.02 * largest;
    const most = Math.max(least, points.length > 1 ? 0.2 * longest : 0.35 * longest);
    const radius = Math.min(most, Math.max(least, squared > 0 ? Math.sqrt(squared) : 0));
    if (!(radius > 0)) return;
    body.parts = [{ shape: 'sphere', lengths: [radius], e_BC: [1, 0, 0, 0], r_BC_B: body.reference_B, hole: false, surface: null }];
  });
}

/** Lowest and highest position along the axes of the picture of a body at a position r_N with the attitude e_NB. */
export function boundsOf(extent: Extent, e_NB: Quat, r_N: Vec, axes_N: readonly Vec[]): { low: Vec; high: Vec } {
  const low: Vec = [0, 0, 0];
  const high: Vec = [0, 0, 0];
  axes_N.forEach((axis, k) => {
    const d_B = rotateBack(e_NB, axis);
    const at = dot(axis, r_N);
    high[k] = at + reachAlong(extent, d_B);
    low[k] = at - reachAlong(extent, [-d_B[0], -d_B[1], -d_B[2]]);
  });
  return { low, high };
}
