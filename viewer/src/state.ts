// What the viewer has chosen, and the same as the fragment of the address.
import type { Looks } from './views/base';

export interface State {
  t: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  view: string;
  /** Name of the body that was picked; "" for the first. */
  body: string;
  looks: Looks;
  /** Names of quantities, with ~log or ~lin where that is not as usual. */
  plots: string[];
  range: [number, number] | null;
  /** Camera: position and target, six numbers. */
  camera: number[] | null;
  theme: 'light' | 'dark' | null;
}

/** What can be shown or hidden. */
export const flags = ['w', 'h', 'tau', 'frames', 'grid', 'trail', 'clear', 'follow'] as const;
export type Flag = (typeof flags)[number];
const short = (x: number): string => String(Number(x.toPrecision(7)));

export function toFragment(state: State): string {
  const words = new URLSearchParams();
  words.set('t', short(state.t));
  words.set('view', state.view);
  if (state.body) words.set('body', state.body);
  if (state.looks.chosen.length > 0 || state.body) words.set('chosen', state.looks.chosen.join('~'));
  words.set('frame', state.looks.frame);
  words.set('seq', state.looks.sequence);
  words.set('show', flags.filter((flag) => state.looks[flag]).join('.') || 'none');
  words.set('speed', short(state.speed));
  if (state.loop) words.set('loop', '1');
  words.set('plots', state.plots.join(','));
  if (state.range) words.set('range', state.range.map(short).join(','));
  if (state.camera) words.set('cam', state.camera.map((x) => x.toFixed(3)).join(','));
  if (state.theme) words.set('theme', state.theme);
  return words.toString();
}

const numbers = (text: string | null, count: number): number[] | null => {
  const list = (text ?? '').split(',').map(Number);
  return text !== null && list.length === count && list.every(Number.isFinite) ? list : null;
};

/** Takes over what a fragment says, as far as it makes sense. */
export function applyFragment(state: State, fragment: string): boolean {
  const words = new URLSearchParams(fragment.replace(/^#/, ''));
  const t = numbers(words.get('t'), 1);
  if (t) state.t = t[0]!;
  const speed = numbers(words.get('speed'), 1);
  if (speed && speed[0]! > 0) state.speed = speed[0]!;
  state.view = words.get('view') ?? state.view;
  state.body = words.get('body') ?? state.body;
  const chosen = words.get('chosen');
  if (chosen !== null) state.looks.chosen = chosen.split('~').filter((name) => name !== '');
  if (words.get('frame') === 'body' || words.get('frame') === 'space') state.looks.frame = words.get('frame') as 'body' | 'space';
  state.looks.sequence = words.get('seq') ?? state.looks.sequence;
  const show = words.get('show');
  if (show !== null) for (const flag of flags) state.looks[flag] = show.split('.').includes(flag);
  state.loop = words.has('loop') ? words.get('loop') === '1' : state.loop;
  const plots = words.get('plots');
  if (plots !== null) state.plots = plots.split(',').filter((id) => id !== '');
  const range = numbers(words.get('range'), 2);
  if (range && range[1]! > range[0]!) state.range = range as [number, number];
  state.camera = numbers(words.get('cam'), 6) ?? state.camera;
  if (words.get('theme') === 'dark' || words.get('theme') === 'light') state.theme = words.get('theme') as 'dark' | 'light';
  return t !== null;
}
