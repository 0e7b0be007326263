/** The references of the kernels of today, checked with results worked out by hand for single threads. */
import { today } from '../../kernels/references/today/index.js';
import { assert, suite } from '../support/suite.js';

const test = suite('kernels/today', { tests: 10 });

type Buffers = Readonly<Record<string, ArrayLike<number>>>;

/** The outputs of one workgroup's threads. */
function outputs(kernel: string, buffers: Buffers, scalars: Readonly<Record<string, number>> = {}, threads = 1) {
  const found = today[kernel]!.compute({ buffers, scalars, grid: [1, 1, 1], block: [threads, 1, 1] });
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values]]));
}

const bytes = (text: string): number[] => [...Buffer.from(text, 'latin1')];

test('hashjoin: two matches, a tombstone, another key; a full table', () => {
  const EMPTY = 0xffffffff;
  const TOMBSTONE = 0xfffffffe;
  // 1 hashes to 0x9e37: slot 7 of 16, where a chain of four begins; and slot 1 of 2, after which comes slot 0.
  const table = Array.from({ length: 32 }, () => EMPTY);
  table.splice(14, 8, 1, 2, TOMBSTONE, 0, 9, 1, 1, 0);
  const rows = [3, 5, 10, 10, 100, 7];
  const join = (key: number, slots: readonly number[], mask: number) =>
    outputs('hashjoin_128', { keys: [key], table: slots, rows }, { mask });
  assert.equal(join(1, table, 15), { matches: [2], totals: [715], steps: [(4 << 16) | 1] });
  assert.equal(join(1, [1, 0, 7, 1], 1), { matches: [1], totals: [15], steps: [2 << 16] });
  assert.equal(join(3, table, 15).matches, [0]);
});

test('mandelbrot: inside, outside, and where the burning ship differs', () => {
  const at = (left: number, top: number, ship: number) =>
    outputs('mandelbrot_128', { ships: [ship] }, { left, top, pitch: 0, limit: 20 });
  assert.equal(at(0, 0, 0), { iterations: [20], radii: [0] });
  assert.equal(at(2, 0, 1), { iterations: [2], radii: [36] });
  // From -1 + i the imaginary part becomes -2 + 1, and for the burning ship 2 + 1.
  assert.equal(at(-1, 1, 0), { iterations: [3], radii: [10] });
  assert.equal(at(-1, 1, 1), { iterations: [2], radii: [10] });
});

test('raytri: the nearest of a triangle and a sphere, from inside a sphere, past both', () => {
  const primitives = [0, 0, 4, 2, 0, 0, 0, 2, 0, 0, 0, 8, 1, 0, 0, 0, 0, 0];
  const cast = (origin: readonly number[], leaf = 0, count = 2) => {
    const ray = { origins: origin, directions: [0, 0, 2], leaves: [leaf], counts: [count] };
    return outputs('raytri_64', { ...ray, primitives, spheres: [0, 1] });
  };
  assert.equal(cast([0.5, 0.5, 0]), { distances: [2], hits: [0] });
  assert.equal(cast([0, 0, 0], 1, 1), { distances: [3.5], hits: [1] });
  assert.equal(cast([0, 0, 8]), { distances: [0.5], hits: [1] });
  assert.equal(cast([5, 5, 0]), { distances: [Math.fround(1e30)], hits: [0xffffffff] });
});

test('rle: a run, literals, the end of the room', () => {
  const decode = (chunk: readonly number[], room: number) =>
    outputs('rle_64', { in: chunk }, { chunk: chunk.length, room });
  assert.equal(decode([0, 9, 254, 1, 2, 1, 8], 10), { out: [9, 9, 9, 1, 2, 8, 8, 8, 8, 0], lengths: [9] });
  assert.equal(decode([250, 1, 2, 3], 10).lengths, [3]);
  assert.equal(decode([127, 7], 4), { out: [7, 7, 7, 7], lengths: [4] });
});

