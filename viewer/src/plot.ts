// One plot: a quantity of the run against time, tied to the cursor of the page.
import uPlot from 'uplot';
import { element, readable } from './dom';
import type { Palette } from './palette';
import { Pyramid, thin, type Thinned } from './pyramid';
import type { Curve, Quantity } from './quantities';
import { locate, type Moment, type Result } from './result';

export interface PlotHost {
  palette: Palette;
  /** The part of time that all plots show. */
  range: [number, number];
  setRange(range: [number, number]): void;
  setTime(t: number): void;
}

/** Of curves beyond the colours that there are. */
const dashes: (number[] | undefined)[] = [undefined, [9, 3], [2, 3], [9, 3, 2, 3], [5, 2, 1, 2]];
const lineWidth = 1.5;
const axisWidth = 62;
/** Between the text of a tick and the plot: the tick itself and the gap before it. */
const tickRoom = { size: 4, gap: 4 };
const font = '12px system-ui, sans-serif';

/** As wide as the longest text of its ticks needs. */
function roomFor(chart: uPlot, texts: string[] | null): number {
  const { ctx } = chart;
  ctx.save();
  ctx.font = font; // widths in CSS pixels
  const longest = Math.max(0, ...(texts ?? []).map((text) => ctx.measureText(text ?? '').width));
  ctx.restore();
  return Math.max(axisWidth, Math.ceil(longest) + tickRoom.size + tickRoom.gap + 4);
}

export class Plot {
  readonly root: HTMLElement;
  private readonly chart: uPlot;
  private readonly pyramids: Pyramid[];
  readonly curves: Curve[];
  private readonly values: HTMLElement[] = [];
  private readonly head: HTMLElement;
  private readonly time: HTMLElement;
  private hovering = false;
  private t = 0;
  private width = 0;
  private columns = false;

  constructor(
    readonly result: Result,
    readonly quantity: Quantity,
    /** Sizes on a logarithmic axis. */
    readonly log: boolean,
    private readonly host: PlotHost,
    parent: HTMLElement,
  ) {
    this.curves = quantity.curves();
    this.pyramids = this.curves.map((curve) => new Pyramid(log ? curve.values.map(exponent) : curve.values));
    this.root = element('div', { class: 'chart', role: 'img', tabindex: -1 });
    parent.append(this.root);
    this.width = Math.max(120, this.root.clientWidth);
    const colours = host.palette.series;
    const axis = (side: number, size: uPlot.Axis['size']): uPlot.Axis => ({
      side,
      size,
      font,
      stroke: () => host.palette.faint,
      grid: { stroke: () => host.palette.grid, width: 1 },
      ticks: { stroke: () => host.palette.grid, width: 1, size: tickRoom.size },
      gap: tickRoom.gap,
    });
    this.chart = new uPlot(
      {
        width: this.width,
        height: this.height(),
        legend: { show: false },
        cursor: {
          // others follow the cursor, but only the plot under the mouse chooses a part
          sync: { key: 'time', setSeries: false, scales: ['x', null], filters: { sub: () => true, pub: (type) => /^mouse(move|leave|enter)$/.test(type) } },
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          y: false,
        },
        select: { show: true, left: 0, top: 0, width: 0, height: 0 },
        scales: { x: { time: false, min: host.range[0], max: host.range[1] }, y: { range: log ? decades : (_, low, high) => yRange(low, high, quantity.steady) } },
        axes: [
          { ...axis(2, 26), values: (_, splits) => tickTexts(splits) },
          { ...axis(3, roomFor), space: 22, values: (_, splits) => tickTexts(splits, log) },
        ],
        series: [
          {},
          ...this.curves.map((curve, i): uPlot.Series => ({
            label: curve.name,
            stroke: () => colours[(curve.colour ?? i) % colours.length]!,
            width: lineWidth,
            dash: curve.dashed ? [5, 4] : dashes[Math.floor((curve.colour ?? i) / colours.length) % dashes.length],
            points: { show: false },
            paths: (chart, series, first, last) => (this.columns ? null : brokenLine(chart, series, first, last)),
          })),
        ],
        hooks: {
          setSelect: [(chart) => this.selected(chart)],
          setCursor: [(chart) => this.hovered(chart)],
          drawClear: [(chart) => (chart.ctx.lineJoin = 'bevel')], // round joins cost most of the time of a dense curve
          draw: [(chart) => this.drawColumns(chart), (chart) => this.drawEvents(chart)],
        },
        padding: [8, 24, 0, 0],
      },
      this.take() as uPlot.AlignedData,
      this.root,
    );
    this.head = element('div', { class: 'playhead' });
    this.chart.over.append(this.head);
    this.time = element('span', { class: 'time' });
    this.listen();
    this.describe();
  }

