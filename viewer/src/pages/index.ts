// The kinds of pages: a file of this folder each, and a line here. The program says which one a page is.
import type { Quantity } from '../quantities';
import type { Result } from '../result';
import { audit } from './audit';
import { compare } from './compare';
import { run } from './run';

export interface PageKind {
  /** As the program names it. */
  id: string;
  /** What stands in the badge beside the title, and how it came out. */
  verdict(result: Result): { text: string; look: 'yes' | 'no' | 'open' };
  /** The panel in words. */
  summary(result: Result): Node[];
  /** What its bodies are called, and what a tick beside one means. */
  bodies: { name: string; choice: string };
  /** Bodies are motions of one body that lie over each other. */
  overlay?: boolean;
  /** Bodies that are ticked at first. */
  chosen(result: Result): string[];
  /** Curves besides those that every result has; `chosen` are the bodies that are ticked. */
  quantities?(result: Result, chosen: string[]): Quantity[];
  /** Plots that are shown at first, as far as they are there; the first three. */
  plots(result: Result): string[];
}

const kinds: PageKind[] = [run, compare, audit];

export const pageKind = (result: Result): PageKind => kinds.find((kind) => kind.id === result.head.page) ?? run;
