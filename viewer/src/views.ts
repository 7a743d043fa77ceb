// The four ways to look at a motion. Each has a scene in which the thing to look at is about one unit large.
import {
  AmbientLight, CircleGeometry, CylinderGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, LineBasicMaterial, LineSegments,
  BufferGeometry, BoxGeometry, Float32BufferAttribute, Mesh, MeshBasicMaterial, MeshStandardMaterial, PlaneGeometry, Quaternion, Scene,
  SphereGeometry, Vector3, EdgesGeometry,
} from 'three';
import type { Palette } from './palette';
import { Arrow, bodyMesh, dispose, label, radiusOf, toThree, Trail, triad } from './pieces';
import type { Pose, Track } from './result';
import {
  conjugate, distanceToLock, eulerAngles, length, lockDeterminant, rotate, rotateBack, scale, sequenceOf, symbolsOf,
  type Quat, type Vec,
} from './rotation';

/** What the viewer chose; part of the page's state. */
export interface Looks {
  frame: 'space' | 'body';
  follow: boolean;
  w: boolean;
  h: boolean;
  tau: boolean;
  frames: boolean;
  grid: boolean;
  trail: boolean;
  /** How far back trails go, in turns of the body. */
  trailTurns: number;
  sequence: string;
}

export interface View {
  readonly id: string;
  readonly scene: Scene;
  /** Where the camera looks and from where, when nothing else was chosen. */
  readonly eye: Vec;
  update(pose: Pose, t: number, looks: Looks): void;
  /** In words, for who does not see it. */
  describe(): string;
  dispose(): void;
}

const trailPoints = 600;

function lights(scene: Scene, palette: Palette): void {
  scene.add(new HemisphereLight('#ffffff', palette.dark ? '#39424c' : '#9aa4ae', palette.dark ? 1.6 : 1.9));
  scene.add(new AmbientLight('#ffffff', 0.25));
  const sun = new DirectionalLight('#ffffff', 1.9);
  sun.position.set(2, -3, 5);
  scene.add(sun);
  const rim = new DirectionalLight('#ffffff', 0.6);
  rim.position.set(-4, 2, 1);
  scene.add(rim);
}

/** Lines of a square net in the plane z = 0. */
function net(half: number, step: number, colour: string): LineSegments {
  const points: number[] = [];
  const count = Math.floor(half / step + 1e-9);
  for (let i = -count; i <= count; i++) {
    points.push(i * step, -count * step, 0, i * step, count * step, 0, -count * step, i * step, 0, count * step, i * step, 0);
  }
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.8 }));
}

/** Circles of latitude and longitude on the unit sphere, every 30 degrees. */
function graticule(colour: string, opacity: number): LineSegments {
  const points: number[] = [];
  const circle = (at: (angle: number) => Vec): void => {
    for (let i = 0; i < 72; i++) points.push(...at((i * Math.PI) / 36), ...at(((i + 1) * Math.PI) / 36));
  };
  for (let k = 0; k < 6; k++) {
    const v = (k * Math.PI) / 6;
    if (k > 0) circle((u) => [Math.sin(v) * Math.cos(u), Math.sin(v) * Math.sin(u), Math.cos(v)]);
    circle((u) => [Math.cos(v) * Math.cos(u), Math.sin(v) * Math.cos(u), Math.sin(u)]);
  }
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity }));
}

/** 1, 2 or 5 times a power of ten, not above x. */
export function niceBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power;
}

/** Attitude and rate along the last part of a run, at times that stay the same while the window moves on, so that only
 *  what is new is computed. */
