// The plots beside the picture: which there are, one below the other.
import { byId, element } from './dom';
import { exportCsv, exportPng, exportSvg, svgOf } from './export';
import { Plot, type PlotHost } from './plot';
import type { Quantity } from './quantities';
import type { Result } from './result';

export interface PlotListHost extends PlotHost {
  result: Result;
  quantities: Quantity[];
  /** Which are shown: the state of the page. */
  state: { t: number; plots: string[] };
  touch(): void;
}

/** "energy~log" is the quantity energy on a logarithmic axis. */
function read(entry: string): { id: string; scale: string | undefined } {
  const [id, scale] = entry.split('~');
  return { id: id!, scale };
}

export class PlotList {
  private plots: Plot[] = [];
  constructor(private readonly host: PlotListHost) {}

  quantity(entry: string): Quantity | undefined {
    const { id } = read(entry);
    return this.host.quantities.find((quantity) => quantity.id === id);
  }
  private isLog(entry: string): boolean {
    const { scale } = read(entry);
    return scale ? scale === 'log' : (this.quantity(entry)?.log ?? false);
  }

  rebuild(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    const { state, quantities } = this.host;
    state.plots = state.plots.filter((entry) => this.quantity(entry));
    const list = byId('plot-list');
    list.replaceChildren();
    state.plots.forEach((entry, i) => this.add(list, entry, i));
    list.append(
      element('button', { type: 'button', class: 'add', click: () => {
        const next = quantities.find((quantity) => !state.plots.some((entry) => read(entry).id === quantity.id)) ?? quantities[0];
        if (next) this.set(state.plots.length, next.id);
      } }, '+ another plot'),
    );
  }

  /** Another quantity in place of one, or one more. */
  set(index: number, entry: string): void {
    this.host.state.plots[index] = entry;
    this.rebuild();
    this.host.touch();
  }

  private add(list: HTMLElement, entry: string, index: number): void {
    const { host } = this;
    const quantity = this.quantity(entry)!;
    const groups = new Map<string, HTMLOptGroupElement>();
    const select = element('select', { 'aria-label': 'what is plotted' });
    for (const one of host.quantities) {
      let group = groups.get(one.group);
      if (!group) {
        group = element('optgroup', { label: one.group });
        groups.set(one.group, group);
        select.append(group);
      }
      group.append(element('option', { value: one.id, selected: one.id === quantity.id }, one.name + (one.unit ? ` [${one.unit}]` : '')));
    }
    const focus = (selector: string): void => {
      byId('plot-list').querySelectorAll('.plot')[index]?.querySelector<HTMLElement>(selector)?.focus();
    };
    select.addEventListener('change', () => {
      this.set(index, select.value);
      focus('select');
    });
    const bar = element('div', { class: 'plot-bar' }, select);
    const box = element('article', { class: 'plot' }, bar);
    list.append(box);
    const log = this.isLog(entry);
    const plot = new Plot(host.result, quantity, log, host, box);
    const button = (text: string, title: string, click: () => void): HTMLElement =>
      element('button', { type: 'button', class: 'small', title, 'aria-label': title, click }, text);
    const scale = button('log', 'logarithmic axis', () => {
      const wanted = !log;
      this.set(index, wanted === (quantity.log ?? false) ? quantity.id : `${quantity.id}~${wanted ? 'log' : 'lin'}`);
      focus('[aria-pressed]');
    });
    scale.setAttribute('aria-pressed', String(log));
    const files = element(
      'div',
      { class: 'files' },
      button('CSV', 'numbers of this plot as a table', () => exportCsv(plot, host.range)),
      button('SVG', 'this plot as a picture of lines', () => exportSvg(plot, host.range, host.palette)),
      button('PNG', 'this plot as a picture of points', () => exportPng(plot, host.palette)),
    );
    bar.append(
      scale,
      button('⤢', 'show all of the time', () => host.setRange([host.result.start, host.result.end])),
      button('×', 'remove this plot', () => {
        host.state.plots.splice(index, 1);
        this.rebuild();
        host.touch();
      }),
    );
    box.append(element('div', { class: 'plot-foot' }, plot.legend(), files));
    plot.setTime(host.state.t);
    this.plots.push(plot);
  }

  setTime(t: number): void {
    for (const plot of this.plots) plot.setTime(t);
  }
  refresh(): void {
    for (const plot of this.plots) plot.refresh();
  }
  resize(): void {
    for (const plot of this.plots) plot.resize();
  }
  svg(index: number): string {
    return svgOf(this.plots[index]!, this.host.range, this.host.palette);
  }
}
