// The picture in three dimensions: one canvas, one camera, the view that was chosen.
import { Box3, Color, PerspectiveCamera, Raycaster, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { dark, light, type Palette } from './palette';
import type { Result, Track } from './result';
import { CansView, MotionView, PoinsotView, SphereView, type Looks, type View } from './views';
import type { Vec } from './rotation';

export const viewNames: Record<string, string> = { motion: 'Motion', poinsot: 'Poinsot', cans: 'Cans', sphere: 'Sphere' };

/** Directions to look from, by name. */
export const eyes: Record<string, Vec | null> = {
  start: null,
  '+x': [1, 0, 0.0001],
  '+y': [0, 1, 0.0001],
  '+z': [0, -0.0001, 1],
  '−x': [-1, 0, 0.0001],
  '−y': [0, -1, 0.0001],
  '−z': [0, -0.0001, -1],
};

/** Whether WebGL is drawn by the processor: then smooth edges cost too much. */
function drawnBySoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(34, 1, 0.05, 80);
  readonly controls: OrbitControls;
  private views = new Map<string, View>();
  private track: Track | null = null;
  private palette: Palette = light;
  view: View | null = null;
  /** Sharpness: goes down where drawing is slow. */
  private ratio = 1;
  private slow = 0;

  constructor(readonly canvas: HTMLCanvasElement, private readonly changed: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawnBySoftware(), powerPreference: 'high-performance' });
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.8;
    this.controls.maxDistance = 30;
    this.controls.addEventListener('change', changed);
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.renderer.setPixelRatio(this.ratio);
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', changed);
  }

  show(result: Result, palette: Palette): void {
    for (const view of this.views.values()) view.dispose();
    this.views.clear();
    this.view = null;
    this.track = result.bodies[0] ?? null;
    this.palette = palette;
    this.renderer.setClearColor(new Color(palette.ground));
  }

  /** Views that this run has something for. */
  available(): string[] {
    if (!this.track) return [];
    const moments = this.track.body.moments;
    const turns = this.track.w !== null && moments !== null && moments.every((J) => J > 0) && Math.hypot(...this.track.rate(0)!) > 0;
    return Object.keys(viewNames).filter((id) => id !== 'poinsot' || turns);
  }

  select(id: string): void {
    if (!this.track) return;
    let view = this.views.get(id);
    if (!view) {
      const make = { motion: MotionView, poinsot: PoinsotView, cans: CansView, sphere: SphereView }[id] ?? MotionView;
      view = new make(this.track, this.palette);
      this.views.set(id, view);
    }
    const before = this.view;
    this.view = view;
    if (!before || before.id !== id) this.look('start');
  }

  look(name: string): void {
    if (!this.view) return;
    const distance = Math.hypot(...this.view.eye);
    const from = eyes[name];
    const eye = from ? new Vector3(...from).setLength(distance) : new Vector3(...this.view.eye);
    // on a narrow screen from further away
    eye.multiplyScalar(Math.max(1, 0.95 / this.camera.aspect));
    this.camera.position.copy(eye);
    this.controls.target.set(0, 0, 0);
    this.controls.update();
    this.changed();
  }

  /** Turns the camera by angles, and goes nearer by a factor. */
  orbit(azimuth: number, elevation: number, factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const r = offset.length() * factor;
    const a = Math.atan2(offset.y, offset.x) + azimuth;
    const e = Math.max(-1.55, Math.min(1.55, Math.asin(offset.z / offset.length()) + elevation));
    this.camera.position
      .set(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e))
      .multiplyScalar(r)
      .add(this.controls.target);
    this.controls.update();
    this.changed();
  }

  /** Whether a body is seen at a point of the canvas. */
  pick(clientX: number, clientY: number): boolean {
    if (!this.view) return false;
    const box = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(
      new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2),
      this.camera,
    );
    const middle = new Box3().setFromCenterAndSize(new Vector3(), new Vector3(2, 2, 2));
    return ray.ray.intersectsBox(middle);
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.changed();
  }

  draw(t: number, looks: Looks): void {
    if (!this.view || !this.track) return;
    this.view.update(this.track.pose(t), t, looks);
    this.renderer.render(this.view.scene, this.camera);
  }

  /** Told how long frames take while playing; without a GPU fewer points are drawn. */
  pace(frame: number): void {
    this.slow = frame > 60 && frame < 2000 ? this.slow + 1 : 0;
    if (this.slow >= 4 && this.ratio > 0.5) {
      this.ratio = Math.max(0.5, this.ratio * 0.7);
      this.slow = 0;
      this.renderer.setPixelRatio(this.ratio);
      this.resize();
    }
  }

  get isDark(): boolean {
    return this.palette === dark;
  }
}
