// The list of bodies and joints beside the picture: what is picked, and what leaves a trail or is drawn.
import { byId, element, readable } from './dom';
import type { Result } from './result';

export interface BodyHost {
  result: Result;
  /** Index of the body that was picked. */
  picked: number;
  chosen: string[];
  pick(index: number): void;
  choose(name: string, on: boolean): void;
  setChosen(names: string[]): void;
  plotJoint(name: string): void;
}

/** Fills the panel; `choice` says what a tick means. */
export function fillBodies(host: BodyHost, choice: string): void {
  const { bodies, joints } = host.result;
  const name = (index: number): string => (index < 0 ? 'ground' : bodies[index]!.body.name);
  const rows = bodies.map(({ body }, i) => {
    const tick = element('input', { type: 'checkbox', 'aria-label': `${choice} of ${body.name}` });
    tick.checked = host.chosen.includes(body.name);
    tick.addEventListener('change', () => host.choose(body.name, tick.checked));
    const button = element('button', { type: 'button', 'aria-pressed': String(i === host.picked), click: () => host.pick(i) }, body.name);
    return element('li', {}, button, element('label', { class: 'faint' }, tick, choice));
  });
  const all = bodies.map(({ body }) => body.name);
  const tools = element(
    'p',
    {},
    element('button', { type: 'button', class: 'small', click: () => host.setChosen(all) }, `${choice}: all`),
    ' ',
    element('button', { type: 'button', class: 'small', click: () => host.setChosen(all.slice(host.picked, host.picked + 1)) }, `${choice}: only what is picked`),
  );
  const list = element('ul', { class: 'bodies' }, ...rows);
  const others = joints.map((joint) =>
    element(
      'li',
      {},
      element('button', { type: 'button', title: 'plot its coordinates', click: () => host.plotJoint(joint.name) }, joint.name),
      element('span', { class: 'faint' }, `${joint.kind}, ${name(joint.first)} – ${name(joint.second)}`),
    ),
  );
  byId('bodies').replaceChildren(...(all.length > 2 ? [tools] : []), list, ...(others.length > 0 ? [element('h2', {}, 'Joints'), element('ul', { class: 'bodies' }, ...others)] : []));
}

/** Says which body is picked, and what it weighs; of motions of one body the name is enough. */
export const bodyWords = (result: Result, index: number, overlay: boolean): string => {
  const body = result.bodies[index]?.body;
  if (!body || result.bodies.length < 2) return '';
  return overlay || !(body.mass > 0) ? body.name : `${body.name}, ${readable(body.mass, 3)} kg`;
};
