import {
  CircleGeometry, DoubleSide, Group, type LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { Arrow, toThree, Trail, triad } from '../pieces';
import type { Pose } from '../result';
import { length, rotate, rotateBack, scale, type Quat, type Vec } from '../rotation';
import { Base, graticule, net, trailPoints, type Looks, type Shown } from './base';

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
  constructor(shown: Shown) {
    super(shown, [1, 0, 0, 0]); // it has its own down
    const { track, palette } = this;
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
    const h0 = this.momentumOf(track.attitude(track.firstTurn), track.rate(track.firstTurn)!);
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
    this.past.turns(t, 4 * looks.trailTurns, pose.w_B);
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