  private height(): number {
    return Math.max(130, Math.min(260, this.root.clientHeight || 170));
  }

  /** Names and values under the plot; a click on a name hides its curve. */
  legend(): HTMLElement {
    const colours = this.host.palette.series;
    const items = this.curves.map((curve, i) => {
      const value = element('b');
      this.values.push(value);
      const again = Math.floor((curve.colour ?? i) / colours.length) % dashes.length > 0;
      const swatch = element('i', { class: curve.dashed || again ? 'swatch dashed' : 'swatch' });
      swatch.style.borderColor = colours[(curve.colour ?? i) % colours.length]!;
      const item = element('button', { type: 'button', class: 'curve', 'aria-pressed': 'true' }, swatch, curve.name, value);
      item.addEventListener('click', () => {
        const show = item.getAttribute('aria-pressed') !== 'true';
        item.setAttribute('aria-pressed', String(show));
        this.chart.setSeries(i + 1, { show });
      });
      return item;
    });
    return element('div', { class: 'legend' }, this.time, ...items);
  }

  private thinned(): Thinned {
    const { t } = this.result;
    const [a, b] = this.host.range;
    // one row beyond each edge, so that lines go on to the rim
    const first = Math.max(0, locate(t, a).row - 1);
    const last = Math.min(t.length - 1, locate(t, b).row + 2);
    return thin(t, this.pyramids, first, last, Math.max(300, this.width), this.log ? undefined : this.quantity.jump);
  }

  private take(): Thinned['data'] {
    const { data, columns } = this.thinned();
    this.columns = columns;
    return data;
  }

  /** Shows the part of time that the page has chosen. */
  refresh(): void {
    this.chart.batch(() => {
      this.chart.setData(this.take() as uPlot.AlignedData, false);
      this.chart.setScale('x', { min: this.host.range[0], max: this.host.range[1] });
    });
    this.setTime(this.t);
  }

  resize(): void {
    const width = this.root.clientWidth;
    if (width < 50 || width === this.width) return;
    this.width = width;
    this.chart.setSize({ width, height: this.height() });
    this.refresh();
  }

