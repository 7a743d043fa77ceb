import {
  type BufferGeometry, type Camera, CylinderGeometry, Group, type Material, Matrix4, Mesh, MeshStandardMaterial, type Object3D, Quaternion,
  Raycaster, type Vector2, Vector3,
} from 'three';
import { Herd } from '../herd';
import { jointMaterials, jointPieces } from '../joints';
import { Arrow, bodyMesh, BodyLook, radiusOf, stick, toThree, Trail, triad } from '../pieces';
import { locate, type Joint, type Pose, type Result, type Track } from '../result';
import { length, rotate, scale, sub, type Vec } from '../rotation';
import { Base, largest, net, niceBelow, Past, trailPoints, type Looks, type Shown } from './base';

/** How large a scene is, in metres, and where its middle and its floor are. */
export interface Layout {
  size: number;
  centre: Vec;
  floor: number;
  /** It goes away from where it was: only following keeps it in the picture. */
  travels: boolean;
}

export function layoutOf({ bodies, t, mechanism }: Result, overlay: boolean): Layout {
  const first = bodies[0]!;
  if (!mechanism || overlay) {
    const size = radiusOf(first.body);
    return { size, centre: [0, 0, 0], floor: first.body.held ? 0 : -1.25 * size, travels: first.r !== null };
  }
  const low: Vec = [Infinity, Infinity, Infinity];
  const high: Vec = [-Infinity, -Infinity, -Infinity];
  let widest = 0;
  const radii = bodies.map(({ body }) => radiusOf(body));
  const stride = Math.max(1, Math.floor(t.length / Math.max(20, 4000 / bodies.length)));
  for (let row = 0; row < t.length; row += stride) {
    for (let k = 0; k < 3; k++) {
      let a = Infinity;
      let b = -Infinity;
      bodies.forEach((track, i) => {
        const x = track.place(row)[k]!;
        a = Math.min(a, x - radii[i]!);
        b = Math.max(b, x + radii[i]!);
      });
      low[k] = Math.min(low[k]!, a);
      high[k] = Math.max(high[k]!, b);
      widest = Math.max(widest, b - a);
    }
  }
  const all = Math.max(...sub(high, low));
  const travels = all > 4 * widest;
  const size = (travels ? widest : all) / 2.7;
  return { size: size > 0 ? size : 1, centre: travels ? [0, 0, 0] : scale(0.5, [low[0] + high[0], low[1] + high[1], low[2] + high[2]]), floor: low[2], travels };
}

/** A body in the scene: where it stands, and which one it is. */
interface Actor {
  track: Track;
  group: Group;
}

/** From so many bodies on they are drawn together. */
const crowd = 24;

/** A massless rod that follows the points of two bodies. */
interface Rod {
  joint: Joint;
  mesh: Mesh;
}

/** The bodies as they are, with joints, arrows, frames, a net below and trails. */
export class MotionView extends Base {
  readonly id = 'motion';
  private readonly actors: Actor[];
  private readonly herd: Herd | null;
  private readonly skins: BodyLook[] = [];
  private readonly rods: Rod[] = [];
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
    this.reach = many ? Math.max(0.45, Math.min(1.25, 1.5 * own)) : 1.25;

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
        this.skins.push(look);
      }
      return { track: one, group };
    });
    this.addJoints();
    if (this.herd) this.gather(this.herd, detail);

    this.frameB = triad(palette.axes, ['x', 'y', 'z'], this.reach, 0.014 * Math.min(1, this.reach));
    this.actors[picked]!.group.add(this.frameB);
    this.frameN = triad([palette.faint, palette.faint, palette.faint], ['X', 'Y', 'Z'], 0.7, 0.009);
    this.frameN.position.set(many ? -1.3 : -1.9, many ? -1.3 : -1.9, (floor - centre[2]) / size);
    this.w = new Arrow(palette.w, 'ω', 2);
    this.h = new Arrow(palette.h, 'h', 1);
    this.tau = new Arrow(palette.tau, 'τ', 1);
    this.arrows.add(this.w, this.h, this.tau);
    this.gridStep = niceBelow(0.75 * size);
    this.ground.add(net(this.layout.travels ? 6 : 2.6, this.gridStep / size, palette.grid));
    this.ground.position.z = (floor - centre[2]) / size;
    this.world.add(this.arrows, this.frameN, this.ground);
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
    this.most = {
      w: largest(rows, (row) => track.rate(row)),
      h: largest(rows, (row) => track.momentum(row)),
      tau: largest(rows, (row) => track.torque(row)),
    };
    // what never moves in its body keeps its matrix
    for (const { group } of this.actors) group.children.forEach(freeze);
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
        [joint.second, pieces.second, joint.r_second, result.bodies[joint.second]!.body.reference_B],
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
        this.rods.push({ joint, mesh });
      }
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
    const place = at(pose.r_N);
    this.turnWorld(pose.e_NB, looks);
    const held = looks.frame === 'body' || looks.follow;
    const shift = new Vector3(...place).applyQuaternion(this.world.quaternion);
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
    for (const rod of this.rods) this.stretch(rod);

    this.arrows.position.set(...place);
    const show = (arrow: Arrow, v: Vec, most: number, on: boolean): void => {
      arrow.point(v, on && most > 0 ? 1.12 * this.reach * (length(v) / most) : 0);
    };
    show(this.w, pose.w_N, this.most.w, looks.w);
    show(this.h, pose.h_N, this.most.h, looks.h);
    show(this.tau, pose.tau_N, this.most.tau, looks.tau);
    for (const look of this.skins) look.see(looks.clear);
    this.frameB.visible = looks.frames;
    this.frameN.visible = looks.frames;
    this.ground.visible = looks.grid;
    if (travels) {
      // the net goes along by whole meshes
      const step = this.gridStep / size;
      this.ground.position.x = Math.round(place[0] / step) * step;
      this.ground.position.y = Math.round(place[1] / step) * step;
    }
    this.drawTrails(pose, t, looks);
  }

  private stretch({ joint, mesh }: Rod): void {
    const end = (index: number, r: Vec): Vector3 => {
      const local = index < 0 ? sub(r, this.layout.centre) : sub(r, this.actors[index]!.track.body.reference_B);
      const point = new Vector3(...local).divideScalar(this.layout.size);
      const group = this.actors[index]?.group;
      return group ? point.applyQuaternion(group.quaternion).add(group.position) : point;
    };
    const a = end(joint.first, joint.r_first);
    const along = end(joint.second, joint.r_second).sub(a);
    const long = along.length();
    mesh.visible = long > 0;
    if (!mesh.visible) return;
    mesh.position.copy(a).addScaledVector(along, 0.5);
    mesh.scale.set(1, long, 1);
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.divideScalar(long)));
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
        const r = i < n ? this.past.place(i) : pose.r_N;
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
        else for (let c = 0; c < 3; c++) out[c] = (past.place(k)[c]! - centre[c]!) / size;
      });
    });
  }

  override describe(): string {
    const { result, overlay } = this.shown;
    const what =
      result.bodies.length === 1
        ? 'The body'
        : overlay
          ? `${result.bodies.length} motions over each other; ${this.track.body.name}`
          : `${result.bodies.length} bodies and ${result.joints.length} joints; ${this.track.body.name}`;
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
