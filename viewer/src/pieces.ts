// The solid things scenes are made of, in units where the body is about one.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, EdgesGeometry, Group,
  LatheGeometry, LineBasicMaterial, LineSegments, type Material, Mesh, MeshBasicMaterial, MeshStandardMaterial, type Object3D,
  Quaternion, SphereGeometry, Sprite, SpriteMaterial, SRGBColorSpace, Vector2, Vector3, type InterleavedBufferAttribute,
} from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import type { Palette } from './palette';
import { length, rotate, type Quat, type Vec } from './rotation';
import type { Body, Part, Surface } from './result';

export const toThree = (e: Quat): Quaternion => new Quaternion(e[1], e[2], e[3], e[0]);
const up = new Vector3(0, 1, 0);

/** Hands memory of the GPU back. */
export function dispose(object: Object3D): void {
  object.traverse((one) => {
    const mesh = one as Partial<Mesh>;
    mesh.geometry?.dispose();
    for (const material of ([] as (Material | undefined)[]).concat(mesh.material ?? [])) material?.dispose();
  });
}

/** A letter that always faces the viewer. */
export function label(text: string, colour: string, size = 0.17): Sprite {
  const canvas = document.createElement('canvas');
  const height = 64;
  const context = canvas.getContext('2d')!;
  const font = `600 ${height * 0.72}px system-ui, sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 16;
  canvas.height = height;
  const fresh = canvas.getContext('2d')!;
  fresh.font = font;
  fresh.fillStyle = colour;
  fresh.textAlign = 'center';
  fresh.textBaseline = 'middle';
  fresh.fillText(text, canvas.width / 2, height / 2);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({ map: texture, depthTest: false, transparent: true }));
  sprite.scale.set((size * canvas.width) / height, size, 1);
  sprite.renderOrder = 10;
  return sprite;
}

/** An arrow from the origin, with two heads for an angular velocity, as polhode draw has it. What lies inside or behind a
 *  body shines through. */
export class Arrow extends Group {
  private readonly shafts: Mesh[] = [];
  private readonly heads: Mesh[][] = [];
  private readonly name3d: Sprite;
  constructor(colour: string, text: string, heads: number, private readonly width = 0.022) {
    super();
    const shaft = new CylinderGeometry(width, width, 1, 12);
    const cone = new ConeGeometry(width * 2.8, width * 7, 16);
    const solid = new MeshStandardMaterial({ color: colour, roughness: 0.5, emissive: colour, emissiveIntensity: 0.25 });
    const glow = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.25, depthTest: false, depthWrite: false });
    for (const material of [solid, glow]) {
      this.shafts.push(new Mesh(shaft, material));
      this.heads.push(Array.from({ length: heads }, () => new Mesh(cone, material)));
    }
    this.add(...this.shafts, ...this.heads.flat());
    this.name3d = label(text, colour);
    // of arrows that lie over each other letters stand side by side
    const side = { ω: [1.15, 0.5], h: [-0.15, 0.5], Jω: [-0.1, 0.5], τ: [0.5, 1.2] }[text];
    if (side) this.name3d.center.set(side[0]!, side[1]!);
    this.add(this.name3d);
  }
  /** Points along v (any length), drawn `size` long; nothing where it is too short to see. */
  point(v: Vec, size: number): void {
    const n = length(v);
    const head = this.width * 7;
    this.visible = n > 0 && size > 0.02;
    if (!this.visible) return;
    this.quaternion.setFromUnitVectors(up, new Vector3(v[0] / n, v[1] / n, v[2] / n));
    const heads = Math.min(1, size / (head * (this.heads[0]!.length + 0.5)));
    const long = Math.max(1e-3, size - head * heads);
    for (const shaft of this.shafts) {
      shaft.scale.set(1, long, 1);
      shaft.position.y = long / 2;
    }
    for (const list of this.heads) {
      list.forEach((one, i) => {
        one.scale.setScalar(heads);
        one.position.y = size - head * heads * (0.5 + 0.8 * i);
      });
    }
    this.name3d.position.y = size + 0.1;
  }
}

/** Three axes with letters. */
export function triad(colours: readonly string[], names: readonly string[], size: number, width = 0.014): Group {
  const group = new Group();
  names.forEach((name, i) => {
    const arrow = new Arrow(colours[i]!, name, 1, width);
    const axis: Vec = [0, 0, 0];
    axis[i] = 1;
    arrow.point(axis, size);
    group.add(arrow);
  });
  return group;
}

/** A thick line of up to `capacity` points that is written anew without making anything. */
export class Trail {
  readonly line: Line2;
  private readonly geometry = new LineGeometry();
  private readonly buffer: Float32Array;
  constructor(colour: string, width: number, readonly capacity: number, opacity = 1) {
    this.geometry.setPositions(new Float32Array(3 * capacity));
    const start = this.geometry.attributes['instanceStart'] as InterleavedBufferAttribute;
    this.buffer = start.data.array as Float32Array;
    this.line = new Line2(
      this.geometry,
      new LineMaterial({ color: colour, linewidth: width, transparent: opacity < 1, opacity }),
    );
    this.line.frustumCulled = false;
    this.geometry.instanceCount = 0;
  }
  /** Points 0 to count − 1 from `at`, which writes one into `out`. */
  draw(count: number, at: (i: number, out: Vec) => void): void {
    const n = Math.min(count, this.capacity);
    const p: Vec = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      at(i, p);
      // segment i starts here, segment i − 1 ends here
      this.buffer.set(p, 6 * i < this.buffer.length ? 6 * i : 0);
      if (i > 0) this.buffer.set(p, 6 * (i - 1) + 3);
      else if (n === 1) this.buffer.set(p, 3);
    }
    this.geometry.instanceCount = Math.max(0, n - 1);
    this.line.visible = n > 1;
    (this.geometry.attributes['instanceStart'] as InterleavedBufferAttribute).data.needsUpdate = true;
  }
}

/** A coil of unit length along y about the origin, straight at both ends: to be stretched. */
export function coil(colour: string, radius: number): Trail {
  const [turns, sides, straight] = [9, 14, 0.12];
  const points = turns * sides;
  const trail = new Trail(colour, 2, points + 3);
  trail.draw(points + 3, (i, out) => {
    const n = i - 1;
    const end = n < 0 || n > points;
    const angle = (2 * Math.PI * n) / sides;
    out[0] = end ? 0 : radius * Math.cos(angle);
    out[1] = end ? (n < 0 ? -0.5 : 0.5) : -0.5 + straight + ((1 - 2 * straight) * n) / points;
    out[2] = end ? 0 : radius * Math.sin(angle);
  });
  return trail;
}

/** Light and less light sectors, so that the turn of a round thing can be seen. */
function sectors(a: string, b: string): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 4;
  const context = canvas.getContext('2d')!;
  for (let i = 0; i < 8; i++) {
    context.fillStyle = i % 2 ? a : b;
    context.fillRect(i * 8, 0, 8, 4);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** Triangles with corners of their own, so that each is of one shade. */
function facets({ points, triangles }: Surface): BufferGeometry {
  const corners = new Float32Array(3 * triangles.length);
  triangles.forEach((n, i) => corners.set(points.subarray(3 * n, 3 * n + 3), 3 * i));
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Geometry of a part in its own frame: axes of revolution are z, as in the scenario. */
function geometryOf(part: Part, floor: number, detail: number): BufferGeometry | null {
  const l = part.lengths.map((x) => Math.max(x, floor));
  const turned = (g: BufferGeometry): BufferGeometry => g.rotateX(Math.PI / 2);
  switch (part.shape) {
    case 'box':
      return new BoxGeometry(l[0], l[1], l[2]);
    case 'ellipsoid':
      return turned(new SphereGeometry(1, detail, Math.ceil((2 * detail) / 3))).scale(l[0]!, l[1]!, l[2]!);
    case 'sphere':
      return turned(new SphereGeometry(l[0], detail, Math.ceil((2 * detail) / 3)));
    case 'cylinder':
      return turned(new CylinderGeometry(l[0], l[0], l[1], detail));
    case 'capsule':
      return turned(new CapsuleGeometry(l[0], part.lengths[1] ?? 0, Math.ceil(detail / 4), detail));
    case 'tube': {
      const [outer, inner, long] = [l[0]!, part.lengths[1] ?? 0, l[2]!];
      const profile = [[inner, -long / 2], [outer, -long / 2], [outer, long / 2], [inner, long / 2], [inner, -long / 2]];
      return turned(new LatheGeometry(profile.map(([x, y]) => new Vector2(x, y)), detail));
    }
    case 'cone':
      return turned(new ConeGeometry(l[0], l[1], detail)).translate(0, 0, l[1]! / 2);
    case 'mesh':
      return part.surface && facets(part.surface);
    default:
      return null;
  }
}

/** Calls `see` with every point of a mesh, in the frame of the body. */
function eachPoint({ e_BC, r_BC_B, surface }: Part, see: (x: number, y: number, z: number) => void): void {
  const points = surface?.points ?? [];
  for (let i = 0; i < points.length; i += 3) {
    const p = rotate(e_BC, [points[i]!, points[i + 1]!, points[i + 2]!]);
    see(r_BC_B[0] + p[0], r_BC_B[1] + p[1], r_BC_B[2] + p[2]);
  }
}

/** Longest distance of a part's material from the reference point. */
function reach(part: Part, reference: Vec): number {
  const [a, b, c] = [part.lengths[0] ?? 0, part.lengths[1] ?? 0, part.lengths[2] ?? 0];
  const own: Record<string, number> = {
    box: Math.hypot(a, b, c) / 2,
    ellipsoid: Math.max(a, b, c),
    sphere: a,
    cylinder: Math.hypot(a, b / 2),
    capsule: a + b / 2,
    tube: Math.hypot(a, c / 2),
    cone: Math.max(a, b),
  };
  if (part.surface) {
    // its origin may be far from its material
    let most = 0;
    eachPoint(part, (x, y, z) => (most = Math.max(most, Math.hypot(x - reference[0], y - reference[1], z - reference[2]))));
    return most;
  }
  const r = part.r_BC_B;
  return Math.hypot(r[0] - reference[0], r[1] - reference[1], r[2] - reference[2]) + (own[part.shape] ?? 0);
}

const radii = new WeakMap<Body, number>();

export function radiusOf(body: Body): number {
  let radius = radii.get(body);
  if (radius === undefined) {
    radius = Math.max(0, ...body.parts.filter((part) => !part.hole).map((part) => reach(part, body.reference_B)));
    radii.set(body, radius);
  }
  return radius > 0 ? radius : 1;
}

/** About the middle of a part's material, in the frame of the body. */
export function middleOf(part: Part): Vector3 {
  if (!part.surface) return new Vector3(...part.r_BC_B);
  const sum = new Vector3();
  eachPoint(part, (x, y, z) => (sum.x += x, sum.y += y, sum.z += z));
  return sum.divideScalar(Math.max(1, part.surface.points.length / 3));
}

/** Tells surfaces apart. */
const numbers = new WeakMap<Surface, number>();
let surfaceCount = 0;
function numberOf(surface: Surface | null): number {
  if (!surface) return 0;
  if (!numbers.has(surface)) numbers.set(surface, ++surfaceCount);
  return numbers.get(surface)!;
}

/** Edges of a mesh between faces that meet at more than this, degrees, are drawn. */
const creaseAngle = 25;

/** Materials of one body: light and less light where it is round, so that its turn is seen. */
export class BodyLook {
  readonly box: MeshStandardMaterial;
  readonly round: MeshStandardMaterial;
  readonly edges: LineBasicMaterial;
  private pale = false;
  private clear = false;
  private hollow = false;
  constructor(readonly palette: Palette, colour: string, second?: string) {
    const lighter = second ?? (colour === palette.body ? palette.bodyMark : `#${new Color(colour).lerp(new Color('#ffffff'), 0.3).getHexString()}`);
    const common = { roughness: 0.55, metalness: 0.05 };
    this.box = new MeshStandardMaterial({ color: colour, ...common });
    this.round = new MeshStandardMaterial({ color: '#ffffff', map: sectors(colour, lighter), ...common });
    this.edges = new LineBasicMaterial({ color: palette.dark ? '#c8d4e0' : '#43525f' });
  }
  /** The body that was picked glows; of motions that lie over each other the others are pale. */
  choose(picked: boolean, overlay: boolean): void {
    for (const material of [this.box, this.round]) {
      material.emissive.set(picked && !overlay ? this.palette.chosen : '#000000');
      material.emissiveIntensity = picked ? 0.35 : 0;
    }
    this.pale = overlay && !picked;
    this.see(false, true);
  }
  /** It has something inside that is to be seen, always. */
  set glass(on: boolean) {
    this.hollow = on;
    this.see(this.clear, true);
  }
  /** What is inside is seen through it. */
  see(clear: boolean, anew = false): void {
    if (clear === this.clear && !anew) return;
    this.clear = clear;
    const through = clear || this.hollow;
    for (const material of [this.box, this.round]) {
      material.transparent = through || this.pale;
      material.opacity = through ? 0.3 : this.pale ? 0.4 : 1;
      material.depthWrite = !through;
      material.needsUpdate = true;
    }
  }
}