  setTime(t: number): void {
    this.t = t;
    const [a, b] = this.host.range;
    const inside = t >= a && t <= b;
    this.head.style.visibility = inside ? 'visible' : 'hidden';
    if (inside) {
      const x = ((t - a) / (b - a)) * (this.chart.bbox.width / devicePixelRatio);
      this.head.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
    if (!this.hovering) this.showValues(t);
  }

  /** Values at the time that stands before them: between rows those of the line that is drawn. */
  private showValues(t: number): void {
    const moment = locate(this.result.t, t);
    this.time.textContent = `t = ${this.result.clock(t)} s`;
    this.curves.forEach((curve, i) => {
      const value = this.values[i];
      if (value) value.textContent = readable(valueAt(curve.values, moment, this.quantity.jump), 5);
    });
  }

  private hovered(chart: uPlot): void {
    const left = chart.cursor.left ?? -1;
    this.hovering = left >= 0;
    this.showValues(this.hovering ? chart.posToVal(left, 'x') : this.t);
  }

  private selected(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width > 4) this.host.setRange([chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')]);
    if (width > 0) chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private drawColumns(chart: uPlot): void {
    if (!this.columns) return;
    const colours = this.host.palette.series;
    this.curves.forEach((curve, i) => {
      if (chart.series[i + 1]!.show !== false) drawColumns(chart, i + 1, colours[(curve.colour ?? i) % colours.length]!);
    });
  }

  private drawEvents(chart: uPlot): void {
    const { events } = this.result;
    if (events.length === 0 || events.length > 400) return;
    const { ctx } = chart;
    ctx.save();
    ctx.strokeStyle = this.host.palette.faint;
    ctx.globalAlpha = 0.45;
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 4]);
    ctx.beginPath();
    for (const event of events) {
      if (event.t < this.host.range[0] || event.t > this.host.range[1]) continue;
      const x = Math.round(chart.valToPos(event.t, 'x', true)) + 0.5;
      ctx.moveTo(x, chart.bbox.top);
      ctx.lineTo(x, chart.bbox.top + chart.bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Wheel zooms, shift and drag moves, a click sets the time, a double click shows everything; by touch one finger
   *  sets the time and two move and zoom. */
  private listen(): void {
    const { over } = this.chart;
    const timeAt = (clientX: number): number => this.chart.posToVal(clientX - over.getBoundingClientRect().left, 'x');
    over.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const [a, b] = this.host.range;
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
          const shift = ((event.deltaX || event.deltaY) / over.clientWidth) * (b - a);
          this.host.setRange([a + shift, b + shift]);
          return;
        }
        const t = timeAt(event.clientX);
        const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
        this.host.setRange([t - (t - a) * factor, t + (b - t) * factor]);
      },
      { passive: false },
    );
    over.addEventListener('dblclick', () => this.host.setRange([this.result.start, this.result.end]));
    let moved = 0;
    let panning = false;
    let last = 0;
    over.addEventListener(
      'mousedown',
      (event) => {
        moved = 0;
        last = event.clientX;
        panning = event.shiftKey || event.button === 1;
        if (panning) {
          event.preventDefault();
          event.stopImmediatePropagation();
        }
      },
      true,
    );
    over.addEventListener('mousemove', (event) => {
      moved += Math.abs(event.movementX);
      if (!panning || event.buttons === 0) return;
      const [a, b] = this.host.range;
      const shift = ((last - event.clientX) / over.clientWidth) * (b - a);
      last = event.clientX;
      this.host.setRange([a + shift, b + shift]);
    });
    over.addEventListener('click', (event) => {
      if (moved < 4 && !panning) this.host.setTime(timeAt(event.clientX));
    });
    let fingers: { x: number; spread: number } | null = null;
    const look = (touches: TouchList): { x: number; spread: number } => ({
      x: (touches[0]!.clientX + touches[1]!.clientX) / 2,
      spread: Math.max(20, Math.abs(touches[0]!.clientX - touches[1]!.clientX)),
    });
    over.addEventListener('touchstart', (event) => {
      fingers = event.touches.length === 2 ? look(event.touches) : null;
      if (event.touches.length === 1) this.host.setTime(timeAt(event.touches[0]!.clientX));
    }, { passive: true });
    over.addEventListener(
      'touchmove',
      (event) => {
        if (event.touches.length === 1) {
          this.host.setTime(timeAt(event.touches[0]!.clientX));
        } else if (event.touches.length === 2 && fingers) {
          event.preventDefault();
          const now = look(event.touches);
          const t = timeAt(fingers.x);
          const [a, b] = this.host.range;
          const factor = fingers.spread / now.spread;
          const shift = ((fingers.x - now.x) / over.clientWidth) * (b - a) * factor;
          this.host.setRange([t - (t - a) * factor + shift, t + (b - t) * factor + shift]);
          fingers = now;
        }
      },
      { passive: false },
    );
  }

  private describe(): void {
    const parts = this.curves.map(({ name, values }) => {
      let low = Infinity;
      let high = -Infinity;
      for (const v of values) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
      return `${name} from ${readable(low, 3)} to ${readable(high, 3)}`;
    });
    this.root.setAttribute('aria-label', `${this.quantity.name}${this.quantity.unit ? ` in ${this.quantity.unit}` : ''} over time: ${parts.join('; ')}`);
  }

  /** What is on the screen now: curves that are shown, thinned as drawn. */
  picture(): { data: Thinned['data']; shown: boolean[]; y: [number, number]; canvas: HTMLCanvasElement } {
    const { min, max } = this.chart.scales['y']!;
    return {
      data: this.thinned().data,
      shown: this.curves.map((_, i) => this.chart.series[i + 1]!.show !== false),
      y: [min ?? 0, max ?? 1],
      canvas: this.chart.ctx.canvas,
    };
  }

  destroy(): void {
    this.chart.destroy();
    this.root.remove();
  }
}

/** From values to points on the canvas: both scales are linear. */
function scalesOf(chart: uPlot): { px: (t: number) => number; py: (v: number) => number } {
  const { left, top, width, height } = chart.bbox;
  const { min: x0, max: x1 } = chart.scales['x']!;
  const { min: y0, max: y1 } = chart.scales['y']!;
  const perX = width / (x1! - x0!);
  const perY = height / (y1! - y0!);
  return { px: (t) => left + (t - x0!) * perX, py: (v) => top + (y1! - v) * perY };
}

/** Lines between neighbours; none to or from a missing value, however near the neighbours are. */
const brokenLine: uPlot.Series.PathBuilder = (chart, series, first, last) => {
  const stroke = new Path2D();
  const x = chart.data[0];
  const y = chart.data[series]!;
  const { px, py } = scalesOf(chart);
  let pen = false;
  for (let i = first; i <= last; i++) {
    const v = y[i];
    if (v === null || v === undefined) {
      pen = false;
      continue;
    }
    if (pen) stroke.lineTo(px(x[i]!), py(v));
    else stroke.moveTo(px(x[i]!), py(v));
    pen = true;
  }
  return { stroke, fill: null, clip: null, flags: 1 };
};

/** Of pairs of lowest and highest values a bar in each column of the picture. A line that goes up and down as often is
 *  the same to the eye and costs many times as much. Dashes are cut along x. */
function drawColumns(chart: uPlot, series: number, colour: string): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  const x = chart.data[0];
  const y = chart.data[series]!;
  const { px, py } = scalesOf(chart);
  const thick = lineWidth * devicePixelRatio;
  const dash = chart.series[series]!.dash ?? [1];
  const period = dash.reduce((sum, one) => sum + one, 0);
  const inGap = (column: number): boolean => {
    let rest = (column / devicePixelRatio) % period;
    let k = 0;
    while (rest >= dash[k]!) rest -= dash[k++]!;
    return k % 2 === 1;
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.fillStyle = colour;
  /** Of the column that is being gathered, and of the one before it. */
  let now: { column: number; low: number; high: number } | null = null;
  let before: { low: number; high: number } | null = null;
  const finish = (next: number): void => {
    if (!now) return;
    // a step goes up or down within its column
    const low = before ? Math.min(now.low, before.high) : now.low;
    const high = before ? Math.max(now.high, before.low) : now.high;
    before = now;
    const head = py(high) - thick / 2;
    if (!inGap(now.column)) ctx.fillRect(now.column, head, Math.max(1, next - now.column), py(low) + thick / 2 - head);
  };
  for (let i = 0; i + 1 < x.length; i += 2) {
    const low = y[i];
    const high = y[i + 1];
    const column = Math.round(px(x[i]!));
    if (low === null || low === undefined || high === null || high === undefined) {
      finish(column);
      now = before = null;
    } else if (now && now.column === column) {
      now.low = Math.min(now.low, low);
      now.high = Math.max(now.high, high);
    } else {
      finish(column);
      now = { column, low, high };
    }
  }
  finish(0);
  ctx.restore();
}

/** A value of a curve between rows; that of the nearer row where no line is drawn from one to the other. */
export function valueAt(values: Float64Array, { row, u }: Moment, jump = Infinity): number {
  const a = values[row] ?? NaN;
  const b = values[row + 1];
  if (u === 0 || b === undefined) return a;
  if (!Number.isFinite(a) || !Number.isFinite(b) || Math.abs(b - a) > jump) return u > 0.5 ? b : a;
  return a + u * (b - a);
}

/** A little air above and below. What changes by less than the part `steady` of its size is a flat line in the middle of a
 *  scale on which that can be seen. */
export function yRange(low: number | null, high: number | null, steady = 1e-9): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size === 0) return [-1, 1];
  const air = high - low > steady * size ? 0.06 * (high - low) : 0.1 * size;
  return [low - air, high + air];
}

