/** Hostile ELF files: sound code objects with one structure changed, and files made to be expensive to read. */
import type { Draw } from '../../support/draw.js';

const HEADER = 64;
const SEGMENT = 56;
const SECTION = 64;
const SYMBOL = 24;
const SYMBOL_TABLES = [2, 11];
const NOTES = 7;

const u64 = (bytes: Buffer, at: number, value: number | bigint): void =>
  void bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), at);

/** Where a table of headers of a sound file lies. */
function table(bytes: Buffer, offsetAt: number, countAt: number, size: number): number[] {
  const offset = Number(bytes.readBigUInt64LE(offsetAt));
  const count = bytes.readUInt16LE(countAt);
  return Array.from({ length: count }, (_, i) => offset + i * size).filter((at) => at + size <= bytes.length);
}

const segments = (bytes: Buffer): number[] => table(bytes, 32, 56, SEGMENT);
const sections = (bytes: Buffer): number[] => table(bytes, 40, 60, SECTION);

interface Span {
  readonly offset: number;
  readonly size: number;
}

function sectionsOfType(bytes: Buffer, types: readonly number[]): Span[] {
  return sections(bytes)
    .filter((at) => types.includes(bytes.readUInt32LE(at + 4)))
    .map((at) => ({
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    }));
}

/** A value that a size, an offset or an address may have in an attack on this file. */
function value(bytes: Buffer, draw: Draw): bigint {
  const length = BigInt(bytes.length);
  return draw.pick([0n, 1n, 8n, 63n, 64n, length, length - 1n, length / 2n, BigInt(draw.below(bytes.length)), 0xffff_ffffn, 0x7fff_f000n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n - 4096n]); // prettier-ignore
}

type Change = (bytes: Buffer, draw: Draw) => void;

const header: Change = (bytes, draw) => {
  const [at, size] = draw.pick([[4, 1], [5, 1], [7, 1], [8, 1], [16, 2], [18, 2], [20, 4], [24, 8], [32, 8], [40, 8], [48, 4], [52, 2], [54, 2], [56, 2], [58, 2], [60, 2], [62, 2]] as const); // prettier-ignore
  const field = BigInt.asUintN(8 * size, draw.chance(0.5) ? value(bytes, draw) : BigInt(draw.below(70_000)));
  for (let i = 0; i < size; i++) bytes[at + i] = Number((field >> BigInt(8 * i)) & 0xffn);
};

/** A field of one entry of a table gets an odd value, or that of another entry. */
const entry =
  (entries: (bytes: Buffer) => number[], words: readonly number[], longs: readonly number[]): Change =>
  (bytes, draw) => {
    const found = entries(bytes);
    if (found.length === 0) return;
    const [at, other] = [draw.pick(found), draw.pick(found)];
    if (draw.chance(0.4)) {
      const field = draw.pick(words);
      bytes.writeUInt32LE(draw.chance(0.5) ? bytes.readUInt32LE(other + field) : draw.below(20), at + field);
    } else {
      const field = draw.pick(longs);
      u64(bytes, at + field, draw.chance(0.3) ? bytes.readBigUInt64LE(other + field) : value(bytes, draw));
    }
  };

const symbols = (bytes: Buffer): number[] =>
  sectionsOfType(bytes, SYMBOL_TABLES).flatMap(({ offset, size }) =>
    Array.from({ length: Math.floor(size / SYMBOL) }, (_, i) => offset + i * SYMBOL),
  );

/** Bytes of a section get the heads of structures that claim more than there is. */
const within =
  (types: readonly number[], patterns: readonly string[]): Change =>
  (bytes, draw) => {
    const found = sectionsOfType(bytes, types).filter(({ size }) => size > 0);
    if (found.length === 0) return;
    const { offset, size } = draw.pick(found);
    const pattern = Buffer.from(draw.pick(patterns), 'hex');
    const at = offset + draw.below(size);
    pattern.copy(bytes, at, 0, Math.max(0, Math.min(pattern.length, offset + size - at)));
  };

/** MessagePack: arrays, maps, strings and extensions of 2^32 - 1 items; deep arrays; other values. */
const METADATA = ['ddffffffff', 'dfffffffff', 'dbffffffff', 'c6ffffffff', 'c9ffffffff', '91'.repeat(2000), '81a0'.repeat(1000), 'c0', 'cfffffffffffffffff', 'd3ffffffffffffffff', 'cb7ff8000000000000', 'c1', 'a0', 'ff', 'de0000']; // prettier-ignore

const CHANGES: readonly Change[] = [
  header,
  entry(segments, [0, 4], [8, 16, 24, 32, 40, 48]),
  entry(segments, [0, 4], [8, 16, 24, 32, 40, 48]),
  entry(sections, [0, 4, 40, 44], [8, 16, 24, 32, 48, 56]),
  entry(sections, [0, 4, 40, 44], [8, 16, 24, 32, 48, 56]),
  entry(symbols, [0, 4], [8, 16]),
  within([NOTES], METADATA),
  within([NOTES], METADATA),
  within([1], ['00000000', 'ffffffff', '000080bf', '0000000000000000000000000000000000000000', 'deadbeef']),
];

