import { CylinderGeometry, Group, type LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, Vector3 } from 'three';
import { counted } from '../counted';
import { Arrow, label, toThree, Trail, triad } from '../pieces';
import type { Pose } from '../result';
import { length, rotate, type Vec } from '../rotation';
import { Base, graticule, trailPoints, type Looks, type Shown } from './base';

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
  constructor(shown: Shown) {
    super(shown);
    const { palette } = this;
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
    const h_N = pose.h_N ?? [0, 0, 0];
    this.h.point(h_N, looks.h && length(h_N) > 0 ? 1.3 : 0);
    this.threads.visible = looks.grid;
    this.frameN.visible = looks.frames;
    this.past.turns(t, looks.trailTurns, pose.w_B);
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
    return `The tips of the body's three axes on the unit sphere, with the way they came (${counted(this.tips.length, 'trace')}).`;
  }
}
