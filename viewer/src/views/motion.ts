import {
  type BufferGeometry, type Camera, CylinderGeometry, Group, type Material, Matrix4, Mesh, MeshStandardMaterial, type Object3D,
  Raycaster, SphereGeometry, type Vector2, Vector3,
} from 'three';
import { counted } from '../counted';
import { Herd } from '../herd';
import { jointMaterials, jointPieces } from '../joints';
import { Arrow, bodyMesh, BodyLook, coil, middleOf, radiusOf, stick, toThree, Trail, triad } from '../pieces';
import { boundsOf, extentsOf, reachAlong } from '../outline';
import { locate, type Body, type Pose, type Result, type Track } from '../result';
import { add, conjugate, dot, length, rotate, rotateBack, scale, sub, turnBetween, type Quat, type Vec } from '../rotation';
import { Base, largest, net, niceBelow, Past, trailPoints, type Looks, type Shown } from './base';

/** How large a scene is, in metres, where its middle is in space, and how high its floor, along its normal. */
export interface Layout {
  size: number;
  centre: Vec;
  floor: number;
  /** It goes away from where it was: only following keeps it in the picture. */
  travels: boolean;
}

/** Axes of the picture, the last one up, in space components. */
const axesOf = ({ e_UN }: Result): Vec[] => [rotateBack(e_UN, [1, 0, 0]), rotateBack(e_UN, [0, 1, 0]), rotateBack(e_UN, [0, 0, 1])];

export function layoutOf(result: Result, overlay: boolean): Layout {
  const { bodies, joints, springs, t, mechanism, floor } = result;
  const first = bodies[0]!;
  const axes = axesOf(result);
  const { extents, ground } = extentsOf(bodies.map(({ body }) => body), joints, springs);
  const low: Vec = [Infinity, Infinity, Infinity];
  const high: Vec = [-Infinity, -Infinity, -Infinity];
  let widest = 0;
  const stride = Math.max(1, Math.floor(t.length / Math.max(20, 4000 / bodies.length)));
  for (let row = 0; row < t.length; row += stride) {
    const nowLow: Vec = [Infinity, Infinity, Infinity];
    const nowHigh: Vec = [-Infinity, -Infinity, -Infinity];
    bodies.forEach((track, i) => {
      const e_NB = track.attitude(row);
      if (!Number.isFinite(e_NB[0])) return;
      const bounds = boundsOf(extents[i]!, e_NB, track.position(row), axes);
      for (let k = 0; k < 3; k++) {
        nowLow[k] = Math.min(nowLow[k]!, bounds.low[k]!);
        nowHigh[k] = Math.max(nowHigh[k]!, bounds.high[k]!);
      }
    });
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k]!, nowLow[k]!);
      high[k] = Math.max(high[k]!, nowHigh[k]!);
      widest = Math.max(widest, nowHigh[k]! - nowLow[k]!);
    }
  }
  const rolledOn = floor && dot(floor.point, floor.normal);
  if (!mechanism || overlay) {
    // one body turns in the middle, some way above the net; a top stands on it, and a pendulum hangs above it
    const size = radiusOf(first.body);
    const own = !first.body.held ? -1.25 * size : stands(first, result.up) ? 0 : Math.min(0, low[2]);
    return { size, centre: [0, 0, 0], floor: rolledOn ?? own, travels: first.r !== null };
  }
  for (const r of ground) {
    axes.forEach((axis, k) => {
      low[k] = Math.min(low[k]!, dot(axis, r));
      high[k] = Math.max(high[k]!, dot(axis, r));
    });
  }
  const wide = sub(high, low);
  const travels = Math.max(...wide) > 4 * widest;
  // pictures are wider than high
  const size = travels ? widest / 2.4 : Math.max(wide[0] / 2.5, wide[1] / 2.5, wide[2] / 2);
  const middle = rotate(conjugate(result.e_UN), scale(0.5, [low[0] + high[0], low[1] + high[1], low[2] + high[2]]));
  return { size: size > 0 ? size : 1, centre: travels ? [0, 0, 0] : middle, floor: rolledOn ?? low[2], travels };
}

