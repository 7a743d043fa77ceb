// Reading: the data block of the page, a log of a run (.plog), a table with commas (.csv).
import { counted } from './counted';
import { Result, type Column, type EventRecord, type Head } from './result';

/** Bytes of a base64 text, by pieces, so that no second copy of a large one is made. */
async function* bytesOfBase64(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const piece = 1 << 22; // a multiple of 4
  for (let at = 0; at < text.length; at += piece) {
    const binary = atob(text.slice(at, at + piece));
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    yield bytes;
  }
}

async function inflate(source: AsyncGenerator<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  const feeding = (async () => {
    for await (const bytes of source) await writer.write(bytes);
    await writer.close();
  })();
  feeding.catch(() => undefined); // told by the reader, too
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  await feeding;
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Takes values off the front of bytes, little endian. */
class Cursor {
  private readonly view: DataView;
  at = 0;
  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  get left(): number {
    return this.bytes.length - this.at;
  }
  u8(): number {
    return this.view.getUint8(this.at++);
  }
  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  u64(): number {
    this.at += 8;
    return Number(this.view.getBigUint64(this.at - 8, true));
  }
  f64(): number {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }
  take(size: number): Uint8Array {
    if (size > this.left) throw new Error('the data end too early');
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }
  text(size: number): string {
    return new TextDecoder().decode(this.take(size));
  }
}

/** Columns that grow by blocks of rows. */
class Table {
  private blocks: Float64Array[][] = [];
  rows = 0;
  constructor(readonly count: number) {}
  add(block: Float64Array[]): void {
    this.blocks.push(block);
    this.rows += block[0]!.length;
  }
  columns(): Float64Array[] {
    if (this.blocks.length === 1) return this.blocks[0]!;
    const whole = Array.from({ length: this.count }, () => new Float64Array(this.rows));
    let at = 0;
    for (const block of this.blocks) {
      block.forEach((values, i) => whole[i]!.set(values, at));
      at += block[0]!.length;
    }
    this.blocks = [];
    return whole;
  }
}

const nameColumns = (head: Head, values: Float64Array[]): Column[] =>
  head.columns.map((column, i) => ({ ...column, values: values[i]! }));

/** The block that polhode puts into its page: zlib of frames.
 *
 *   'H' length, JSON of the head;  'R' rows, bytes a number, columns;  'E' length, JSON of the events;  'Z'
 *
 *  A column of n numbers of b bytes comes as b planes of n bytes, lowest byte first; time always has 8 bytes. */
export async function readBlock(base64: string): Promise<Result> {
  const cursor = new Cursor(await inflate(bytesOfBase64(base64)));
  let head: Head | null = null;
  let table: Table | null = null;
  let events: EventRecord[] = [];
  let exactRows = -1;
  for (;;) {
    const kind = String.fromCharCode(cursor.u8());
    if (kind === 'Z') break;
    if (kind === 'H') {
      head = JSON.parse(cursor.text(cursor.u32())) as Head;
      table = new Table(head.columns.length);
    } else if (kind === 'E') {
      events = JSON.parse(cursor.text(cursor.u32())) as EventRecord[];
    } else if (kind === 'R' && table) {
      const rows = cursor.u32();
      const bytes = cursor.u8();
      if (bytes === 4 && exactRows < 0) exactRows = table.rows;
      const block: Float64Array[] = [];
      for (let c = 0; c < table.count; c++) {
        const size = c === 0 ? 8 : bytes;
        const planes = cursor.take(rows * size);
        const raw = new Uint8Array(rows * size);
        for (let plane = 0; plane < size; plane++) {
          const from = plane * rows;
          for (let i = 0, to = plane; i < rows; i++, to += size) raw[to] = planes[from + i]!;
        }
        block.push(size === 8 ? new Float64Array(raw.buffer) : Float64Array.from(new Float32Array(raw.buffer)));
      }
      table.add(block);
    } else {
      throw new Error('the data of this page are damaged');
    }
  }
  if (!head || !table || table.rows === 0) throw new Error('this page holds no rows');
  return new Result(head, nameColumns(head, table.columns()), events, 'this page', exactRows < 0 ? table.rows : exactRows);
}

/** A column of time, and its unit where its name tells it: "t", "time_ms". */
const timeName = /^(?:t|time|timestamp)(?:_(s|ms|us|ns|min|h))?$/i;
const timeFactors: Record<string, number> = {
  s: 1, sec: 1, second: 1, seconds: 1, ms: 1e-3, us: 1e-6, 'µs': 1e-6, 'μs': 1e-6, ns: 1e-9, min: 60, h: 3600,
};

/** The log of a run; what a kill cut off is left out. Checksums are left to polhode. */
function readLog(bytes: Uint8Array, name: string): Result {
  const cursor = new Cursor(bytes);
  let head: Head | null = null;
  let table: Table | null = null;
  const events: EventRecord[] = [];
  while (cursor.left >= 13) {
    if (cursor.text(4) !== 'PLHD') break;
    const kind = String.fromCharCode(cursor.u8());
    const size = cursor.u64();
    if (size + 4 > cursor.left) break;
    const content = new Cursor(cursor.take(size));
    cursor.at += 4;
    if (kind === 'H') {
      head = JSON.parse(content.text(size)) as Head;
      table = new Table(head.columns.length);
    } else if (kind === 'R' && table) {
      const rows = Math.floor(size / (8 * table.count));
      const block = Array.from({ length: table.count }, () => new Float64Array(rows));
      for (let i = 0; i < rows; i++) for (let c = 0; c < table.count; c++) block[c]![i] = content.f64();
      if (rows > 0) table.add(block);
    } else if (kind === 'E' && head) {
      const index = content.u64();
      events.push({ name: head.events[index] ?? '?', t: content.f64() });
    }
  }
  if (!head || !table || table.rows === 0) throw new Error(`${name} is not a log of polhode with rows`);
  const columns = nameColumns(head, table.columns());
  checkTimes(columns[0]!.values, name, (row) => `row ${row + 1}`);
  return new Result(head, columns, events, name, table.rows);
}

/** What separates the cells of a table: a semicolon or a tab where its line of names has one. */
const separatorOf = (line: string): string => [';', '\t', ','].find((one) => line.includes(one)) ?? ',';

/** "t [s]", with or without quotes: a name and a unit. */
function nameOf(cell: string): { name: string; unit: string } {
  const text = cell.replace(/^"(.*)"$/, '$1').replace(/""/g, '"');
  const [, name, unit] = /^(.*\S)\s*\[([^\]]*)\]$/.exec(text) ?? [];
  return { name: name ?? text, unit: unit ?? '' };
}