/** A thin cylinder from the origin to a point. */
export function stick(to: Vec, radius: number, material: MeshStandardMaterial): Mesh {
  const long = length(to);
  const mesh = new Mesh(new CylinderGeometry(radius, radius, long, 10), material);
  mesh.quaternion.setFromUnitVectors(up, new Vector3(...to).divideScalar(long));
  mesh.position.set(to[0] / 2, to[1] / 2, to[2] / 2);
  return mesh;
}

/** The body as it looks, its reference point at the origin, in its own length unit; `detail`: sides of a circle. */
export function bodyMesh(body: Body, look: BodyLook, detail = 48, edges = true): Group {
  const { palette } = look;
  const group = new Group();
  const radius = radiusOf(body);
  const parts = body.parts.length > 0 ? body.parts : [defaultPart];
  for (const part of parts) {
    const geometry = geometryOf(part, 0.012 * radius, detail);
    if (!geometry) continue;
    const round = part.shape !== 'box' && part.shape !== 'mesh';
    let material = round ? look.round : look.box;
    if (part.hole) {
      material = material.clone();
      material.setValues({ transparent: true, opacity: 0.25, depthWrite: false });
    }
    const mesh = new Mesh(geometry, material);
    mesh.userData['key'] = `${part.shape} ${part.lengths.join(' ')} ${numberOf(part.surface)}`;
    if (!round && edges) mesh.add(new LineSegments(new EdgesGeometry(geometry, part.surface ? creaseAngle : 1), look.edges));
    mesh.quaternion.copy(toThree(part.e_BC));
    mesh.position.set(...part.r_BC_B).sub(new Vector3(...body.reference_B));
    group.add(mesh);
  }
  if (body.held) {
    // the point that stays, and a stick from it to where the material is
    const middle = new Vector3();
    for (const part of parts) middle.add(middleOf(part).sub(new Vector3(...body.reference_B)));
    middle.divideScalar(parts.length);
    const material = new MeshStandardMaterial({ color: palette.dark ? '#c8d4e0' : '#43525f', roughness: 0.6 });
    if (middle.length() > 0) group.add(stick(middle.toArray() as Vec, 0.012 * radius, material));
    group.add(new Mesh(new SphereGeometry(0.03 * radius, 16, 12), material));
  }
  return group;
}

/** A brick, where nothing is known but that it turns. */
const defaultPart: Part = { shape: 'box', lengths: [1.6, 1, 0.5], e_BC: [1, 0, 0, 0], r_BC_B: [0, 0, 0], hole: false, surface: null };