/** Whether a body that is held at a point is above it all the time. */
function stands(track: Track, up: Vec): boolean {
  const { body, t } = track;
  const middles = body.parts.filter((part) => !part.hole).map((part) => sub(middleOf(part).toArray() as Vec, body.reference_B));
  const middle = scale(1 / Math.max(1, middles.length), middles.reduce((sum, one) => add(sum, one), [0, 0, 0] as Vec));
  const stride = Math.max(1, Math.floor(t.length / 2000));
  for (let row = 0; row < t.length; row += stride) {
    if (!(dot(up, rotate(track.attitude(row), middle)) > 0)) return false;
  }
  return true;
}

/** Whether a solid body has another one inside at the start: it is drawn so that this one is seen. */
function holdsAnother({ bodies }: Result, index: number): boolean {
  const own = bodies[index]!;
  const solid = own.body.parts.filter((part) => !part.hole);
  if (bodies.length < 2 || solid.length !== 1 || solid.length !== own.body.parts.length || /^(tube|mesh)$/.test(solid[0]!.shape)) return false;
  const reach = ({ body, ...track }: { body: Body; e: Quat; r: Vec }, d_N: Vec): number =>
    dot(d_N, track.r) + reachAlong({ body, points: [] }, rotateBack(track.e, d_N));
  const start = bodies.map((track) => ({ body: track.body, e: track.attitude(0), r: track.position(0) }));
  return start.some((other, i) => i !== index && other.body.parts.length > 0 && directions.every((d) => reach(other, d) < reach(start[index]!, d)));
}
/** To the faces, edges and corners of a cube. */
const directions: Vec[] = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z): Vec => [x, y, z])))
  .filter((d) => length(d) > 0)
  .map((d) => scale(1 / length(d), d));

/** A body in the scene: where it stands, and which one it is. */
interface Actor {
  track: Track;
  group: Group;
}

/** From so many bodies on they are drawn together. */
const crowd = 24;

/** A point of a body, or of the ground (−1). */
interface Pin {
  body: number;
  r: Vec;
}

/** A rod, a coil or a block between two points. */
interface Link {
  kind: 'rod' | 'spring' | 'bushing';
  from: Pin;
  to: Pin;
  mesh: Object3D;
}

/** The bodies as they are, with joints, arrows, frames, a net below and trails. */
export class MotionView extends Base {
  readonly id = 'motion';
  private readonly actors: Actor[];
  private readonly herd: Herd | null;
  private readonly skins: BodyLook[] = [];
  private readonly links: Link[] = [];
  private readonly frameB: Group;
  private readonly frameN: Group;
  private readonly arrows = new Group();
  private readonly w: Arrow;
  private readonly h: Arrow;
  private readonly tau: Arrow;
  private readonly ground = new Group();
  /** Tips of the axes of one body. */
  private readonly trails: { axis: Vec; trail: Trail }[] = [];
  /** The tip of ω in the body, for the view from there. */
  private readonly spin: Trail;
  /** Ways of the mass centres of a mechanism, made when they are asked for. */
  private readonly ways = new Map<string, { past: Past; trail: Trail }>();
  private readonly layout: Layout;
  /** The nets, that below everything or of the floor first: height of each along its normal, in units of the scene, and
   *  from its frame, whose z is that normal, to space. */
  private readonly grounds: { group: Group; e_NG: Quat; level: number }[];
  private readonly most: { w: number; h: number; tau: number };
  /** Length of the longest arrow, and of the axes of the body. */
  private readonly reach: number;
  readonly gridStep: number;
  /** From where the body that was picked fills the picture. */
  readonly nearDistance: number;