class Past {
  count = 0;
  private first = 0;
  private step = 0;
  private readonly numbers = new Int32Array(trailPoints).fill(-1);
  private readonly e = new Float64Array(4 * trailPoints);
  private readonly w = new Float64Array(3 * trailPoints);
  private readonly r = new Float64Array(3 * trailPoints);
  constructor(private readonly track: Track) {}
  /** The last `turns` turns before t, at the rate of now; in powers of two, so that it does not change with every frame. */
  set(t: number, turns: number, w_B: Vec): void {
    const start = this.track.t[0]!;
    const whole = this.track.t[this.track.t.length - 1]! - start || 1;
    const rate = length(w_B);
    const wanted = rate > 0 ? (2 * Math.PI * turns) / rate : whole;
    const span = wanted >= whole ? whole : whole / 2 ** Math.round(Math.log2(whole / wanted));
    const step = span / (trailPoints - 3);
    if (step !== this.step) this.numbers.fill(-1);
    this.step = step;
    const last = Math.floor((t - start) / step);
    this.first = Math.max(0, last - (trailPoints - 3));
    this.count = last - this.first + 1;
    for (let k = this.first; k <= last; k++) {
      const at = k % trailPoints;
      if (this.numbers[at] === k) continue;
      this.numbers[at] = k;
      const pose = this.track.pose(start + k * step);
      this.e.set(pose.e_NB, 4 * at);
      this.w.set(pose.w_B, 3 * at);
      this.r.set(pose.r_N, 3 * at);
    }
  }
  attitude(i: number): Quat {
    const at = 4 * ((this.first + i) % trailPoints);
    return [this.e[at]!, this.e[at + 1]!, this.e[at + 2]!, this.e[at + 3]!];
  }
  rate(i: number): Vec {
    const at = 3 * ((this.first + i) % trailPoints);
    return [this.w[at]!, this.w[at + 1]!, this.w[at + 2]!];
  }
  place(i: number): Vec {
    const at = 3 * ((this.first + i) % trailPoints);
    return [this.r[at]!, this.r[at + 1]!, this.r[at + 2]!];
  }
}

abstract class Base implements View {
  readonly scene = new Scene();
  /** Space components; turned and moved as a whole for the view from the body. */
  protected readonly world = new Group();
  protected readonly past: Past;
  abstract readonly id: string;
  readonly eye: Vec = [3.4, -4.4, 2.4];
  constructor(protected readonly track: Track, protected readonly palette: Palette) {
    this.past = new Past(track);
    lights(this.scene, palette);
    this.scene.add(this.world);
  }
  abstract update(pose: Pose, t: number, looks: Looks): void;
  abstract describe(): string;
  protected turnWorld(e_NB: Quat, looks: Looks): void {
    if (looks.frame === 'body') this.world.quaternion.copy(toThree(conjugate(e_NB)));
    else this.world.quaternion.identity();
  }
  dispose(): void {
    dispose(this.scene);
  }
}

/** Largest length of a vector over the run, from no more than some thousand rows. */
function largest(rows: number, at: (row: number) => Vec | null): number {
  let most = 0;
  const stride = Math.max(1, Math.floor(rows / 4000));
  for (let row = 0; row < rows; row += stride) {
    const v = at(row);
    if (v) most = Math.max(most, length(v));
  }
  return most;
}

