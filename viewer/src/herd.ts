// Many pieces of the same shape, drawn at once: a scene of a hundred bodies costs no more calls than one of a few.
import { type BufferGeometry, Color, type Group, InstancedMesh, Matrix4, type Material, type Object3D, type Raycaster } from 'three';

interface Piece {
  /** The body that carries it. */
  owner: number;
  local: Matrix4;
  colour: string;
}

interface Kind {
  geometry: BufferGeometry;
  material: Material;
  pieces: Piece[];
  mesh: InstancedMesh | null;
}

export class Herd {
  private readonly kinds = new Map<string, Kind>();
  private readonly matrix = new Matrix4();

  /** A piece that goes with a body; those with the same key share what `make` gives the first time. */
  add(key: string, owner: number, local: Matrix4, colour: string, make: () => { geometry: BufferGeometry; material: Material }): void {
    let kind = this.kinds.get(key);
    if (!kind) {
      kind = { ...make(), pieces: [], mesh: null };
      this.kinds.set(key, kind);
    }
    kind.pieces.push({ owner, local, colour });
  }

  /** To be called once, after the last piece. */
  build(world: Group): void {
    for (const kind of this.kinds.values()) {
      kind.mesh = new InstancedMesh(kind.geometry, kind.material, kind.pieces.length);
      kind.mesh.frustumCulled = false;
      kind.pieces.forEach((piece, i) => kind.mesh!.setColorAt(i, new Color(piece.colour)));
      world.add(kind.mesh);
    }
  }

  update(owners: Object3D[]): void {
    for (const { mesh, pieces } of this.kinds.values()) {
      pieces.forEach((piece, i) => mesh!.setMatrixAt(i, this.matrix.multiplyMatrices(owners[piece.owner]!.matrix, piece.local)));
      mesh!.instanceMatrix.needsUpdate = true;
    }
  }

  /** The owner of the nearest piece under a ray, or −1. */
  pick(caster: Raycaster): number {
    const hits = [...this.kinds.values()].flatMap(({ mesh, pieces }) => {
      mesh!.boundingSphere = null; // the bodies have moved since
      return caster.intersectObject(mesh!).map(({ distance, instanceId }) => ({ distance, owner: pieces[instanceId!]!.owner }));
    });
    hits.sort((a, b) => a.distance - b.distance);
    return hits[0]?.owner ?? -1;
  }
}
