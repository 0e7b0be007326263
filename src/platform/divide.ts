/**
 * Divides a module's further part once more, where it is unpacked: into the functions that some compilation of a
 * training called, and those that none did, the cold ones. V8 copies each module that it compiles, even where functions
 * are compiled only when they are called, and to get pages for 20 MB takes a short job longer than to compile its
 * kernel. So the cold functions stay on disk until one of them is called.
 *
 * Both modules have every function under its old number. Where a function lies in the other one, a stub stands in its
 * place and calls it through a table: through one of the first part's, where the function has a place, else through a
 * table of their own, `far`. Place 0 of that table holds what loads the cold module. The called module's stubs call it
 * first. The cold module then puts its functions into the tables, where calls find them without a stub.
 */

/** Which functions a training called, and what becomes of the others. */
export interface Divided {
  readonly called: Uint8Array<ArrayBuffer>;
  readonly cold: Uint8Array<ArrayBuffer>;
}

/** What the called module exports, and the cold one imports from `called`. */
export const FAR_TABLE = 'far';
/** In the table: a function without parameters or results, which is called before a cold one is. */
export const LOADER = 0;

const Section = { Type: 1, Import: 2, Function: 3, Table: 4, Export: 7, Element: 9, Code: 10 } as const;
const Kind = { Function: 0, Table: 1, Memory: 2, Global: 3 } as const;
const Op = {
  ...{ Unreachable: 0x00, End: 0x0b, Call: 0x10, CallIndirect: 0x11, ReturnCall: 0x12, LocalGet: 0x20 },
  ...{ I32Const: 0x41, RefNull: 0xd0, RefFunc: 0xd2 },
} as const;
const FUNCTION_TYPE = 0x60;
const FUNCREF = 0x70;
const HEADER_BYTES = 8;

/** A place in a table. */
interface Place {
  readonly table: number;
  readonly at: number;
}

/** WebAssembly's binary format: numbers in LEB128. */
class Reader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes[this.at++]!;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  signed(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && byte & 64 ? value | (-1 << (shift + 7)) : value;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  expect(byte: number): void {
    if (this.byte() !== byte) throw new Error('a part of the compiled module has a form that is not expected');
  }

  vector<T>(read: () => T): T[] {
    return Array.from({ length: this.number() }, read);
  }
}