/** The body as it is, with arrows, frames, a net below it and trails of its axes. */
export class MotionView extends Base {
  readonly id = 'motion';
  private readonly body = new Group();
  private readonly frameB: Group;
  private readonly frameN: Group;
  private readonly arrows = new Group();
  private readonly w: Arrow;
  private readonly h: Arrow;
  private readonly tau: Arrow;
  private readonly ground = new Group();
  private readonly trails: { axis: Vec; trail: Trail }[];
  /** The tip of ω in the body, for the view from there. */
  private readonly spin: Trail;
  private readonly size: number;
  private readonly most: { w: number; h: number; tau: number };
  readonly gridStep: number;
  constructor(track: Track, palette: Palette) {
    super(track, palette);
    this.size = radiusOf(track.body);
    const mesh = bodyMesh(track.body, palette);
    mesh.scale.setScalar(1 / this.size);
    this.frameB = triad(palette.axes, ['x', 'y', 'z'], 1.25);
    this.body.add(mesh, this.frameB);
    this.frameN = triad([palette.faint, palette.faint, palette.faint], ['X', 'Y', 'Z'], 0.7, 0.009);
    this.frameN.position.set(-1.9, -1.9, track.body.held ? 0 : -1.25);
    this.w = new Arrow(palette.w, 'ω', 2);
    this.h = new Arrow(palette.h, 'h', 1);
    this.tau = new Arrow(palette.tau, 'τ', 1);
    this.arrows.add(this.w, this.h, this.tau);
    this.gridStep = niceBelow(0.75 * this.size);
    const step = this.gridStep / this.size;
    this.ground.add(net(track.r ? 6 : 2.6, step, palette.grid));
    this.ground.position.z = track.body.held ? 0 : -1.25;
    this.world.add(this.body, this.arrows, this.frameN, this.ground);
    const axes: Vec[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    this.trails = axes.map((axis, i) => {
      const trail = new Trail(palette.axes[i]!, 2.2, trailPoints, 0.75);
      this.world.add(trail.line);
      return { axis, trail };
    });
    this.spin = new Trail(palette.w, 2.6, trailPoints, 0.9);
    this.body.add(this.spin.line);
    const rows = track.t.length;
    this.most = {
      w: largest(rows, (row) => track.rate(row)),
      h: largest(rows, (row) => track.momentum(row)),
      tau: largest(rows, (row) => track.torque(row)),
    };
  }
  override update(pose: Pose, t: number, looks: Looks): void {
    const place = scale(1 / this.size, pose.r_N);
    this.turnWorld(pose.e_NB, looks);
    const held = looks.frame === 'body' || looks.follow;
    const shift = new Vector3(...place).applyQuaternion(this.world.quaternion);
    this.world.position.copy(held ? shift.negate() : shift.set(0, 0, 0));
    this.body.quaternion.copy(toThree(pose.e_NB));
    this.body.position.set(...place);
    this.arrows.position.set(...place);
    const show = (arrow: Arrow, v: Vec, most: number, on: boolean): void => {
      arrow.point(v, on && most > 0 ? 1.7 * (length(v) / most) : 0);
    };
    show(this.w, pose.w_N, this.most.w, looks.w);
    show(this.h, pose.h_N, this.most.h, looks.h);
    show(this.tau, pose.tau_N, this.most.tau, looks.tau);
    this.frameB.visible = looks.frames;
    this.frameN.visible = looks.frames;
    this.ground.visible = looks.grid;
    // the net goes along by whole meshes
    const step = this.gridStep / this.size;
    if (this.track.r) {
      this.ground.position.x = Math.round(place[0] / step) * step;
      this.ground.position.y = Math.round(place[1] / step) * step;
    }
    this.past.set(t, looks.trailTurns, pose.w_B);
    const fromBody = looks.frame === 'body';
    this.spin.line.visible = looks.trail && fromBody && this.most.w > 0;
    if (this.spin.line.visible) {
      this.spin.draw(this.past.count + 1, (i, out) => {
        const w = i < this.past.count ? this.past.rate(i) : pose.w_B;
        for (let k = 0; k < 3; k++) out[k] = (1.7 / this.most.w) * w[k]!;
      });
    }
    for (const { axis, trail } of this.trails) {
      trail.line.visible = looks.trail && !fromBody;
      if (!trail.line.visible) continue;
      const n = this.past.count;
      trail.draw(n + 1, (i, out) => {
        const e = i < n ? this.past.attitude(i) : pose.e_NB;
        const r = i < n ? this.past.place(i) : pose.r_N;
        const v = rotate(e, axis);
        for (let k = 0; k < 3; k++) out[k] = 1.25 * v[k]! + r[k]! / this.size;
      });
    }
  }
  override describe(): string {
    return `The body with its axes, angular velocity, angular momentum and torque; squares of the net are ${this.gridStep} m.`;
  }
}

/** Poinsot: the inertia ellipsoid ρ·Jρ = 1 with ρ = ω/√2T rolls on the plane normal to Jω at its tip. */
export class PoinsotView extends Base {
  readonly id = 'poinsot';
  override readonly eye: Vec = [3.5, -4.6, 2.3];
  private readonly turn = new Group();
  private readonly ellipsoid = new Group();
  private readonly plane = new Group();
  private readonly polhode: Trail;
  private readonly herpolhode: Trail;
  private readonly w: Arrow;
  private readonly h: Arrow;
  private readonly contact: Mesh;
  private readonly down: Quaternion;
  private readonly unit: number;
  private readonly frameB: Group;
  constructor(track: Track, palette: Palette) {
    super(track, palette);
    const [a, b, c] = track.body.moments!.map((J) => 1 / Math.sqrt(J)) as Vec;
    this.unit = Math.max(a, b, c);
    const skin = new Mesh(
      new SphereGeometry(1, 64, 40).rotateX(Math.PI / 2),
      new MeshStandardMaterial({ color: palette.body, roughness: 0.45, transparent: true, opacity: 0.62, side: DoubleSide, depthWrite: false }),
    );
    const threads = graticule(palette.faint, 0.4);
    const shape = new Group();
    shape.add(skin, threads);
    shape.scale.set(a / this.unit, b / this.unit, c / this.unit);
    shape.quaternion.copy(toThree(track.body.e_BP));
    this.frameB = triad(palette.axes, ['x', 'y', 'z'], 1.3, 0.011);
    this.ellipsoid.add(shape, this.frameB);
    this.polhode = new Trail(palette.w, 3, trailPoints);
    this.ellipsoid.add(this.polhode.line);
    this.herpolhode = new Trail(palette.h, 3, trailPoints);
    this.world.add(this.herpolhode.line);
    const sheet = new Mesh(
      new CircleGeometry(2.1, 72),
      new MeshStandardMaterial({ color: palette.dark ? '#26313c' : '#e3e8ee', roughness: 0.9, transparent: true, opacity: 0.72, side: DoubleSide, depthWrite: false }),
    );
    this.plane.add(sheet);
    const rings = net(1.4, 0.35, palette.grid);
    rings.position.z = 0.002;
    this.plane.add(rings);
    this.w = new Arrow(palette.w, 'ω', 2, 0.016);
    this.h = new Arrow(palette.h, 'Jω', 1, 0.016);
    this.contact = new Mesh(new SphereGeometry(0.035, 20, 14), new MeshBasicMaterial({ color: palette.lock }));
    this.world.add(this.ellipsoid, this.plane, this.w, this.h, this.contact);
    this.scene.remove(this.world);
    this.turn.add(this.world);
    this.scene.add(this.turn);
    const h0 = this.momentumOf(track.attitude(0), track.rate(0)!);
    this.down = new Quaternion().setFromUnitVectors(new Vector3(...h0).normalize(), new Vector3(0, 0, -1));
  }
  /** Jω in space components. */
  private momentumOf(e: Quat, w_B: Vec): Vec {
    const { e_BP, moments } = this.track.body;
    const w_P = rotateBack(e_BP, w_B);
    return rotate(e, rotate(e_BP, [moments![0] * w_P[0], moments![1] * w_P[1], moments![2] * w_P[2]]));
  }
  /** ω/√2T in body components, in units of the longest semi-axis. */
  private tip(w_B: Vec): Vec {
    const { e_BP, moments } = this.track.body;
    const w_P = rotateBack(e_BP, w_B);
    const twice = moments![0] * w_P[0] ** 2 + moments![1] * w_P[1] ** 2 + moments![2] * w_P[2] ** 2;
    return twice > 0 ? scale(1 / Math.sqrt(twice) / this.unit, w_B) : [0, 0, 0];
  }
  override update(pose: Pose, t: number, looks: Looks): void {
    this.turnWorld(pose.e_NB, looks);
    if (looks.frame === 'body') this.turn.quaternion.identity();
    else this.turn.quaternion.copy(this.down);
    this.ellipsoid.quaternion.copy(toThree(pose.e_NB));
    const rho_B = this.tip(pose.w_B);
    const rho_N = rotate(pose.e_NB, rho_B);
    const h_N = this.momentumOf(pose.e_NB, pose.w_B);
    const size = length(h_N);
    const normal: Vec = size > 0 ? scale(1 / size, h_N) : [0, 0, 1];
    const far = rho_N[0] * normal[0] + rho_N[1] * normal[1] + rho_N[2] * normal[2];
    this.plane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal));
    this.plane.position.set(...scale(far, normal));
    this.contact.position.set(...rho_N);
    this.w.point(rho_N, looks.w ? Math.max(0, length(rho_N)) : 0);
    this.h.point(h_N, looks.h ? 1.5 : 0);
    this.frameB.visible = looks.frames;
    (this.plane.children[1] as LineSegments).visible = looks.grid;
    this.polhode.line.visible = this.herpolhode.line.visible = looks.trail;
    if (!looks.trail) return;
    this.past.set(t, 4 * looks.trailTurns, pose.w_B);
    const n = this.past.count;
    this.polhode.draw(n + 1, (i, out) => {
      const v = i < n ? this.tip(this.past.rate(i)) : rho_B;
      for (let k = 0; k < 3; k++) out[k] = 1.006 * v[k]!;
    });
    this.herpolhode.draw(n + 1, (i, out) => {
      const v = i < n ? rotate(this.past.attitude(i), this.tip(this.past.rate(i))) : rho_N;
      for (let k = 0; k < 3; k++) out[k] = 1.004 * v[k]!;
    });
  }
  override describe(): string {
    return 'The inertia ellipsoid rolls on the plane that touches it where ω leaves it; the polhode is drawn on the ellipsoid, the herpolhode on the plane.';
  }
}

