/** Files whose tables, names and notes overlap: reading every one of them takes the square of the file's size. */
import { encode } from '@msgpack/msgpack';
import { DarmError } from '../../src/errors.js';
import { inspectCodeObject } from '../../src/formats/code-object.js';
import { elfSectionBytes, elfSymbols, parseElf } from '../../src/formats/elf.js';
import { decodeMessagePack } from '../../src/formats/message-pack.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/hostile', { tests: 7, timeoutMs: 20_000 });

const HEADER = 64;

/** The header of a code object for gfx906, and nothing behind it. */
function codeObject(bytes: number): Buffer {
  const elf = Buffer.alloc(bytes);
  elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 64, 3]);
  elf.writeUInt16LE(3, 16);
  elf.writeUInt16LE(224, 18);
  elf.writeUInt32LE(0x2f, 48);
  return elf;
}

const u64 = (elf: Buffer, at: number, value: number): unknown => elf.writeBigUInt64LE(BigInt(value), at);

/** `count` note segments, all of which are the end of the file. */
function withNotes(count: number, notes: Uint8Array): Buffer {
  const start = HEADER + count * 56;
  const elf = codeObject(start + notes.length);
  u64(elf, 32, HEADER);
  elf.writeUInt16LE(56, 54);
  elf.writeUInt16LE(count, 56);
  for (let i = 0; i < count; i++) {
    elf.writeUInt32LE(4, HEADER + i * 56);
    u64(elf, HEADER + i * 56 + 8, start);
    u64(elf, HEADER + i * 56 + 32, notes.length);
  }
  elf.set(notes, start);
  return elf;
}

interface Section {
  readonly type: number;
  readonly link?: number;
  readonly bytes: Uint8Array;
}

/** Sections whose contents follow one another. */
function withSections(sections: readonly Section[], namesIndex: number): Buffer {
  const contents = HEADER + sections.length * 64;
  const elf = codeObject(contents + sections.reduce((sum, { bytes }) => sum + bytes.length, 0));
  u64(elf, 40, HEADER);
  elf.writeUInt16LE(64, 58);
  elf.writeUInt16LE(sections.length, 60);
  elf.writeUInt16LE(namesIndex, 62);
  let at = contents;
  sections.forEach(({ type, link = 0, bytes }, i) => {
    const header = HEADER + i * 64;
    elf.writeUInt32LE(type, header + 4);
    u64(elf, header + 24, at);
    u64(elf, header + 32, bytes.length);
    elf.writeUInt32LE(link, header + 40);
    elf.set(bytes, at);
    at += bytes.length;
  });
  return elf;
}

const metadataNote = (metadata: unknown): Buffer => {
  const data = encode(metadata);
  const note = Buffer.alloc(20 + Math.ceil(data.length / 4) * 4);
  note.writeUInt32LE(7, 0);
  note.writeUInt32LE(data.length, 4);
  note.writeUInt32LE(32, 8);
  note.write('AMDGPU', 12);
  note.set(data, 20);
  return note;
};

function refused(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error: unknown) => error instanceof DarmError && error.code === 'bad-input' && message.test(error.message)); // prettier-ignore
}

test('notes that many segments share', () => {
  refused(() => inspectCodeObject(withNotes(200, new Uint8Array(12 * 40_000))), /notes overlap/);
});

test('more segments than any linker writes', () => {
  refused(() => inspectCodeObject(withNotes(2000, new Uint8Array(12))), /more than 256 program headers/);
});

test('the metadata is found among other notes', () => {
  const notes = Buffer.concat([new Uint8Array(12 * 1000), metadataNote({ 'amdhsa.kernels': [{ '.name': 'k' }] })]);
  assert.equal(
    inspectCodeObject(withNotes(1, notes)).kernels.map(({ name }) => name),
    ['k'],
  );
});

test('symbols that share a long name, or the ends of one', () => {
  const count = 20_000;
  const symbols = Buffer.alloc(count * 24);
  for (let i = 0; i < count; i++) symbols.writeUInt32LE(1 + (i % 1000), i * 24);
  const strings = Buffer.alloc(2 ** 20, 'B');
  strings[0] = strings[strings.length - 1] = 0;
  const elf = withSections([{ type: 8, bytes: new Uint8Array(0) }, { type: 2, link: 2, bytes: symbols }, { type: 3, bytes: strings }], 0); // prettier-ignore
  refused(() => elfSymbols(parseElf(elf)), /names of its symbols overlap/);
});

test('sections that share a long name', () => {
  const names = Buffer.alloc(2 ** 21, 'A');
  names[names.length - 1] = 0;
  const sections = Array.from({ length: 65_000 }, () => ({ type: 1, bytes: new Uint8Array(0) }));
  const elf = withSections([{ type: 3, bytes: names }, ...sections], 0);
  assert.is(elfSectionBytes(parseElf(elf), '.text'), null);
});

test('metadata with millions of values', () => {
  // Empty maps in a list: a byte each in the file, fifty in memory.
  const bytes = new Uint8Array(50_000_000).fill(0x80);
  bytes.set([0xdd, ...[24, 16, 8, 0].map((shift) => ((bytes.length - 5) >>> shift) & 0xff)]);
  refused(() => decodeMessagePack(bytes, 'it'), /it has more than 4194304 values/);
});

test('metadata with more kernels than there are', () => {
  const kernels = new Array<number>(100_000).fill(0);
  refused(
    () => inspectCodeObject(withNotes(1, metadataNote({ 'amdhsa.kernels': kernels }))),
    /more than 65536 kernels/,
  );
});

test.run();