/** A sound code object with up to three changes. */
export function changedElf(bytes: Uint8Array, draw: Draw): Uint8Array {
  const result = Buffer.from(bytes);
  for (let i = draw.pick([1, 1, 2, 3]); i > 0; i--) {
    try {
      draw.pick(CHANGES)(result, draw);
    } catch (error) {
      // An earlier change has moved a table to where there is none.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return new Uint8Array(result);
}

/** A header of an AMD code object, with room behind it. */
function emptyElf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('\x7fELF', 0, 'latin1');
  bytes.set([2, 1, 1, 64, 3], 4);
  bytes.writeUInt16LE(3, 16);
  bytes.writeUInt16LE(224, 18);
  bytes.writeUInt32LE(0x2f, 48);
  bytes.writeUInt16LE(SEGMENT, 54);
  bytes.writeUInt16LE(SECTION, 58);
  return bytes;
}

function writeSections(
  bytes: Buffer,
  at: number,
  all: readonly (Span & { type: number; name?: number; link?: number })[],
): void {
  // prettier-ignore
  u64(bytes, 40, at);
  bytes.writeUInt16LE(all.length, 60);
  all.forEach(({ type, offset, size, name = 0, link = 0 }, i) => {
    const entryAt = at + i * SECTION;
    bytes.writeUInt32LE(name, entryAt);
    bytes.writeUInt32LE(type, entryAt + 4);
    u64(bytes, entryAt + 24, offset);
    u64(bytes, entryAt + 32, size);
    bytes.writeUInt32LE(link, entryAt + 40);
  });
}

/** Every entry of a table refers to the same large area, so that reading each for itself takes the product of both. */
const MADE: readonly ((count: number, area: number) => Buffer)[] = [
  // Sections that share one long name.
  (count, area) => {
    const names = HEADER + count * SECTION;
    const bytes = emptyElf(names + area + 1);
    writeSections(bytes, HEADER, Array.from({ length: count }, () => ({ type: 0, offset: names, size: area + 1, name: 1 }))); // prettier-ignore
    bytes.writeUInt16LE(1, 62);
    return bytes.fill('A', names, names + area);
  },
  // Note segments over the same notes.
  (count, area) => {
    const notes = HEADER + count * SEGMENT;
    const bytes = emptyElf(notes + area);
    u64(bytes, 32, HEADER);
    bytes.writeUInt16LE(count, 56);
    for (let at = HEADER; at < notes; at += SEGMENT) {
      bytes.writeUInt32LE(4, at);
      u64(bytes, at + 8, notes);
      u64(bytes, at + 32, area);
    }
    return bytes;
  },
  // Note sections over the same notes.
  (count, area) => {
    const notes = HEADER + count * SECTION;
    const bytes = emptyElf(notes + area);
    writeSections(
      bytes,
      HEADER,
      Array.from({ length: count }, () => ({ type: NOTES, offset: notes, size: area })),
    );
    return bytes;
  },
  // Symbols that share one long name.
  (count, area) => {
    const at = HEADER + 3 * SECTION;
    const names = at + count * SYMBOL;
    const bytes = emptyElf(names + area + 1);
    writeSections(bytes, HEADER, [
      { type: 8, offset: 0, size: 0 },
      { type: 2, offset: at, size: count * SYMBOL, link: 2 },
      { type: 3, offset: names, size: area + 1 },
    ]);
    for (let i = 0; i < count; i++) bytes.writeUInt32LE(1 + (i % Math.max(1, area >> 1)), at + i * SYMBOL);
    return bytes.fill('B', names + 1, names + area);
  },
  // Loaded segments over the same bytes.
  (count, area) => {
    const data = HEADER + count * SEGMENT;
    const bytes = emptyElf(data + area);
    u64(bytes, 32, HEADER);
    bytes.writeUInt16LE(count, 56);
    for (let i = 0; i < count; i++) {
      const at = HEADER + i * SEGMENT;
      bytes.writeUInt32LE(1, at);
      bytes.writeUInt32LE(5, at + 4);
      u64(bytes, at + 8, data);
      u64(bytes, at + 16, i % 2 === 0 ? 0 : i * 4096);
      u64(bytes, at + 32, area);
      u64(bytes, at + 40, area);
    }
    return bytes;
  },
  // Counts without tables.
  (count) => {
    const bytes = emptyElf(HEADER + 8);
    u64(bytes, 40, HEADER);
    u64(bytes, 32, HEADER);
    bytes.writeUInt16LE(Math.min(65535, count), 60);
    bytes.writeUInt16LE(Math.min(65535, count), 56);
    return bytes;
  },
];

/** At most 1 MiB. */
export function expensiveElf(draw: Draw): Uint8Array {
  const count = draw.pick([10, 500, 2000, 10_000]);
  const room = 2 ** 20 - HEADER - 4 * SECTION - count * SECTION;
  return new Uint8Array(draw.pick(MADE)(count, draw.pick([12, 4800, 480_000, room - (room % 12)].filter((area) => area <= room)))); // prettier-ignore
}
