// A log of another engine against the exact motion of its body.
import { compare, lookOf, overlaid, wordsOf } from './compare';
import type { PageKind } from '.';

export const audit: PageKind = {
  ...compare,
  id: 'audit',
  verdict: ({ head }) => ({ text: head.words?.reason ?? '', look: lookOf(head.words?.verdict) }),
  summary: wordsOf,
  quantities(result, chosen) {
    const whole = (id: string, name: string, unit: string): ReturnType<typeof overlaid> => {
      const column = result.column(id);
      return column ? [{ id, group: 'Difference', name, unit, log: true, curves: () => [{ name: 'log', values: column.values }] }] : [];
    };
    return [
      ...whole('attitude_difference_rad', 'angle between log and exact motion', 'rad'),
      ...whole('energy_off', 'energy error of the log, relative', ''),
      ...whole('momentum_off', 'momentum error of the log, relative', ''),
      ...(compare.quantities?.(result, chosen) ?? []).filter((quantity) => quantity.id.startsWith('over-')),
    ];
  },
  plots: () => ['attitude_difference_rad', 'over-wy', 'energy_off', 'over-e0'],
};
