/** Contents of buffers. The random ones are the vectors of docs/launch-spec.md, computed with Python's integers. */
import { ELEMENT_BYTES, type ElementType } from '../../../src/simulator/launch/elements.js';
import { defaultRange, fillBuffer, type Fill } from '../../../src/simulator/launch/fill.js';
import { SpecRandom } from '../../../src/simulator/launch/random.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/fill', { tests: 5 });

function filled(type: ElementType, length: number, fill: Fill): Uint8Array {
  const bytes = new Uint8Array(length * ELEMENT_BYTES[type]);
  fillBuffer(bytes, type, fill);
  return bytes;
}

const random = (type: ElementType, seed: number, min: number, max: number): Fill => {
  const [low, high] = defaultRange(type);
  return { kind: 'random', seed, min: min ?? low, max: max ?? high };
};

test('words of the generator', () => {
  const words = (seed: number): number[] => {
    const generator = new SpecRandom(seed);
    return Array.from({ length: 4 }, () => generator.word());
  };
  assert.equal(words(0), [0x4434b462, 0x00159c37, 0x39285b08, 0x256d8104]);
  assert.equal(words(1), [0xa087eaf3, 0x00b349c9, 0x8706c4eb, 0xfb2627fd]);
  assert.equal(words(2 ** 32 - 1), [0xe57bf3d3, 0x3081a5a4, 0xb7350390, 0xf1ade904]);
  const generator = new SpecRandom(1);
  assert.is(generator.fraction(), 0.6270739361847618);
  assert.is(generator.fraction(), 0.5274470447082144);
});

test('random elements', () => {
  const i32 = new Int32Array(filled('i32', 8, random('i32', 1, -1000, 1000)).buffer);
  assert.equal([...i32], [254, 55, 937, 226, -148, -90, -722, -505]);
  const u32 = new Uint32Array(filled('u32', 8, random('u32', 2, 0, 1_000_000)).buffer);
  assert.equal([...u32], [734251, 285296, 875288, 499202, 781589, 785867, 424226, 581320]);
  const f32 = filled('f32', 4, random('f32', 3, -100, 100));
  assert.is(Buffer.from(f32).toString('hex'), '722e30425c2f0cc1816752428bdc29c0');
  const [low, high] = defaultRange('u8');
  assert.equal([...filled('u8', 8, random('u8', 7, low, high))], [2, 250, 133, 119, 141, 66, 195, 50]);
  const i64 = new BigInt64Array(filled('i64', 3, random('i64', 7, ...defaultRange('i64'))).buffer);
  assert.equal([...i64], [-4398172604501508n, 4295602058546734n, 193161819275539n]);
});

test('random integers reach both ends and nothing beyond', () => {
  const values = [...filled('i8', 2000, random('i8', 5, -2, 2))].map((byte) => (byte << 24) >> 24);
  assert.equal(
    [...new Set(values)].sort((a, b) => a - b),
    [-2, -1, 0, 1, 2],
  );
});

test('counting up wraps around', () => {
  assert.equal([...filled('u8', 4, { kind: 'iota', start: 254 })], [254, 255, 0, 1]);
  assert.equal([...filled('i16', 2, { kind: 'iota', start: -1 })], [255, 255, 0, 0]);
  const u64 = new BigUint64Array(filled('u64', 2, { kind: 'iota', start: 2n ** 64n - 1n }).buffer);
  assert.equal([...u64], [2n ** 64n - 1n, 0n]);
  assert.equal([...new Float32Array(filled('f32', 3, { kind: 'iota', start: 0.5 }).buffer)], [0.5, 1.5, 2.5]);
});

test('one value, and raw bytes', () => {
  assert.equal([...filled('f16', 2, { kind: 'value', value: 1.5 })], [0x00, 0x3e, 0x00, 0x3e]);
  assert.equal([...filled('f32', 1, { kind: 'value', value: -0 })], [0, 0, 0, 0x80]);
  assert.equal([...filled('u32', 1, { kind: 'bytes', bytes: Uint8Array.of(1, 2, 3, 4) })], [1, 2, 3, 4]);
});

test.run();