const canRadius = 0.3;
const canLength = 0.28;
const gap = 0.08 * canLength;
const stub = 0.34;

/** Euler angles as cans in series: a pair of cans for each turn. */
export class CansView extends Base {
  readonly id = 'cans';
  override readonly eye: Vec = [4.0, -5.2, 2.4];
  private name = '';
  private links: Group[] = [];
  private chain = new Group();
  private readonly lockPlane: Mesh;
  private text = '';
  /** How far from lock, for the gauge. */
  gauge: { determinant: number; distance: number; angles: Vec; symbols: [string, string, string] } | null = null;
  constructor(track: Track, palette: Palette) {
    super(track, palette);
    this.world.add(this.chain);
    this.lockPlane = new Mesh(
      new PlaneGeometry(3.6, 3.6),
      new MeshBasicMaterial({ color: palette.lock, transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false }),
    );
    this.world.add(this.lockPlane);
  }
  private solid(colour: string): MeshStandardMaterial {
    return new MeshStandardMaterial({ color: colour, roughness: 0.5 });
  }
  /** A cylinder from a to b along `axis`, in the frame of the link. */
  private rod(axis: number, from: Vec, a: number, b: number, radius: number, material: MeshStandardMaterial): Mesh {
    const direction: Vec = [0, 0, 0];
    direction[axis] = 1;
    const mesh = new Mesh(new CylinderGeometry(radius, radius, Math.abs(b - a), 40), material);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...direction));
    const middle = (a + b) / 2;
    mesh.position.set(from[0] + middle * direction[0], from[1] + middle * direction[1], from[2] + middle * direction[2]);
    return mesh;
  }
  /** A can with a dark line along its side. */
  private can(axis: number, from: Vec, a: number, b: number, material: MeshStandardMaterial): Group {
    const group = new Group();
    const tin = this.rod(axis, from, a, b, canRadius, material);
    tin.add(new LineSegments(new EdgesGeometry(tin.geometry, 40), new LineBasicMaterial({ color: this.palette.dark ? '#0c1014' : '#37424c' })));
    const mark = new Mesh(new BoxGeometry(0.05, Math.abs(b - a), 0.02), new MeshBasicMaterial({ color: '#16202a' }));
    mark.position.set(0, 0, canRadius);
    tin.add(mark);
    group.add(tin);
    return group;
  }
  private build(name: string): void {
    this.name = name;
    const sequence = sequenceOf(name);
    dispose(this.chain);
    this.world.remove(this.chain);
    this.chain = new Group();
    this.links = [];
    const materials = this.palette.cans.map((colour) => this.solid(colour));
    const symbols = symbolsOf(sequence);
    const half = canLength + gap / 2;
    let link = this.chain;
    let at: Vec = [0, 0, 0];
    link.add(triad(this.palette.axes, ['x', 'y', 'z'], 0.55, 0.01));
    for (let n = 0; n < 3; n++) {
      const axis = sequence.axes[n]!;
      const before = n === 0 ? 0.75 : stub;
      // the fixed can belongs to the link before the turn
      link.add(this.rod(axis, at, 0, before, 0.045, materials[n]!));
      link.add(this.can(axis, at, before, before + canLength, materials[n]!));
      const next = new Group();
      const middle: Vec = [...at];
      middle[axis]! += before + half;
      next.position.set(...middle);
      link.add(next);
      next.add(this.can(axis, [0, 0, 0], gap / 2, half, materials[n + 1]!));
      const after = n === 2 ? 0.22 : stub;
      next.add(this.rod(axis, [0, 0, 0], half, half + after, 0.045, materials[n + 1]!));
      const name3d = label(symbols[n]!, this.palette.text, 0.26);
      const aside: Vec = [0, 0, 0];
      aside[(axis + 1) % 3] = canRadius + 0.2;
      name3d.position.set(...aside);
      next.add(name3d);
      this.links.push(next);
      link = next;
      at = [0, 0, 0];
      at[axis] = half + after;
    }
    const last = sequence.axes[2]!;
    const edges: Vec = [0.5, 0.36, 0.24];
    const box = new Mesh(new BoxGeometry(...edges), materials[3]!);
    box.position.set(...at);
    box.position.setComponent(last, at[last]! + edges[last]! / 2);
    box.add(new LineSegments(new EdgesGeometry(box.geometry), new LineBasicMaterial({ color: this.palette.dark ? '#0c1014' : '#37424c' })));
    const frame = triad(this.palette.axes, ['x', 'y', 'z'], 0.62, 0.012);
    frame.position.copy(box.position);
    link.add(box, frame);
    this.chain.scale.setScalar(0.9);
    // the base stands at the rim, the pairs reach over the middle
    const first = sequence.axes[0]!;
    this.chain.position.set(first === 0 ? -1.5 : 0, first === 1 ? -1.5 : 0, first === 2 ? -1.6 : -0.3);
    this.world.add(this.chain);
  }
  override update(pose: Pose, _t: number, looks: Looks): void {
    if (looks.sequence !== this.name) this.build(looks.sequence);
    const sequence = sequenceOf(looks.sequence);
    this.turnWorld(pose.e_NB, looks);
    const angles = eulerAngles(sequence, pose.e_NB);
    angles.forEach((angle, n) => {
      const axis = new Vector3();
      axis.setComponent(sequence.axes[n]!, 1);
      this.links[n]!.quaternion.setFromAxisAngle(axis, angle);
    });
    const determinant = lockDeterminant(sequence, angles[1]);
    const distance = distanceToLock(sequence, angles[1]);
    const symbols = symbolsOf(sequence);
    this.gauge = { determinant, distance, angles, symbols };
    this.text = symbols.map((s, n) => `${s} = ${((angles[n]! * 180) / Math.PI).toFixed(1)} degrees`).join(', ');
    // the plane of the three axes, once they nearly lie in one
    this.lockPlane.visible = Math.abs(determinant) < 0.1;
    if (this.lockPlane.visible) {
      this.chain.updateMatrixWorld(true);
      const first = new Vector3().setComponent(sequence.axes[0]!, 1);
      const second = new Vector3().setComponent(sequence.axes[1]!, 1).applyQuaternion(this.links[0]!.quaternion);
      this.lockPlane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), first.cross(second).normalize());
      this.lockPlane.position.copy(this.links[0]!.position).multiplyScalar(this.chain.scale.x).add(this.chain.position);
    }
  }
  override describe(): string {
    return `Three pairs of cans in series for the sequence ${this.name}: ${this.text}.`;
  }
}