/** Fails where time goes back or is no number: rows stand in the order of time. */
function checkTimes(t: Float64Array, name: string, where: (row: number) => string): void {
  t.forEach((now, row) => {
    if (!Number.isFinite(now)) throw new Error(`${name}, ${where(row)}: time is no number`);
    if (row > 0 && now < t[row - 1]!) throw new Error(`${name}, ${where(row)}: time goes back from ${t[row - 1]} to ${now}; rows must stand in the order of time`);
  });
}

/** A table of numbers with a line of names; lines that begin with # are remarks. What it does not say is noted. */
function readTable(text: string, name: string): Result {
  let names: string[] = [];
  let units: string[] = [];
  let separator = ',';
  const rows: number[][] = [];
  const lines: number[] = [];
  const events: EventRecord[] = [];
  let title = name;
  let version = '';
  const parts: Record<string, unknown> = {};
  const assumed: string[] = [];
  let commas = 0;
  const all = text.split(/\r?\n/);
  all.forEach((line, i) => {
    if (line.trim() === '') return;
    const where = `${name}, line ${i + 1}`;
    if (line.startsWith('#')) {
      const event = /^# event: (.*) at t_s = ([^\s;]+)/.exec(line);
      if (event) events.push({ name: event[1]!, t: Number(event[2]) });
      const first = /^# polhode ([^:]*): (.*)$/.exec(line);
      if (first) [, version, title] = first as unknown as [string, string, string];
      const part = /^# (bodies|joints|scene): (.*)$/.exec(line);
      if (part) {
        try {
          parts[part[1]!] = JSON.parse(part[2]!);
        } catch {
          throw new Error(`${where}: the ${part[1]} are damaged`);
        }
      }
      return;
    }
    if (names.length === 0) {
      separator = separatorOf(line);
      const cells = line.split(separator).map((cell) => nameOf(cell.trim()));
      names = cells.map((cell) => cell.name);
      units = cells.map((cell) => cell.unit);
      return;
    }
    const cells = line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1').trim());
    if (cells.length === names.length + 1 && cells[names.length] === '') cells.pop(); // a separator at the end
    if (cells.length !== names.length) {
      if (i === all.length - 1 && rows.length > 0) {
        assumed.push(`line ${i + 1} is cut off and left out`);
        return;
      }
      const cure = separator === ',' && cells.length > names.length && cells.length <= 2 * names.length ? '; decimal commas? write points, or separate cells by semicolons' : '';
      throw new Error(`${where}: ${counted(cells.length, 'cell')}, and ${counted(names.length, 'name')} above${cure}`);
    }
    rows.push(
      cells.map((cell) => {
        if (cell === '') return NaN;
        if (!/^[-+]?\d*,\d+(e[-+]?\d+)?$/i.test(cell)) return Number(cell);
        commas++;
        return Number(cell.replace(',', '.'));
      }),
    );
    lines.push(i + 1);
  });
  const time = names.findIndex((one) => timeName.test(one));
  if (rows.length < 2 || time < 0) {
    throw new Error(`${name} is no table with a line of names, a column of time (t, time or timestamp, also time_ms and the like) and two rows`);
  }
  if (commas > 0) assumed.push('commas in numbers read as decimal points');
  const order = [time, ...names.map((_, i) => i).filter((i) => i !== time)];
  const columns: Column[] = order.map((i) => ({
    name: names[i]!,
    unit: units[i]!,
    meaning: '',
    values: Float64Array.from(rows, (row) => row[i]!),
  }));
  const { values } = columns[0]!;
  const told = units[time] || (timeName.exec(names[time]!)?.[1] ?? '');
  const factor = timeFactors[told === '' ? 's' : told.toLowerCase()];
  if (!factor) throw new Error(`${name}: time in [${told}]; known: ${Object.keys(timeFactors).join(', ')}`);
  if (factor !== 1) {
    assumed.push(`${names[time]} in ${told}, shown in seconds`);
    columns[0]!.unit = 's';
    values.forEach((x, row) => (values[row] = x * factor));
  } else if (told === '' && /stamp/i.test(names[time]!)) {
    assumed.push(`${names[time]}: assumed seconds`);
  }
  checkTimes(values, name, (row) => `line ${lines[row]}`);
  if (values[values.length - 1] === values[0]) throw new Error(`${name}: time is ${values[0]} in all rows`);
  for (const column of columns) {
    const row = column.values.findIndex((x) => !Number.isFinite(x));
    if (row < 0) continue;
    const count = column.values.reduce((sum, x) => sum + (Number.isFinite(x) ? 0 : 1), 0);
    assumed.push(`${column.name} has no number in ${count} of ${counted(rows.length, 'row')}, the first in line ${lines[row]}`);
  }
  const list = (key: string): unknown[] => (Array.isArray(parts[key]) ? (parts[key] as unknown[]) : []);
  const head: Head = {
    title,
    version,
    convention: '',
    scenario_file: '',
    scenario_sha256: '',
    formulation: '',
    integrator: '',
    portable: true,
    epoch: '',
    columns: columns.map(({ name, unit, meaning }) => ({ name, unit, meaning })),
    events: [],
    bodies: list('bodies'),
    joints: list('joints'),
    scene: parts['scene'],
    scenario: '',
  };
  return new Result(head, columns, events, name, rows.length, assumed);
}

/** A file that was dropped on the page or chosen. */
export async function readFile(file: File): Promise<Result> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isLog = bytes.length > 4 && String.fromCharCode(...bytes.subarray(0, 4)) === 'PLHD';
  return isLog ? readLog(bytes, file.name) : readTable(new TextDecoder().decode(bytes), file.name);
}
