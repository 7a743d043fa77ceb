// The picture in three dimensions: one canvas, one camera, the view that was chosen.
import { Color, PerspectiveCamera, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Palette } from './palette';
import type { Result } from './result';
import { rotate, type Vec } from './rotation';
import { ways } from './views';
import type { Looks, Shown, View } from './views/base';
import { MotionView } from './views/motion';

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

const fullRatio = (): number => Math.min(2, devicePixelRatio || 1);

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(34, 1, 0.01, 80);
  readonly controls: OrbitControls;
  private views = new Map<string, View>();
  private shown: Shown | null = null;
  view: View | null = null;
  /** There was something to draw. */
  drawn = false;
  /** Sharpness: goes down where drawing is slow. */
  private ratio = 1;
  private slow = 0;

  constructor(readonly canvas: HTMLCanvasElement, private readonly changed: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawnBySoftware(), powerPreference: 'high-performance' });
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.05;
    this.controls.maxDistance = 30;
    this.controls.addEventListener('change', changed);
    this.ratio = fullRatio();
    this.renderer.setPixelRatio(this.ratio);
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', changed);
  }

  show(result: Result, picked: number, overlay: boolean, palette: Palette): void {
    for (const view of this.views.values()) view.dispose();
    this.views.clear();
    this.view = null;
    this.shown = result.bodies.length > 0 ? { result, picked, overlay, palette } : null;
    this.renderer.setClearColor(new Color(palette.ground));
  }

  /** Views that this run has something for. */
  available(): { id: string; name: string }[] {
    const { shown } = this;
    return shown ? ways.filter((way) => way.has(shown.result.bodies[shown.picked]!)) : [];
  }

  select(id: string): void {
    if (!this.shown) return;
    let view = this.views.get(id);
    if (!view) {
      view = (ways.find((way) => way.id === id) ?? ways[0]!).make(this.shown);
      this.views.set(id, view);
    }
    const before = this.view;
    this.view = view;
    if (!before || before.id !== id) this.look('start');
  }

  /** From one of `eyes`: along an axis of space or, where that stands still, of the body. */
  look(name: string, fromBody = false): void {
    if (!this.view) return;
    const distance = Math.hypot(...this.view.eye);
    const from = eyes[name];
    const eye = from ? new Vector3(...(fromBody ? from : rotate(this.view.upright, from))).setLength(distance) : new Vector3(...this.view.eye);
    // on a narrow screen from further away
    eye.multiplyScalar(Math.max(1, 0.95 / this.camera.aspect));
    this.camera.position.copy(eye);
    this.controls.target.set(0, 0, 0);
    this.controls.update();
    this.changed();
  }

  /** As near to the body in the middle as it fills the picture. */
  approach(): void {
    if (!(this.view instanceof MotionView)) return;
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.controls.target.set(0, 0, 0);
    this.camera.position.copy(offset.setLength(Math.min(offset.length(), this.view.nearDistance)));
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

  /** The body that is seen at a point of the canvas, or −1. Where another view shows one body, that is the one. */
  pick(clientX: number, clientY: number): number {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    if (this.view instanceof MotionView) return this.view.pick(at, this.camera);
    return at.length() < 0.6 ? (this.shown?.picked ?? -1) : -1;
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
    const pose = this.shown?.result.bodies[this.shown.picked]!.pose(t);
    // a file without attitudes, a row without one, or a run that ended before: nothing of what was shown before stays
    this.drawn = !!this.view && !!pose && Number.isFinite(pose.e_NB[0] + pose.r_N[0]);
    if (!this.drawn) {
      this.renderer.clear();
      return;
    }
    this.view!.update(pose!, t, looks);
    this.renderer.render(this.view!.scene, this.camera);
  }

  /** Told how long frames take while playing; without a GPU fewer points are drawn. */
  pace(frame: number): void {
    this.slow = frame > 60 && frame < 2000 ? this.slow + 1 : 0;
    if (this.slow >= 4 && this.ratio > 0.5) {
      this.ratio = Math.max(0.5, this.ratio * 0.7);
      this.slow = 0;
      this.sharpen(false);
    }
  }

  /** What stands still is drawn with all points. */
  sharpen(still: boolean): void {
    const ratio = still ? fullRatio() : this.ratio;
    if (this.renderer.getPixelRatio() === ratio) return;
    this.renderer.setPixelRatio(ratio);
    this.resize();
  }
}