/** Where the axes of the body point: their tips on the unit sphere. */
export class SphereView extends Base {
  readonly id = 'sphere';
  override readonly eye: Vec = [2.9, -3.8, 1.9];
  private readonly trails: Trail[];
  private readonly tips: Mesh[];
  private readonly body = new Group();
  private readonly w: Arrow;
  private readonly h: Arrow;
  private readonly threads: LineSegments;
  private readonly frameN: Group;
  constructor(track: Track, palette: Palette) {
    super(track, palette);
    const skin = new Mesh(
      new SphereGeometry(1, 64, 40),
      new MeshStandardMaterial({ color: palette.dark ? '#28323d' : '#dfe5ec', roughness: 0.9, transparent: true, opacity: 0.5, depthWrite: false }),
    );
    this.threads = graticule(palette.grid, 0.7);
    this.frameN = triad([palette.faint, palette.faint, palette.faint], ['X', 'Y', 'Z'], 1.3, 0.008);
    this.world.add(skin, this.threads, this.frameN, this.body);
    this.trails = palette.axes.map((colour) => new Trail(colour, 3, trailPoints));
    for (const trail of this.trails) this.world.add(trail.line);
    this.tips = palette.axes.map((colour, i) => {
      const tip = new Mesh(new SphereGeometry(0.04, 20, 14), new MeshBasicMaterial({ color: colour }));
      tip.position.setComponent(i, 1);
      this.body.add(tip);
      const stick = new Mesh(new CylinderGeometry(0.008, 0.008, 1, 8), new MeshBasicMaterial({ color: colour }));
      const axis = new Vector3().setComponent(i, 1);
      stick.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), axis);
      stick.position.copy(axis).multiplyScalar(0.5);
      this.body.add(stick);
      const name3d = label('xyz'[i]!, colour);
      name3d.position.copy(axis).multiplyScalar(1.15);
      this.body.add(name3d);
      return tip;
    });
    this.w = new Arrow(palette.w, 'ω', 2, 0.014);
    this.h = new Arrow(palette.h, 'h', 1, 0.014);
    this.world.add(this.w, this.h);
  }
  override update(pose: Pose, t: number, looks: Looks): void {
    this.turnWorld(pose.e_NB, looks);
    this.body.quaternion.copy(toThree(pose.e_NB));
    this.w.point(pose.w_N, looks.w && length(pose.w_N) > 0 ? 1.3 : 0);
    this.h.point(pose.h_N, looks.h && length(pose.h_N) > 0 ? 1.3 : 0);
    this.threads.visible = looks.grid;
    this.frameN.visible = looks.frames;
    this.past.set(t, looks.trailTurns, pose.w_B);
    const n = this.past.count;
    this.trails.forEach((trail, axis) => {
      trail.line.visible = looks.trail;
      if (!looks.trail) return;
      const unit: Vec = [0, 0, 0];
      unit[axis] = 1;
      trail.draw(n + 1, (i, out) => {
        const v = rotate(i < n ? this.past.attitude(i) : pose.e_NB, unit);
        for (let k = 0; k < 3; k++) out[k] = 1.004 * v[k]!;
      });
    });
  }
  override describe(): string {
    return `The tips of the body's three axes on the unit sphere, with the way they came (${this.tips.length} traces).`;
  }
}
