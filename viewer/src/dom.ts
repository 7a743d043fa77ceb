// Elements of the page. Text from files only ever becomes text nodes.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value as EventListener);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child != null) made.append(child);
  return made;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

/** Hands a file to the user. */
export function download(name: string, content: Blob): void {
  const link = element('a', { download: name });
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A number for people: five digits, powers of ten where they are shorter. */
export function readable(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size < 1e-3 || size >= 1e6 ? x.toExponential(digits - 2) : x.toPrecision(digits);
  return text
    .replace(/(\.\d*?)0+(e|$)/, '$1$2')
    .replace(/\.(e|$)/, '$1')
    .replace(/e\+?/, 'e')
    .replace(/-/g, '−');
}
