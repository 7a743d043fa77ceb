// Joints as they look: a piece on each of the two bodies, in the frame of the joint there, about `g` large.
import { BoxGeometry, type BufferGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshStandardMaterial, SphereGeometry, TorusGeometry } from 'three';
import type { Palette } from './palette';

export interface JointPieces {
  first: Group;
  second: Group;
  /** A rod from the first point to the second. */
  rod: boolean;
}

interface Kit {
  g: number;
  first: MeshStandardMaterial;
  second: MeshStandardMaterial;
}

/** A cylinder along an axis of the joint. */
function rod(axis: 0 | 1 | 2, radius: number, long: number): BufferGeometry {
  const geometry = new CylinderGeometry(radius, radius, long, 16);
  return axis === 0 ? geometry.rotateZ(Math.PI / 2) : axis === 2 ? geometry.rotateX(Math.PI / 2) : geometry;
}
const ball = (radius: number): BufferGeometry => new SphereGeometry(radius, 16, 12);
const ring = (radius: number, thick: number): BufferGeometry => new TorusGeometry(radius, thick, 8, 24);

type Maker = (kit: Kit) => { first?: BufferGeometry[]; second?: BufferGeometry[]; rod?: boolean };

/** One line a kind of multibody/joints.def; z is the axis of hinges and slides. */
const makers: Record<string, Maker> = {
  weld: ({ g }) => ({ second: [new BoxGeometry(g, g, g)] }),
  revolute: ({ g }) => ({ first: [rod(2, 0.32 * g, 2.6 * g)], second: [rod(2, 0.55 * g, 1.5 * g)] }),
  prismatic: ({ g }) => ({ first: [new BoxGeometry(0.35 * g, 0.35 * g, 9 * g)], second: [new BoxGeometry(1.1 * g, 1.1 * g, 1.6 * g)] }),
  cylindrical: ({ g }) => ({ first: [rod(2, 0.22 * g, 9 * g)], second: [rod(2, 0.6 * g, 1.6 * g)] }),
  screw: ({ g }) => ({
    first: [rod(2, 0.2 * g, 9 * g), ...[-3, -2, -1, 0, 1, 2, 3].map((k) => ring(0.26 * g, 0.07 * g).translate(0, 0, k * 1.1 * g))],
    second: [rod(2, 0.6 * g, 1.6 * g)],
  }),
  spherical: ({ g }) => ({ second: [ball(0.75 * g)] }),
  universal: ({ g }) => ({ first: [rod(0, 0.25 * g, 2.4 * g)], second: [rod(1, 0.25 * g, 2.4 * g)] }),
  'constant-velocity': ({ g }) => ({ first: [ring(0.8 * g, 0.2 * g)], second: [ball(0.6 * g)] }),
  planar: ({ g }) => ({ first: [new BoxGeometry(7 * g, 7 * g, 0.08 * g)], second: [rod(2, 0.7 * g, 0.5 * g)] }),
  'point-on-line': ({ g }) => ({ first: [rod(2, 0.18 * g, 9 * g)], second: [ball(0.6 * g)] }),
  'point-on-plane': ({ g }) => ({ first: [new BoxGeometry(7 * g, 7 * g, 0.08 * g)], second: [ball(0.6 * g)] }),
  distance: ({ g }) => ({ first: [ball(0.5 * g)], second: [ball(0.5 * g)], rod: true }),
  'spherical-spherical': ({ g }) => ({ first: [ball(0.5 * g)], second: [ball(0.5 * g)], rod: true }),
  'revolute-spherical': ({ g }) => ({ first: [rod(2, 0.4 * g, 1.8 * g)], second: [ball(0.5 * g)], rod: true }),
};
/** A kind that we do not know is a point. */
const unknown: Maker = ({ g }) => ({ second: [ball(0.6 * g)] });

/** The pieces of all joints of a scene share their two materials. */
export function jointMaterials(palette: Palette): { first: MeshStandardMaterial; second: MeshStandardMaterial } {
  const solid = (colour: string): MeshStandardMaterial => new MeshStandardMaterial({ color: colour, roughness: 0.5, side: DoubleSide });
  return { first: solid(palette.faint), second: solid(palette.h) };
}

export function jointPieces(kind: string, kit: Kit): JointPieces {
  const made = (Object.hasOwn(makers, kind) ? makers[kind]! : unknown)(kit);
  const group = (list: BufferGeometry[] | undefined, material: MeshStandardMaterial): Group => {
    const pieces = new Group();
    for (const geometry of list ?? []) pieces.add(new Mesh(geometry, material));
    return pieces;
  };
  return { first: group(made.first, kit.first), second: group(made.second, kit.second), rod: made.rod ?? false };
}