test('lz4ish: literals, an overlapping match, literals', () => {
  const block = [0x22, ...bytes('ab'), 2, 0, 0x10, ...bytes('c')];
  const { out, lengths } = outputs('lz4ish_64', { in: block, starts: [0, block.length] }, { room: 12 });
  assert.equal(out, [...bytes('abababab' + 'c'), 0, 0, 0]);
  assert.equal(lengths, [9]);
});

test('dequant: INT4 with a zero point, FP8 with subnormals', () => {
  const codes = [0x76543210, ...Array.from({ length: 7 }, () => 0), 0xff7f38b8, 0x08870100];
  const group = { codes: [...codes, ...Array.from({ length: 6 }, () => 0)], scales: [0.5, 2], zeros: [4, 9] };
  const { out } = outputs('dequant_128', { ...group, formats: [0, 1] }, {}, 8);
  assert.equal(out!.slice(0, 8), [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5]);
  assert.equal(out!.slice(32, 40), [-2, 2, 960, -960, 0, 2 ** -8, -7 * 2 ** -8, 2 ** -5]);
});

test('tokenizer: each kind, and the unfinished last token', () => {
  const tokens = (line: string) => outputs('tokenizer_64', { text: bytes(line) }, { length: line.length });
  // Two marks, a word, a number, a string and a comment.
  assert.equal(tokens('+-a 12 "\\n"#x\n').counts, [0x02010101]);
  const marks = 43 * 31 + 45;
  assert.equal(tokens('+-a 12 "\\n"#x\n').digests, [((marks * 31 + 97) * 31 + 12) * 31 + 10]);
  assert.equal(
    ['ab', '7', '"x', '"\\', '#'].map((line) => tokens(line).digests![0]),
    [1, 2, 3, 4, 5],
  );
  assert.equal(tokens('ab ').digests, [(97 * 33) ^ 98]);
});

test('spmv: a short row and a long one', () => {
  const matrix = { starts: [0, 1, 3], columns: [9, 1, 0], values: [99, 0.5, 3] };
  const buffers = { ...matrix, x: [10, 20], ellColumns: [1, 9], ellValues: [2, 99] };
  assert.equal(outputs('spmv_128', buffers, { rows: 2, width: 1 }, 2), { y: [40, 40] });
});

test('interp: arithmetic, a load, a skip', () => {
  const run = (...programs: readonly number[]) =>
    outputs('interp_64', { programs, data: [7, 1, 2, 3, 4, 5, 6, 0] }, { length: programs.length, mask: 7 }).out![0];
  const digest = (...registers: readonly number[]) =>
    registers.reduce((value, register) => (Math.imul(value, 31) + register) >>> 0, 0);
  const word = (operation: number, to: number, a: number, b: number, constant = 0) =>
    ((constant << 16) | (b << 10) | (a << 7) | (to << 4) | operation) >>> 0;
  assert.is(run(), digest(7, 1, 2, 3, 4, 5, 6, 0));
  assert.is(run(word(1, 7, 1, 2)), digest(7, 1, 2, 3, 4, 5, 6, 0xffffffff));
  assert.is(run(word(10, 6, 4, 5)), digest(7, 1, 2, 3, 4, 5, 26, 0));
  assert.is(run(word(12, 0, 2, 0, 3)), digest(5, 1, 2, 3, 4, 5, 6, 0));
  assert.is(run(word(15, 0, 1, 2, 1), word(11, 3, 0, 0, 50)), digest(7, 1, 2, 3, 4, 5, 6, 0));
  assert.is(run(word(15, 0, 2, 1, 1), word(11, 3, 0, 0, 50)), digest(7, 1, 2, 50, 4, 5, 6, 0));
});

test('interp: rotations by zero and by another number', () => {
  const rotated = (constant: number) => {
    const word = ((constant << 16) | 13) >>> 0;
    const data = [0x80000001, 0, 0, 0, 0, 0, 0, 0];
    return outputs('interp_64', { programs: [word], data }, { length: 1, mask: 7 }).out![0];
  };
  assert.is(rotated(32), Math.imul(0x80000001, 31 ** 7) >>> 0);
  assert.is(rotated(1), Math.imul(3, Number((31n ** 7n) & 0xffffffffn)) >>> 0);
});

test.run();