  constructor(private readonly shown: Shown) {
    super(shown);
    const { track, palette } = this;
    const { result, picked, overlay } = shown;
    this.layout = layoutOf(result, overlay);
    const { size, centre, floor } = this.layout;
    const many = result.bodies.length > 1 && !overlay;
    const own = radiusOf(track.body) / size;
    this.nearDistance = 6 * own;
    this.reach = many ? Math.max(0.45, Math.min(0.9, 1.5 * own)) : 1.25;

    this.herd = result.bodies.length > crowd && !overlay ? new Herd() : null;
    const detail = this.herd ? 12 : result.bodies.length > 6 ? 24 : 48;
    this.actors = result.bodies.map((one, i) => {
      const group = new Group();
      group.userData['body'] = i;
      this.world.add(group);
      if (!this.herd) {
        const look = new BodyLook(palette, overlay ? palette.series[i % palette.series.length]! : many ? palette.tints[i % palette.tints.length]! : palette.body);
        const mesh = bodyMesh(one.body, look, detail);
        mesh.scale.setScalar(1 / size);
        group.add(mesh);
        if (result.bodies.length > 1) look.choose(i === picked, overlay);
        if (!overlay) look.glass = holdsAnother(result, i);
        this.skins.push(look);
      }
      return { track: one, group };
    });
    this.addJoints();
    this.addSprings();
    if (this.herd) this.gather(this.herd, detail);

    this.frameB = triad(palette.axes, ['x', 'y', 'z'], this.reach, 0.014 * Math.min(1, this.reach));
    this.actors[picked]!.group.add(this.frameB);
    this.frameN = triad([palette.faint, palette.faint, palette.faint], ['X', 'Y', 'Z'], 0.7, 0.009);
    const e_NG = result.floor ? turnBetween([0, 0, 1], result.floor.normal) : conjugate(result.e_UN);
    const level = (floor - dot(result.floor?.normal ?? result.up, centre)) / size;
    this.frameN.position.set(...rotate(e_NG, [-1.3, -1.3, level]));
    this.w = new Arrow(palette.w, 'ω', 2);
    this.h = new Arrow(palette.h, 'h', 1);
    this.tau = new Arrow(palette.tau, 'τ', 1);
    this.arrows.add(this.w, this.h, this.tau);
    this.gridStep = niceBelow(0.75 * size);
    this.grounds = [{ group: this.ground, e_NG, level }];
    for (const { point, normal } of result.otherFloors) {
      this.grounds.push({ group: new Group(), e_NG: turnBetween([0, 0, 1], normal), level: dot(normal, sub(point, centre)) / size });
    }
    for (const one of this.grounds) {
      one.group.add(net(this.layout.travels ? 6 : 2.6, this.gridStep / size, palette.grid));
      one.group.quaternion.copy(toThree(one.e_NG));
      this.world.add(one.group);
    }
    this.layGrounds([0, 0, 0]);
    this.world.add(this.arrows, this.frameN);
    if (!many) {
      const axes: Vec[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      this.trails = axes.map((axis, i) => {
        const trail = new Trail(palette.axes[i]!, 2.2, trailPoints, 0.75);
        this.world.add(trail.line);
        return { axis, trail };
      });
    }
    this.spin = new Trail(palette.w, 2.6, trailPoints, 0.9);
    this.actors[picked]!.group.add(this.spin.line);
    const rows = track.t.length;
    /** Largest over the run; nothing where that is rounding beside what other bodies have. */
    const most = (at: (one: Track, row: number) => Vec | null): number => {
      const own = largest(rows, (row) => at(track, row));
      const all = overlay ? 0 : Math.max(...result.bodies.map((one) => largest(rows, (row) => at(one, row), 40)));
      return own > 1e-10 * all ? own : 0;
    };
    this.most = {
      w: most((one, row) => one.rate(row)),
      h: most((one, row) => one.momentum(row)),
      tau: most((one, row) => one.torque(row)),
    };
    // what never moves in its body keeps its matrix
    for (const { group } of this.actors) group.children.forEach(freeze);
  }

  /** Puts each net into its plane, its middle below a position, to whole meshes. */
  private layGrounds(position: Vec): void {
    const step = this.gridStep / this.layout.size;
    for (const { group, e_NG, level } of this.grounds) {
      const [x, y] = rotateBack(e_NG, position);
      group.position.set(...rotate(e_NG, [Math.round(x / step) * step, Math.round(y / step) * step, level]));
    }
  }

  /** Shapes of many bodies, and the pieces of their joints, of a kind together. */
  private gather(herd: Herd, detail: number): void {
    const { palette, result, picked } = this.shown;
    const look = new BodyLook(palette, '#ffffff', '#c4c4c4');
    this.skins.push(look);
    const metal = new BodyLook(palette, '#ffffff').box;
    const scaled = new Matrix4().makeScale(1 / this.layout.size, 1 / this.layout.size, 1 / this.layout.size);
    this.actors.forEach(({ track, group }, i) => {
      const colour = i === picked ? palette.chosen : palette.tints[i % palette.tints.length]!;
      const shapes = bodyMesh(track.body, look, detail, false);
      for (const mesh of shapes.children as Mesh<BufferGeometry, Material>[]) {
        mesh.updateMatrix();
        const key = `${mesh.material.id} ${mesh.userData['key'] as string}`;
        herd.add(key, i, new Matrix4().multiplyMatrices(scaled, mesh.matrix), colour, () => mesh);
      }
      // joints: what was added to the group before
      for (const piece of [...group.children]) {
        piece.updateMatrix();
        for (const mesh of piece.children as Mesh<BufferGeometry, MeshStandardMaterial>[]) {
          const { type, parameters } = mesh.geometry as BufferGeometry & { parameters?: object };
          const key = `${type} ${JSON.stringify(parameters)} ${mesh.geometry.attributes['position']!.array.slice(0, 6).join(' ')}`;
          herd.add(key, i, piece.matrix.clone(), `#${mesh.material.color.getHexString()}`, () => ({ geometry: mesh.geometry, material: metal }));
        }
        group.remove(piece);
      }
    });
    herd.build(this.world);
    // nothing is drawn of the list of bodies but their frames
    result.bodies.forEach((_, i) => (this.actors[i]!.group.matrixAutoUpdate = false));
  }

  /** Pieces on both bodies, and sticks from the mass centres to them. */
  private addJoints(): void {
    const { result, palette } = this.shown;
    const { size } = this.layout;
    const materials = jointMaterials(palette);
    const radius = (i: number): number => (i < 0 ? Infinity : radiusOf(result.bodies[i]!.body));
    const bone = new MeshStandardMaterial({ color: palette.dark ? '#c8d4e0' : '#43525f', roughness: 0.6 });
    const few = result.bodies.length <= crowd;
    for (const joint of result.joints) {
      const g = Math.min(0.075, 0.4 * Math.min(radius(joint.first), radius(joint.second)) / size);
      const pieces = jointPieces(joint.kind, { g, ...materials });
      const sides: [number, Group, Vec, Vec | null][] = [
        [joint.first, pieces.first, joint.r_first, joint.first < 0 ? null : result.bodies[joint.first]!.body.reference_B],
        [joint.second, pieces.second, joint.r_second, joint.second < 0 ? null : result.bodies[joint.second]!.body.reference_B],
      ];
      sides.forEach(([index, piece, r, reference], side) => {
        piece.quaternion.copy(toThree(side === 0 ? joint.e_first : joint.e_second));
        const at = scale(1 / size, reference ? sub(r, reference) : sub(r, this.layout.centre));
        piece.position.set(...at);
        if (index < 0) {
          this.world.add(piece);
          return;
        }
        const { group } = this.actors[index]!;
        group.add(piece);
        if (few && length(at) > 0.02) group.add(stick(at, 0.22 * g, bone));
      });
      if (pieces.rod) {
        const mesh = new Mesh(new CylinderGeometry(0.25 * g, 0.25 * g, 1, 12), bone);
        this.world.add(mesh);
        this.links.push({ kind: 'rod', from: { body: joint.first, r: joint.r_first }, to: { body: joint.second, r: joint.r_second }, mesh });
      }
    }
  }

  private addSprings(): void {
    const { result, palette } = this.shown;
    const rubber = new MeshStandardMaterial({ color: palette.dark ? '#9aa4ae' : '#4a4f55', roughness: 0.9 });
    for (const spring of result.springs) {
      const kind = spring.kind === 'bushing' ? 'bushing' : 'spring';
      const mesh = kind === 'bushing' ? new Mesh(new SphereGeometry(1, 20, 14), rubber) : coil(palette.text, 0.05).line;
      this.world.add(mesh);
      this.links.push({ kind, from: { body: spring.first, r: spring.on_first }, to: { body: spring.second, r: spring.on_second }, mesh });
    }
  }

  /** The body under a ray, or −1. */
  pick(ray: Vector2, camera: Camera): number {
    const caster = new Raycaster();
    caster.setFromCamera(ray, camera);
    caster.params.Line.threshold = 0; // edges belong to faces
    if (this.herd) return this.herd.pick(caster);
    // its shapes only, not its axes and their letters
    const shapes = this.actors.filter(({ group }) => group.visible).map(({ group }) => group.children[0]!);
    for (const { object } of caster.intersectObjects(shapes, true)) {
      for (let one: Object3D | null = object; one; one = one.parent) {
        const index = one.userData['body'] as number | undefined;
        if (index !== undefined) return index;
      }
    }
    return -1;
  }

  override update(pose: Pose, t: number, looks: Looks): void {
    const { size, centre, travels } = this.layout;
    const { result, picked, overlay } = this.shown;
    const at = (r: Vec): Vec => [(r[0] - centre[0]) / size, (r[1] - centre[1]) / size, (r[2] - centre[2]) / size];
    const position = at(pose.r_N);
    this.turnWorld(pose.e_NB, looks);
    const held = looks.frame === 'body' || looks.follow;
    const shift = new Vector3(...position).applyQuaternion(this.world.quaternion);
    this.world.position.copy(held ? shift.negate() : shift.set(0, 0, 0));

    const moment = locate(result.t, t);
    // of many motions over each other only the first and the one that was picked can be told apart
    const few = looks.chosen.length <= 6;
    this.actors.forEach(({ track, group }, i) => {
      group.visible = !overlay || i === picked || (few ? looks.chosen.includes(track.body.name) : i === 0);
      if (!group.visible) return;
      const { e_NB, r_N } = i === picked ? pose : track.stance(moment);
      // a run that ended early
      if (!Number.isFinite(e_NB[0])) group.visible = false;
      group.quaternion.set(e_NB[1], e_NB[2], e_NB[3], e_NB[0]);
      group.position.set((r_N[0] - centre[0]) / size, (r_N[1] - centre[1]) / size, (r_N[2] - centre[2]) / size);
    });
    if (this.herd) {
      for (const { group } of this.actors) group.updateMatrix();
      this.herd.update(this.actors.map(({ group }) => group));
    }
    for (const link of this.links) this.stretch(link);

    this.arrows.position.set(...position);
    const show = (arrow: Arrow, v: Vec, most: number, on: boolean): void => {
      arrow.point(v, on && most > 0 ? 1.12 * this.reach * (length(v) / most) : 0);
    };
    show(this.w, pose.w_N, this.most.w, looks.w);
    show(this.h, pose.h_N ?? [0, 0, 0], this.most.h, looks.h);
    show(this.tau, pose.tau_N ?? [0, 0, 0], this.most.tau, looks.tau);
    for (const look of this.skins) look.see(looks.clear);
    this.frameB.visible = looks.frames;
    this.frameN.visible = looks.frames;
    for (const { group } of this.grounds) group.visible = looks.grid;
    if (travels) this.layGrounds(position);
    this.drawTrails(pose, t, looks);
  }

  private stretch({ kind, from, to, mesh }: Link): void {
    const position = ({ body, r }: Pin): Vector3 => {
      const local = body < 0 ? sub(r, this.layout.centre) : sub(r, this.actors[body]!.track.body.reference_B);
      const point = new Vector3(...local).divideScalar(this.layout.size);
      const group = this.actors[body]?.group;
      return group ? point.applyQuaternion(group.quaternion).add(group.position) : point;
    };
    const a = position(from);
    const along = position(to).sub(a);
    const long = along.length();
    mesh.position.copy(a).addScaledVector(along, 0.5);
    const thick = 0.035;
    if (kind === 'bushing') mesh.scale.set(thick, thick + long / 2, thick);
    else mesh.scale.set(1, long, 1);
    mesh.visible = kind === 'bushing' || long > 0;
    if (long > 0) mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.divideScalar(long));
  }

