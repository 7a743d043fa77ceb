// What a page says in words: verdict, tables, facts. All of it is text of others and becomes text nodes only.
import { counted } from './counted';
import { element, readable } from './dom';
import type { Certificate, Result, WordTable } from './result';

export const paragraph = (text: string, kind?: string): HTMLElement => element('p', { class: kind }, text);
export const heading = (text: string): HTMLElement => element('h2', {}, text);

/** Names and values; those without a value are left out. */
export function facts(list: [string, string | undefined][]): HTMLElement {
  const rows = list.filter(([, text]) => text).flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, text)]);
  return element('dl', {}, ...rows);
}

export function table({ caption, heads, rows, row_classes }: WordTable): HTMLElement {
  const numeric = (text: string): boolean => /^[-+−]?[\d.]+(e[-+]?\d+)?$/i.test(text) || text === '-';
  const body = rows.map((cells, i) =>
    element('tr', { class: row_classes?.[i] || undefined }, ...cells.map((cell) => element('td', { class: numeric(cell) ? 'number' : undefined }, cell))),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption || 'table' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, ...body),
    ),
  );
}

export const commands = (list: string[]): HTMLElement => element('pre', { tabindex: 0 }, list.join('\n'));

export function certificate(given: Certificate | null | undefined): Node[] {
  if (!given) return [paragraph('No certificate came with this file.')];
  const lines: Node[] = [element('p', { class: 'verdict-line' }, element('b', {}, given.verdict), `: ${given.reason}`)];
  if (given.attitude_error_rad != null) {
    lines.push(
      paragraph(`Attitude error ${readable(given.attitude_error_rad, 3)} rad, found by ${given.error_found_by}; asked for ${readable(given.accuracy_asked_rad, 3)} rad.`),
    );
  }
  if (given.place_error_m != null) {
    const allowed = given.place_error_allowed_m == null ? '' : `; allowed ${readable(given.place_error_allowed_m, 3)} m`;
    lines.push(paragraph(`Position error ${readable(given.place_error_m, 3)} m${allowed}.`));
  }
  if (given.observed_order != null) {
    lines.push(paragraph(`Order ${readable(given.observed_order, 3)} observed, ${given.declared_order ?? '?'} declared.`));
  }
  const rows = (given.evidence ?? []).map((one) => [
    one.holds ? '✓' : '✗', one.name, one.value === null ? '–' : readable(one.value, 3), readable(one.allowed, 3), one.meaning,
  ]);
  if (rows.length > 0) lines.push(table({ caption: '', heads: ['', 'what', 'found', 'allowed', 'meaning'], rows }));
  for (const note of given.notes ?? []) lines.push(paragraph(note, 'faint'));
  return lines;
}

/** Where a result comes from. */
export function origin(result: Result): HTMLElement {
  const { head, source, exactRows, t } = result;
  const every = head.words?.every ?? 1;
  return facts([
    ['scenario', head.scenario_file],
    ['SHA-256', head.scenario_sha256],
    ['made by', head.version && `polhode ${head.version}`],
    ['formulation', head.formulation],
    ['integrator', head.integrator && head.integrator + (head.portable ? '' : ' (last bits may differ on another machine)')],
    ['epoch', head.epoch && `${head.epoch} UTC at t = 0`],
    ['rows', `${t.length}, every ${readable((result.end - result.start) / Math.max(1, t.length - 1), 4)} s`],
    ['left out', every > 1 ? `${thinned(result)}; all of them: polhode convert FOLDER --to html` : ''],
    ['digits', exactRows < t.length ? `all of the first ${counted(exactRows, 'row')}, seven of the later ones` : 'all'],
    ['convention', head.convention],
    ['assumed', result.assumed.join('; ')],
    ['read from', source],
  ]);
}

/** What a reader of the page must know of its data: what was left out, and what was taken for granted. */
export const remarks = (result: Result): string => [thinned(result), ...result.assumed].filter((text) => text !== '').join('; ');

/** What was left out of a long result. */
const thinned = (result: Result): string => {
  const every = result.head.words?.every ?? 1;
  return every > 1 ? `of ${counted(every, 'row')} this page holds one` : '';
};
