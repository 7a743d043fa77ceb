// Long curves, drawn with no more points than a picture has columns: in each column lowest and highest value, so that
// no spike is lost. Levels of twice the width are made once.

const base = 16;

export class Pyramid {
  private readonly low: Float64Array[] = [];
  private readonly high: Float64Array[] = [];
  constructor(readonly values: Float64Array) {
    const n = values.length;
    if (n <= 4 * base) return;
    let low: Float64Array = new Float64Array(Math.ceil(n / base));
    let high: Float64Array = new Float64Array(low.length);
    for (let i = 0; i < low.length; i++) {
      let a = Infinity;
      let b = -Infinity;
      const end = Math.min(n, (i + 1) * base);
      for (let k = i * base; k < end; k++) {
        const v = values[k]!;
        if (v < a) a = v;
        if (v > b) b = v;
      }
      low[i] = a;
      high[i] = b;
    }
    for (;;) {
      this.low.push(low);
      this.high.push(high);
      if (low.length <= 64) break;
      const half = Math.ceil(low.length / 2);
      const nextLow = new Float64Array(half);
      const nextHigh = new Float64Array(half);
      for (let i = 0; i < half; i++) {
        const j = Math.min(2 * i + 1, low.length - 1);
        nextLow[i] = Math.min(low[2 * i]!, low[j]!);
        nextHigh[i] = Math.max(high[2 * i]!, high[j]!);
      }
      low = nextLow;
      high = nextHigh;
    }
  }
  get levels(): number {
    return this.low.length;
  }
  lowest(level: number, bin: number): number {
    return this.low[level]![bin]!;
  }
  highest(level: number, bin: number): number {
    return this.high[level]![bin]!;
  }
}

/** Rows of a bin of a level. */
export const binSize = (level: number): number => base * 2 ** level;

/** A line for a picture. */
export interface Thinned {
  /** x, then the y of each curve; null where a line must break. */
  data: [number[], ...(number | null)[][]];
  /** Whether the y come in pairs, lowest and highest of a column of the picture. */
  columns: boolean;
}

/** The rows `first` to `last` for a picture of `width` columns. */
export function thin(times: Float64Array, pyramids: Pyramid[], first: number, last: number, width: number, jump = Infinity): Thinned {
  const rows = last - first + 1;
  const x: number[] = [];
  const ys: (number | null)[][] = pyramids.map(() => []);
  if (rows <= 2 * width || pyramids[0]!.levels === 0) {
    for (let i = first; i <= last; i++) {
      const jumps = i > first && pyramids.some(({ values }) => Math.abs(values[i]! - values[i - 1]!) > jump);
      if (jumps) x.push((times[i - 1]! + times[i]!) / 2);
      x.push(times[i]!);
      pyramids.forEach(({ values }, k) => {
        const v = values[i]!;
        // those that do not jump go on
        if (jumps) ys[k]!.push(Math.abs(v - values[i - 1]!) > jump ? null : (v + values[i - 1]!) / 2);
        ys[k]!.push(Number.isFinite(v) ? v : null);
      });
    }
    return { data: [x, ...ys], columns: false };
  }
  // columns of few rows are looked through, of many they are bins of a level
  let level = -1;
  while (level + 1 < pyramids[0]!.levels && rows / binSize(level + 1) >= width) level++;
  const bin = level < 0 ? Math.floor(rows / width) : binSize(level);
  const from = Math.floor(first / bin);
  const to = Math.floor(last / bin);
  for (let b = from; b <= to; b++) {
    const row = b * bin;
    x.push(times[row]!, times[Math.min(times.length - 1, row + Math.floor(bin / 2))]!);
  }
  pyramids.forEach((pyramid, k) => {
    const y = ys[k]!;
    for (let b = from; b <= to; b++) {
      let low = Infinity;
      let high = -Infinity;
      if (level >= 0) {
        low = pyramid.lowest(level, b);
        high = pyramid.highest(level, b);
      } else {
        const end = Math.min(times.length, (b + 1) * bin);
        for (let i = b * bin; i < end; i++) {
          const v = pyramid.values[i]!;
          if (v < low) low = v;
          if (v > high) high = v;
        }
      }
      y.push(Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null);
    }
  });
  return { data: [x, ...ys], columns: true };
}