  private drawTrails(pose: Pose, t: number, looks: Looks): void {
    const fromBody = looks.frame === 'body';
    const { size, centre } = this.layout;
    this.spin.line.visible = looks.trail && fromBody && this.most.w > 0;
    if (this.spin.line.visible || this.trails.length > 0) this.past.turns(t, looks.trailTurns, pose.w_B);
    if (this.spin.line.visible) {
      this.spin.draw(this.past.count + 1, (i, out) => {
        const w = i < this.past.count ? this.past.rate(i) : pose.w_B;
        for (let k = 0; k < 3; k++) out[k] = ((1.12 * this.reach) / this.most.w) * w[k]!;
      });
    }
    for (const { axis, trail } of this.trails) {
      trail.line.visible = looks.trail && !fromBody;
      if (!trail.line.visible) continue;
      const n = this.past.count;
      trail.draw(n + 1, (i, out) => {
        const e = i < n ? this.past.attitude(i) : pose.e_NB;
        const r = i < n ? this.past.position(i) : pose.r_N;
        const v = rotate(e, axis);
        for (let k = 0; k < 3; k++) out[k] = this.reach * v[k]! + (r[k]! - centre[k]!) / size;
      });
    }
    if (this.trails.length > 0) return;
    for (const [name, { trail }] of this.ways) trail.line.visible = looks.trail && looks.chosen.includes(name);
    if (!looks.trail) return;
    this.actors.forEach(({ track }, i) => {
      if (!looks.chosen.includes(track.body.name)) return;
      let way = this.ways.get(track.body.name);
      if (!way) {
        const { palette } = this.shown;
        way = { past: new Past(track), trail: new Trail(palette.series[i % palette.series.length]!, 2.4, trailPoints, 0.85) };
        this.ways.set(track.body.name, way);
        this.world.add(way.trail.line);
      }
      const { past, trail } = way;
      past.set(t, (track.t[track.t.length - 1]! - track.t[0]!) / 4);
      const now = this.actors[i]!.group.position;
      trail.draw(past.count + 1, (k, out) => {
        if (k >= past.count) now.toArray(out);
        else for (let c = 0; c < 3; c++) out[c] = (past.position(k)[c]! - centre[c]!) / size;
      });
    });
  }

  override describe(): string {
    const { result, overlay } = this.shown;
    const what =
      result.bodies.length === 1
        ? 'The body'
        : overlay
          ? `${counted(result.bodies.length, 'motion')} over each other; ${this.track.body.name}`
          : `${counted(result.bodies.length, 'body', 'bodies')}, ${counted(result.joints.length, 'joint')} and ${counted(result.springs.length, 'spring')}; ${this.track.body.name}`;
    return `${what} with its axes, angular velocity, angular momentum and torque; squares of the net are ${this.gridStep} m.`;
  }
}

/** Saves three.js the work of computing a matrix anew that stays the same. */
function freeze(object: Object3D): void {
  object.traverse((one) => {
    if (one.type === 'Sprite' || one.userData['moves']) return;
    one.updateMatrix();
    one.matrixAutoUpdate = false;
  });
}