/** Of the size of a value; a zero has none. */
const exponent = (v: number): number => (v === 0 ? NaN : Math.log10(Math.abs(v)));

/** Whole powers of ten around what is shown. */
function decades(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  return [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
}

const superscript = (n: number): string => [...String(n)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]!)).join('');

/** Short texts that still differ from their neighbours; of exponents, the powers of ten among them. */
export function tickTexts(splits: number[], log = false): string[] {
  if (log) return splits.map((v) => (Number.isInteger(v) ? `10${superscript(v)}` : ''));
  const size = Math.max(...splits.map(Math.abs));
  const step = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0));
  if (!(size > 0) || !(step > 0)) return splits.map((v) => readable(v));
  // places after the point that the step has: one more where it is 2.5
  let places = Math.ceil(-Math.log10(step) - 1e-9);
  if (Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) > 1e-3) places++;
  const plain = (v: number): string => (Math.abs(v) < step / 1e6 ? '0' : v.toFixed(Math.max(0, places)));
  const power = (v: number): string => {
    if (v === 0 || Math.abs(v) < step / 1e6) return '0';
    const digits = Math.floor(Math.log10(Math.abs(v)) + 1e-9) + places;
    return v.toExponential(Math.max(0, Math.min(15, digits))).replace('e+', 'e');
  };
  // powers of ten where they are much shorter
  const powers = splits.map(power);
  const longest = (texts: string[]): number => Math.max(...texts.map((text) => text.length));
  const texts = places <= 20 && size < 1e20 && longest(splits.map(plain)) <= longest(powers) + 2 ? splits.map(plain) : powers;
  return texts.map((text) => text.replace(/-/g, '−'));
}
