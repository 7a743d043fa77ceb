import {
  BoxGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, PlaneGeometry, Vector3,
} from 'three';
import { dispose, label, triad } from '../pieces';
import type { Pose } from '../result';
import { distanceToLock, eulerAngles, lockDeterminant, sequenceOf, symbolsOf, type Vec } from '../rotation';
import { Base, type Looks, type Shown } from './base';

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
  constructor(shown: Shown) {
    super(shown, [1, 0, 0, 0]); // sequences count from the axes of space, and the first can stands
    const { palette } = this;
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
