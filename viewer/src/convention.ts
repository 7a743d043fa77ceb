// How the rates of a table go with its attitudes: a table of another engine does not say whose components they are. As
// `polhode audit` does, the turn from row to row is held against the rates in every reading.
import { add, conjugate, length, multiply, rotationVector, scale, sub, type Quat, type Vec } from './rotation';

export interface Reading {
  /** Attitudes take space components to body components. */
  inverse: boolean;
  /** Rates are space components. */
  space: boolean;
  /** Rates are degrees a second. */
  degrees: boolean;
}

export interface Finding {
  reading: Reading;
  /** What was taken for granted, in words; "" where nothing was. */
  assumed: string;
}

const usual: Reading = { inverse: false, space: false, degrees: false };

/** Rows that are looked at, at most. */
const looks = 2000;
/** A reading fits if the relative error of its rates is less than this, and far less than that of any other reading. */
const fits = 0.2;
const farLess = 0.25;

interface Fit extends Reading {
  off: number;
}

interface Fits {
  /** Difference between turns and rates, relative to the larger, for every reading, the least first; none where nothing
   *  could be told. */
  list: Fit[];
  /** Most rows are so far apart that a turn between them cannot be told from a shorter one. */
  far: boolean;
}

function fitsOf(t: Float64Array, e: (row: number) => Quat, w: (row: number) => Vec): Fits {
  const sums = new Map<Reading, number>();
  for (const inverse of [false, true]) for (const space of [false, true]) for (const degrees of [false, true]) sums.set({ inverse, space, degrees }, 0);
  let [turns, rates, near, far] = [0, 0, 0, 0];
  const stride = Math.max(1, Math.floor(t.length / looks));
  for (let row = 0; row + 1 < t.length; row += stride) {
    const dt = t[row + 1]! - t[row]!;
    const [before, after] = [e(row), e(row + 1)];
    // a turn in body components and the same in space components, were the attitudes body to space
    const a = rotationVector(multiply(conjugate(before), after));
    const b = rotationVector(multiply(after, conjugate(before)));
    const mean = scale(0.5, add(w(row), w(row + 1)));
    if (!(dt > 0) || !Number.isFinite(length(a) + length(mean))) continue;
    if (dt * length(mean) > 2.5 || length(a) > 2) far++;
    else near++;
    if (!(length(a) < 2)) continue;
    turns += length(a) ** 2;
    rates += (dt * length(mean)) ** 2;
    for (const [reading, sum] of sums) {
      const turn = reading.inverse ? scale(-1, reading.space ? a : b) : reading.space ? b : a;
      const expected = scale(reading.degrees ? (dt * Math.PI) / 180 : dt, mean);
      sums.set(reading, sum + length(sub(turn, expected)) ** 2);
    }
  }
  if (!(Math.max(turns, rates) > 1e-12)) return { list: [], far: far > near };
  const size = ({ degrees }: Reading): number => Math.max(turns, degrees ? rates * (Math.PI / 180) ** 2 : rates);
  const list = [...sums].map(([reading, sum]) => ({ ...reading, off: Math.sqrt(sum / size(reading)) })).sort((one, other) => one.off - other.off);
  return { list, far: far > near };
}

const wordsOf = ({ inverse, space, degrees }: Reading): string =>
  [`${space ? 'space' : 'body'} components`, ...(degrees ? ['degrees a second'] : []), ...(inverse ? ['attitudes take space to body'] : [])].join(', ');

/** Decides how a table is to be read. `names` are those of its rates; `known` is whether it tells their unit. */
export function readingOf(t: Float64Array, e: (row: number) => Quat, w: (row: number) => Vec, names: string, known = false): Finding {
  const { list: all, far } = fitsOf(t, e, w);
  const list = all.filter(({ degrees }) => !(known && degrees));
  const best = list[0];
  const tooFar = { reading: usual, assumed: `${names}: assumed body components, for the rows lie too far apart to tell` };
  if (!best) return far ? tooFar : { reading: usual, assumed: `${names}: assumed body components, for nothing turns` };
  if (best.off > fits) {
    return far ? tooFar : { reading: usual, assumed: `${names}: assumed body components, but the attitudes turn otherwise in every reading` };
  }
  const rivals = list.filter(({ off }) => best.off > farLess * off);
  const usualFits = rivals.some((one) => !one.inverse && !one.space && !one.degrees);
  if (rivals.length > 1 && usualFits) {
    return { reading: usual, assumed: `${names}: assumed body components; the attitudes do not tell them from space components` };
  }
  return { reading: best, assumed: `${names} are ${wordsOf(best)}: found by the turns from row to row` };
}

/** What speaks against rates whose names say how they are to be read; "" where nothing does. */
export function doubtOf(t: Float64Array, e: (row: number) => Quat, w: (row: number) => Vec, names: string, reading: Reading): string {
  const { list, far } = fitsOf(t, e, w);
  const own = list.find(({ inverse, space, degrees }) => inverse === reading.inverse && space === reading.space && degrees === reading.degrees);
  const best = list[0];
  if (!own || !best || own.off <= fits || far) return '';
  const said = `${names}: read as ${wordsOf(reading)}, as they are called, but the attitudes turn otherwise`;
  return best.off <= fits ? `${said}: as if these were ${wordsOf(best)}` : said;
}
