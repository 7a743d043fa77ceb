// Several motions of one body over each other: the same scenario under many forms and methods, and the reference.
import type { Curve, Quantity } from '../quantities';
import type { Result } from '../result';
import { commands, facts, heading, origin, paragraph, table } from '../words';
import type { PageKind } from '.';

/** A column of every motion that has it and is ticked, as one plot; of all of them where none of these is ticked. */
export function overlaid(result: Result, chosen: string[], quantity: Omit<Quantity, 'curves'>, ends: string[], dashed = -1): Quantity[] {
  const all = result.bodies.flatMap(({ body, prefix }, colour) =>
    ends.flatMap((end, k) => {
      const column = result.column(prefix + end);
      const name = k === dashed ? `${body.name}, closed form` : body.name;
      return column ? [{ body: body.name, curve: { name, values: column.values, colour, dashed: k === dashed } }] : [];
    }),
  );
  if (all.length === 0) return [];
  const ticked = all.filter(({ body }) => chosen.includes(body));
  return [{ ...quantity, curves: (): Curve[] => (ticked.length > 0 ? ticked : all).map(({ curve }) => curve) }];
}

/** What is said in words: verdict, table, notes. */
export function wordsOf(result: Result): Node[] {
  const { words } = result.head;
  return [
    paragraph(words?.reason ?? '', 'verdict-line'),
    facts(words?.summary ?? []),
    ...(words?.tables ?? []).flatMap((one) => [paragraph(one.caption, 'faint'), table(one)]),
    ...(words?.notes ?? []).map((note) => paragraph(note, 'faint')),
    heading('Where it comes from'),
    origin(result),
    ...(words?.commands?.length ? [heading('Make it again, and go on'), commands(words.commands)] : []),
  ];
}

export const lookOf = (verdict: string | undefined): 'yes' | 'no' | 'open' => (verdict === 'yes' ? 'yes' : verdict === 'no' ? 'no' : 'open');

export const compare: PageKind = {
  id: 'compare',
  verdict: ({ head }) => ({ text: head.words?.reason ?? '', look: lookOf(head.words?.verdict) }),
  summary: wordsOf,
  bodies: { name: 'Motions', choice: 'shown' },
  overlay: true,
  chosen: ({ bodies }) => bodies.map(({ body }) => body.name),
  quantities: (result, chosen) => [
    ...overlaid(result, chosen, { id: 'difference', group: 'Difference', name: 'angle to the reference', unit: 'rad', log: true }, ['attitude_difference_rad']),
    ...overlaid(result, chosen, { id: 'energy-off', group: 'Difference', name: 'energy error, relative', unit: '', log: true }, ['energy_off']),
    ...overlaid(result, chosen, { id: 'momentum-off', group: 'Difference', name: 'momentum error, relative', unit: '', log: true }, ['momentum_off']),
    ...overlaid(result, chosen, { id: 'norm-off', group: 'Difference', name: '||e| − 1|', unit: '', log: true }, ['norm_off']),
    ...overlaid(result, chosen, { id: 'multipliers', group: 'Multiplier', name: 'multipliers with their closed forms', unit: 'J', steady: 1e-6 }, ['multiplier', 'multiplier_closed_form'], 1),
    ...[...'0123'].flatMap((k) => overlaid(result, chosen, { id: `over-e${k}`, group: 'Over each other', name: `e${k}`, unit: '' }, [`e${k}`])),
    ...[...'xyz'].flatMap((k) => overlaid(result, chosen, { id: `over-w${k}`, group: 'Over each other', name: `ω′${k}`, unit: 'rad/s' }, [`w${k}_body_rad_s`])),
  ],
  plots: () => ['difference', 'energy-off', 'multipliers', 'over-wy'],
};
