// What the ways to look at a motion share. Each has a scene in which the thing to look at is about one unit large.
import {
  AmbientLight, BufferGeometry, DirectionalLight, Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial, LineSegments, Scene,
} from 'three';
import type { Palette } from '../palette';
import { dispose, toThree } from '../pieces';
import { locate, type Pose, type Result, type Track } from '../result';
import { conjugate, length, type Quat, type Vec } from '../rotation';

/** What the viewer chose; part of the page's state. */
export interface Looks {
  frame: 'space' | 'body';
  follow: boolean;
  w: boolean;
  h: boolean;
  tau: boolean;
  frames: boolean;
  grid: boolean;
  trail: boolean;
  /** Bodies can be seen through. */
  clear: boolean;
  /** How far back trails go, in turns of the body. */
  trailTurns: number;
  /** Names of bodies: those that leave a trail, or, where runs lie over each other, those that are drawn. */
  chosen: string[];
  sequence: string;
}

/** What a view is made of. */
export interface Shown {
  result: Result;
  /** The body that was picked: its index in the list. */
  picked: number;
  /** Bodies are runs of one body and lie over each other. */
  overlay: boolean;
  palette: Palette;
}

export interface View {
  readonly id: string;
  readonly scene: Scene;
  /** Where the camera looks and from where, when nothing else was chosen. */
  readonly eye: Vec;
  /** From space to the picture, which has z up. */
  readonly upright: Quat;
  update(pose: Pose, t: number, looks: Looks): void;
  /** In words, for readers who cannot see it. */
  describe(): string;
  dispose(): void;
}

export const trailPoints = 600;

function lights(scene: Scene, palette: Palette): void {
  scene.add(new HemisphereLight('#ffffff', palette.dark ? '#39424c' : '#9aa4ae', palette.dark ? 1.6 : 1.9));
  scene.add(new AmbientLight('#ffffff', 0.25));
  const sun = new DirectionalLight('#ffffff', 1.9);
  sun.position.set(2, -3, 5);
  scene.add(sun);
  const rim = new DirectionalLight('#ffffff', 0.6);
  rim.position.set(-4, 2, 1);
  scene.add(rim);
}

/** Lines of a square net in the plane z = 0. */
export function net(half: number, step: number, colour: string): LineSegments {
  const points: number[] = [];
  const count = Math.floor(half / step + 1e-9);
  for (let i = -count; i <= count; i++) {
    points.push(i * step, -count * step, 0, i * step, count * step, 0, -count * step, i * step, 0, count * step, i * step, 0);
  }
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.8 }));
}

/** Circles of latitude and longitude on the unit sphere, every 30 degrees. */
export function graticule(colour: string, opacity: number): LineSegments {
  const points: number[] = [];
  const circle = (at: (angle: number) => Vec): void => {
    for (let i = 0; i < 72; i++) points.push(...at((i * Math.PI) / 36), ...at(((i + 1) * Math.PI) / 36));
  };
  for (let k = 0; k < 6; k++) {
    const v = (k * Math.PI) / 6;
    if (k > 0) circle((u) => [Math.sin(v) * Math.cos(u), Math.sin(v) * Math.sin(u), Math.cos(v)]);
    circle((u) => [Math.cos(v) * Math.cos(u), Math.sin(v) * Math.cos(u), Math.sin(u)]);
  }
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity }));
}

/** 1, 2 or 5 times a power of ten, not above x. */
export function niceBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power;
}

/** Attitude and rate along the last part of a run, at times that stay the same while the window moves on, so that only
 *  what is new is computed. */
export class Past {
  count = 0;
  private first = 0;
  private step = 0;
  private readonly numbers = new Int32Array(trailPoints).fill(-1);
  private readonly e = new Float64Array(4 * trailPoints);
  private readonly w = new Float64Array(3 * trailPoints);
  private readonly r = new Float64Array(3 * trailPoints);
  constructor(private readonly track: Track) {}
  /** The last `turns` turns before t, at the rate of now. */
  turns(t: number, turns: number, w_B: Vec): void {
    const rate = length(w_B);
    this.set(t, rate > 0 ? (2 * Math.PI * turns) / rate : Infinity);
  }
  /** About so many seconds before t: the whole run divided by a power of two, so that it does not change with every frame. */
  set(t: number, wanted: number): void {
    const start = this.track.t[0]!;
    const whole = this.track.t[this.track.t.length - 1]! - start || 1;
    const span = wanted >= whole ? whole : whole / 2 ** Math.round(Math.log2(whole / wanted));
    const step = span / (trailPoints - 3);
    if (step !== this.step) this.numbers.fill(-1);
    this.step = step;
    const last = Math.floor((t - start) / step);
    this.first = Math.max(0, last - (trailPoints - 3));
    this.count = last - this.first + 1;
    for (let k = this.first; k <= last; k++) {
      const at = k % trailPoints;
      if (this.numbers[at] === k) continue;
      this.numbers[at] = k;
      const moment = locate(this.track.t, start + k * step);
      const { e_NB, r_N } = this.track.stance(moment);
      this.e.set(e_NB, 4 * at);
      this.w.set(this.track.rateAt(moment), 3 * at);
      this.r.set(r_N, 3 * at);
    }
    // it begins after the last moment of which nothing is known
    for (let k = last; k >= this.first; k--) {
      const at = k % trailPoints;
      if (Number.isFinite(this.e[4 * at]! + this.r[3 * at]!)) continue;
      this.first = k + 1;
      this.count = last - k;
      break;
    }
  }
  attitude(i: number): Quat {
    const at = 4 * ((this.first + i) % trailPoints);
    return [this.e[at]!, this.e[at + 1]!, this.e[at + 2]!, this.e[at + 3]!];
  }
  rate(i: number): Vec {
    const at = 3 * ((this.first + i) % trailPoints);
    return [this.w[at]!, this.w[at + 1]!, this.w[at + 2]!];
  }
  position(i: number): Vec {
    const at = 3 * ((this.first + i) % trailPoints);
    return [this.r[at]!, this.r[at + 1]!, this.r[at + 2]!];
  }
}

export abstract class Base implements View {
  readonly scene = new Scene();
  /** Space components; turned and moved as a whole for the view from the body. */
  protected readonly world = new Group();
  protected readonly past: Past;
  abstract readonly id: string;
  readonly eye: Vec = [3.4, -4.4, 2.4];
  readonly upright: Quat;
  protected readonly track: Track;
  protected readonly palette: Palette;
  constructor(shown: Shown, upright = shown.result.e_UN) {
    this.track = shown.result.bodies[shown.picked]!;
    this.palette = shown.palette;
    this.past = new Past(this.track);
    this.upright = upright;
    lights(this.scene, this.palette);
    this.scene.add(this.world);
  }
  abstract update(pose: Pose, t: number, looks: Looks): void;
  abstract describe(): string;
  protected turnWorld(e_NB: Quat, looks: Looks): void {
    if (looks.frame === 'body') this.world.quaternion.copy(toThree(conjugate(e_NB)));
    else this.world.quaternion.copy(toThree(this.upright));
  }
  dispose(): void {
    dispose(this.scene);
  }
}

/** Largest length of a vector over the run, from no more than so many rows, or little more. */
export function largest(rows: number, at: (row: number) => Vec | null, looks = 4000): number {
  let most = 0;
  const stride = Math.max(1, Math.floor(rows / looks));
  for (let row = 0; row < rows; row += stride) {
    const v = at(row);
    if (v && length(v) > most) most = length(v); // not NaN
  }
  return most;
}