function unsigned(value: number): number[] {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** An `i32.const`'s number, which is not negative. */
function signed(value: number): number[] {
  const bytes = unsigned(value);
  return bytes.at(-1)! < 64 ? bytes : [...bytes.slice(0, -1), bytes.at(-1)! + 128, 0];
}

type Bytes = Uint8Array | readonly number[];

function joined(parts: readonly Bytes[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param called a bit for each function of the module, in order: whether training called it */
export function divide(whole: Uint8Array, called: Uint8Array): Divided {
  const sections = sectionsOf(whole);
  const section = (id: number): Reader => new Reader(sections.get(id)!);
  const parameters = section(Section.Type);
  const parameterCounts = parameters.vector(() => parametersOf(parameters));
  const { functions: imported, tables } = importsOf(section(Section.Import));
  const numbers = section(Section.Function);
  const types = numbers.vector(() => numbers.number());
  const code = section(Section.Code);
  const bodies = code.vector(() => code.take(code.number()));
  const isCalled = (own: number): boolean => (called[own >> 3]! & (1 << (own & 7))) !== 0;

  const entries = entriesOf(section(Section.Element)).filter(({ index }) => index >= imported);
  const places = new Map<number, Place>();
  for (const { index, place } of entries) if (!places.has(index - imported)) places.set(index - imported, place);

  // What has no place gets one in the table of their own: what a cold function may call, and then what a called one
  // may.
  const far = tables;
  const own = bodies.map((_, index) => index);
  const farCalled = own.filter((index) => isCalled(index) && !places.has(index));
  const targets = new Set<number>();
  for (const index of own) if (isCalled(index)) findTargets(bodies[index]!, imported, bodies.length, targets);
  const farCold = own.filter((index) => !isCalled(index) && !places.has(index) && targets.has(index));
  const inFar = [...farCalled, ...farCold];
  inFar.forEach((index, at) => places.set(index, { table: far, at: LOADER + 1 + at }));

  const loaderType = parameterCounts.length;
  const typeSection = joined([
    unsigned(loaderType + 1),
    parameters.bytes.subarray(countBytes(parameters.bytes)),
    [FUNCTION_TYPE, 0, 0],
  ]);
  const table = [FUNCREF, 0x00, ...unsigned(LOADER + 1 + inFar.length)];
  const name = [...unsigned(FAR_TABLE.length), ...new TextEncoder().encode(FAR_TABLE)];
  const callLoader = [Op.I32Const, LOADER, Op.CallIndirect, ...unsigned(loaderType), ...unsigned(far)];
  const stub = (index: number, first: readonly number[]): Bytes => {
    const place = places.get(index);
    if (place === undefined) return [3, 0, Op.Unreachable, Op.End];
    const type = types[index]!;
    const gets = Array.from({ length: parameterCounts[type]! }, (_, n) => [Op.LocalGet, ...unsigned(n)]).flat();
    const call = [Op.I32Const, ...signed(place.at), Op.CallIndirect, ...unsigned(type), ...unsigned(place.table)];
    const body = [0, ...first, ...gets, ...call, Op.End];
    return [...unsigned(body.length), ...body];
  };
  const codeSection = (keeps: (index: number) => boolean, first: readonly number[]): Uint8Array =>
    joined([
      unsigned(bodies.length),
      ...own.flatMap((index) =>
        keeps(index) ? [unsigned(bodies[index]!.length), bodies[index]!] : [stub(index, first)],
      ),
    ]);
  const segment = (at: Place, indices: readonly number[]): Bytes => [
    ...[2, ...unsigned(at.table), Op.I32Const, ...signed(at.at), Op.End, 0],
    ...[...unsigned(indices.length), ...indices.flatMap((index) => unsigned(index + imported))],
  ];
  const module = (changed: ReadonlyMap<number, Uint8Array>): Uint8Array<ArrayBuffer> => {
    const all = new Map([...sections, ...changed, [Section.Type, typeSection]]);
    const ids = [...all.keys()].sort((a, b) => a - b);
    return joined([
      whole.subarray(0, HEADER_BYTES),
      ...ids.flatMap((id) => [[id], unsigned(all.get(id)!.length), all.get(id)!]),
    ]);
  };

  const elements = sections.get(Section.Element)!;
  const moved = runsOf(entries.filter(({ index }) => !isCalled(index - imported))).map(({ place, indices }) =>
    segment(
      place,
      indices.map((index) => index - imported),
    ),
  );
  const imports = sections.get(Section.Import)!;
  return {
    called: module(
      new Map([
        [Section.Table, joined([[1], table])],
        [Section.Export, joined([[1], name, [Kind.Table], unsigned(far)])],
        [
          Section.Element,
          joined([
            unsigned(new Reader(elements).number() + 1),
            elements.subarray(countBytes(elements)),
            segment({ table: far, at: LOADER + 1 }, inFar),
          ]),
        ],
        [Section.Code, codeSection(isCalled, callLoader)],
      ]),
    ),
    cold: module(
      new Map([
        [
          Section.Import,
          joined([
            unsigned(new Reader(imports).number() + 1),
            imports.subarray(countBytes(imports)),
            ...[[6], new TextEncoder().encode('called'), name, [Kind.Table], table],
          ]),
        ],
        [
          Section.Element,
          joined([
            unsigned(moved.length + 1),
            ...moved,
            segment({ table: far, at: LOADER + 1 + farCalled.length }, farCold),
          ]),
        ],
        [Section.Code, codeSection((index) => !isCalled(index), [])],
      ]),
    ),
  };
}

/** The contents of a module's sections, by their numbers. */
function sectionsOf(module: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(module, HEADER_BYTES);
  const found = new Map<number, Uint8Array>();
  while (reader.at < module.length) {
    const id = reader.byte();
    found.set(id, reader.take(reader.number()));
  }
  return found;
}

/** Of the count at the start of a section. */
function countBytes(section: Uint8Array): number {
  const reader = new Reader(section);
  reader.number();
  return reader.at;
}

/** Of a function's type, how many. */
function parametersOf(reader: Reader): number {
  reader.expect(FUNCTION_TYPE);
  const parameters = reader.number();
  reader.take(parameters);
  reader.take(reader.number());
  return parameters;
}

function importsOf(reader: Reader): { functions: number; tables: number } {
  const limits = (): void => {
    const hasMaximum = (reader.byte() & 1) !== 0;
    reader.number();
    if (hasMaximum) reader.number();
  };
  const kinds = reader.vector(() => {
    for (let name = 0; name < 2; name++) reader.take(reader.number());
    const kind = reader.byte();
    if (kind === Kind.Function) reader.number();
    else if (kind === Kind.Global) reader.take(2);
    else {
      if (kind === Kind.Table) reader.byte();
      limits();
    }
    return kind;
  });
  const count = (wanted: number): number => kinds.filter((kind) => kind === wanted).length;
  return { functions: count(Kind.Function), tables: count(Kind.Table) };
}

/** What the active segments put into tables. */
function entriesOf(reader: Reader): { place: Place; index: number }[] {
  return reader
    .vector(() => {
      const flags = reader.number();
      if ((flags & 1) !== 0) throw new Error('a segment of the compiled module is not active');
      const table = (flags & 2) === 0 ? 0 : reader.number();
      reader.expect(Op.I32Const);
      const offset = reader.signed();
      reader.expect(Op.End);
      if ((flags & 2) !== 0) reader.byte(); // its kind or type
      const isOfExpressions = (flags & 4) !== 0;
      const indices = reader.vector(() => {
        const op = isOfExpressions ? reader.byte() : Op.RefFunc;
        const index = reader.number();
        if (isOfExpressions) reader.expect(Op.End);
        return op === Op.RefFunc ? index : null;
      });
      return indices.flatMap((index, at) => (index === null ? [] : [{ place: { table, at: offset + at }, index }]));
    })
    .flat();
}

/** Entries that follow each other in a table. */
function runsOf(entries: readonly { place: Place; index: number }[]): { place: Place; indices: number[] }[] {
  const runs: { place: Place; indices: number[] }[] = [];
  for (const { place, index } of entries) {
    const last = runs.at(-1);
    if (last?.place.table === place.table && last.place.at + last.indices.length === place.at) last.indices.push(index);
    else runs.push({ place, indices: [index] });
  }
  return runs;
}

/**
 * Which functions a body may call. Every byte that is a call's is taken for one, so some are found that are not called:
 * they get a place that nothing uses.
 */
function findTargets(body: Uint8Array, imported: number, count: number, found: Set<number>): void {
  for (let at = 0; at < body.length; at++) {
    const op = body[at];
    if (op !== Op.Call && op !== Op.ReturnCall && op !== Op.RefFunc) continue;
    const index = new Reader(body, at + 1).number() - imported;
    if (index >= 0 && index < count) found.add(index);
  }
}
