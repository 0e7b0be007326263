/** The references of the kernels, checked with results worked out by hand for a few threads, and with properties. */
import { expectedOutputs, REFERENCES } from '../../kernels/references/index.js';
import { readSpecs, type KernelLaunch } from '../../kernels/references/specs.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { assert, suite } from '../support/suite.js';

const test = suite('kernels/references', { tests: 19 });

/** The output of a kernel for these elements, in workgroups of `block` threads (by default one workgroup). */
function results(
  kernel: string,
  elements: readonly number[],
  scalars: Readonly<Record<string, number>> = {},
  block = elements.length,
): number[] {
  const launch = { grid: [elements.length / block, 1, 1], block: [block, 1, 1] } as const;
  const buffers = { in: elements, values: elements };
  const outputs = Object.values(REFERENCES[kernel]!.compute({ buffers, scalars, ...launch }));
  assert.is(outputs.length, 1);
  return [...outputs[0]!];
}

const unsigned = (values: readonly number[]): number[] => values.map((value) => value >>> 0);

test("every spec has a reference, every reference has a spec, and the outputs are the spec's", () => {
  const kernels = readSpecs().map(({ kernel, spec }) => {
    const outputs = [...expectedOutputs(spec)].map(([name, bytes]) => [name, bytes.length]);
    assert.equal(
      outputs,
      spec.buffers.filter(({ out }) => out).map(({ name, length, element }) => [name, length * ELEMENT_BYTES[element]]),
    );
    return kernel;
  });
  // A reference for all block sizes has the name without the size.
  const names = kernels.map((kernel) => (kernel in REFERENCES ? kernel : kernel.replace(/_\d+$/, '')));
  assert.equal([...new Set(names)].sort(), Object.keys(REFERENCES).sort());
});

test("no output equals the buffer's initial contents", () => {
  for (const { kernel, spec } of readSpecs()) {
    const outputs = [...expectedOutputs(spec).values()].map(({ buffer }) => new Uint32Array(buffer));
    for (const words of outputs)
      assert.ok(
        words.some((word) => word !== 0),
        `an output of ${kernel} is empty`,
      );
    const words = outputs.flatMap((each) => [...each]);
    assert.ok(new Set(words).size > Math.min(50, words.length / 2), `${kernel} is all the same`);
  }
});

test('bitonic: each workgroup sorted', () => {
  assert.equal(results('bitonic', [3, -1, 2, -1, 9, 8, -2147483648, 10], {}, 4), [-1, -1, 2, 3, -2147483648, 8, 9, 10]);
  const [{ spec }] = readSpecs(['bitonic']) as [KernelLaunch];
  const values = new Int32Array(expectedOutputs(spec).get('values')!.buffer);
  for (let start = 0; start < values.length; start += 64)
    for (let at = start + 1; at < start + 64; at++) assert.ok(values[at - 1]! <= values[at]!);
});

test('sb1: no step, and one step of one round', () => {
  // 3x + 3 + (x ^ x^1 ^ x^2), where x^1 and x^2 are exclusive ors.
  assert.equal(results('sb1', [0, 5], { rounds: 0, steps: 8 }), [3 + 3, 18 + 6]);
  // Thread 0: right 0 1 2 → 1 17 19, left 0 3 2. Thread 1: left 0 1 2 → 1 17 19, then 17 + 19.
  assert.equal(results('sb1', [0, 0], { rounds: 1, steps: 1 }), [5 + 3, 56 + 3]);
});

test('sb2: one step of one round, all values exact in binary32', () => {
  const [first, , third] = results('sb2', [4, 4, 4, 4], { rounds: 1, steps: 1 });
  // right 4 3 2 → 177/64 467/512 177/256, left 4 5 6 → 4 + 467/4096.
  assert.is(first, 139731 / 4096 - 279837 / 131072);
  // left 4 5 6 → 4.375 5 -1, right stays 4 3 2.
  assert.is(third, -0.625 + 2);
});

test('sb3: one step of one round', () => {
  const launch = { rounds: 1, steps: 1 };
  // Thread 0: C3 only. Thread 1: none.
  assert.equal(results('sb3', [0, 0], launch), [2773814, 84043295]);
  // Thread 1: C2 (45 288), C4 (6 960) and C6 (0x7f8f18f5 0xe1c88450).
  assert.is(results('sb3', [0, 7], launch)[1], 0xf22e38f7);
});

test('sb4: one step of one round, both chains', () => {
  const launch = { rounds: 1, steps: 1 };
  // Thread 0: D2, left 0 1 2 → 3 17 19, then 17 + 19. Thread 1: D4, middle 0 1 2 → 3 17 19; left 0 1+2 2. Right 0 -1
  // -2.
  assert.equal(results('sb4_32', [0, 0], launch), [3 * 961 - 38 * 31 - 17, 3 * 961 + 13 * 31 + 15]);
  // Thread 0: D5, right 0 -1 -2 → f9e3c001 -16 e1ffffee, left 0 3 2. Thread 1: D2, left 3 17 19, then 17 + f9e3c003.
  assert.equal(
    results('sb4c_32', [0, 0], launch),
    unsigned([Math.imul(0xedab4003, 961) - 46 * 31 + 0xa5ffffce, 3 * 961 + 0x061c3fea * 31 - 17]),
  );
});

test('the -R kernels: no round at all, and every step has an effect', () => {
  assert.equal(results('sb1r_32', [0, 0], { rounds: 0, steps: 8 }), [3 * 961 + 6 * 31 + 5, 3 * 961 + 6 * 31 + 5]);
  for (const kernel of ['sb1r', 'sb2r', 'sb3r', 'sb4r', 'sb4cr'])
    for (const size of [32, 256]) {
      const seen = [0, 1, 2, 3, 4].map((steps) =>
        results(`${kernel}_${size}`, [3, 1, 4, 1, 5, 9, 2, 6], { rounds: 2, steps }).join(),
      );
      assert.is(new Set(seen).size, seen.length, kernel);
    }
});

test('binary32: rounded after each operation, not fused', () => {
  assert.equal(results('many_stream', [1, 2, -4, 0.5], { scale: 1.5 }), [3.5, 4, -5.5, -3.25]);
  assert.equal(results('many_stream', [2 ** 24, 1], { scale: 1 }), [2 ** 24, 2 ** 24]);
  // (1 + 2^-12)² is 1 + 2^-11 + 2^-24, a tie.
  const x = 1 + 2 ** -12;
  assert.is(results('many_stream', [x, -(1 + 2 ** -11)], { scale: x })[0], 0);
  assert.equal(results('many_quantize', [-3, 3, 0, -0.5], { step: 2 }), [-4, 5, 2, -0]);
});

test('one value per side', () => {
  assert.equal(results('many_diamond', [0, 0]), unsigned([0 - 7, 404 - 12937]));
  assert.equal(results('many_uniform', [1, 2], { mode: 1 }), [72 - 9, 101 - 8]);
  assert.equal(results('many_uniform', [1, 2], { mode: 2 }), unsigned([1 - 1224, 2 - 1105]));
  assert.equal(results('many_crosslane', [1, 2]), unsigned([1 - 9, 83 - 1105]));
  // 0x15: the key 5 is neither below 4 nor above 6. 0x07: key 7, and the next thread's upper key 1 exceeds its own 0.
  assert.equal(results('many_shortcircuit', [0x15, 0x07]), unsigned([21 - 14, 278 - 3161]));
});

test('two values per side', () => {
  // Thread 0: 201 402 → 52641 1488 on the right. Thread 1: 101 50 → 101 622 on the left.
  assert.equal(results('many_nested', [201, 101]), unsigned([501 - (101 ^ 202), 101 + 3 * 622 - (52641 ^ 1488)]));
  assert.equal(results('many_loops', [0, 0, 1, 0]), unsigned([3 - 0x0ffffff7, 3 - 0x0ffffff7, 26 + 15 - 1, 0 - 3]));
  // Thread 0: 16 17 → 126 11592 on the right. Thread 1: 0 1 → 1 4 on the left.
  assert.equal(results('many_block_region', [16, 0]), unsigned([33 - 1, 5 - (126 ^ 11592)]));
});

test('the other kernels of many.hip', () => {
  // Odd: 3 + 4 + 5 + 6. Even: 2 + 3 + 0.
  assert.equal(results('many_atomics', [2, 3]), [18 + 3 * 5, 18 + 3 * 5 + 1]);
  assert.equal(results('many_switch', [0, 1]), [3 ^ 1 ^ 3 ^ 4, 1 ^ 76 ^ 2 ^ 3]);
  assert.equal(results('many_switch', [2, 3]), [2 ^ 3 ^ 5 ^ 595, 3 ^ 4 ^ 259 ^ 5]);
  assert.equal(results('many_calls', [0, 0]), [45, 0x0ddf06d4]);
  assert.equal(results('many_reduce', [1, 2, 3, 4, 0xffffffff, 1], {}, 2), [3, 6, 7, 10, 0, 3]);
});

/** The outputs of a kernel that is more than a function of one workgroup's elements. */
const outputs = (
  kernel: string,
  buffers: Readonly<Record<string, readonly number[]>>,
  scalars: Readonly<Record<string, number>>,
  grid: readonly [number, number, number],
  block: readonly [number, number, number],
): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(REFERENCES[kernel]!.compute({ buffers, scalars, grid, block })).map(([name, values]) => [
      name,
      [...values],
    ]),
  );

test('pcm and ms: parts of the array are sorted', () => {
  const values = Array.from({ length: 128 }, (_, at) => (at * 37) % 128);
  const sorted = outputs('pcm_32', { values }, { length: 2 }, [2, 1, 1], [32, 1, 1])['values']!;
  for (const half of [0, 64])
    assert.equal(
      sorted.slice(half, half + 64),
      values.slice(half, half + 64).toSorted((a, b) => a - b),
    );
  const four = { values: [4, 3, 2, 1, 8, 5, 7, 6] };
  assert.equal(outputs('ms_32', four, { perThread: 8, longest: 4 }, [1, 1, 1], [32, 1, 1]), {
    values: [1, 2, 3, 4, 5, 6, 7, 8],
    spare: [3, 4, 1, 2, 5, 8, 6, 7],
  });
});

test('lud: the tiles times the triangles give the original tiles', () => {
  const [tile, width] = [8, 24];
  // A unit lower triangle of halves, an upper triangle of ones with twos on its diagonal, and small integers elsewhere.
  const matrix = Array.from({ length: width * width }, (_, at) => {
    const [y, x] = [Math.floor(at / width), at % width];
    if (y < tile && x < tile) return y > x ? 0.5 : y === x ? 2 : 1;
    return (at * 5) % 7;
  });
  const solved = outputs('lud_16', { matrix }, { width, offset: 0 }, [2, 1, 1], [16, 1, 1])['matrix']!;
  const at = (from: readonly number[], y: number, x: number): number => from[y * width + x]!;
  for (let i = 0; i < tile; i++)
    for (let other = tile; other < width; other++) {
      let row = at(solved, i, other);
      let column = at(solved, other, i) * at(matrix, i, i);
      for (let j = 0; j < i; j++) {
        row += at(matrix, i, j) * at(solved, j, other);
        column += at(solved, other, j) * at(matrix, j, i);
      }
      assert.ok(Math.abs(row - at(matrix, i, other)) < 1e-4);
      assert.ok(Math.abs(column - at(matrix, other, i)) < 1e-4);
    }
});

test('nqu: the 92 ways to place eight queens', () => {
  // These are 40 different starts. In none of the 92 solutions are the first two queens at opposite ends of a row.
  // Start 0, columns 0 and 2, has no solution.
  const starts = Array.from({ length: 128 }, (_, at) => (at < 40 ? at : at < 64 ? 0 : 4));
  // Start 4, columns 4 and 6, is the start of six solutions.
  const { solutions } = outputs('nqu_64', { starts }, { n: 8 }, [2, 1, 1], [64, 1, 1]);
  assert.equal(solutions, [92, 64 * 6]);
});

test('srad: a flat image does not change; saturation; the mean difference', () => {
  const scalars = { width: 2, height: 2, speckle: 0.5, rate: 1 };
  const run = (image: number[]): Record<string, number[]> =>
    outputs('srad_16x16', { image }, scalars, [1, 1, 1], [16, 16, 1]);
  assert.equal(run([3, 3, 3, 3]), { coefficients: [1, 1, 1, 1], flows: [0, 0, 0, 0] });
  // The two pixels next to the 2 differ from it by 1 and from the others by 0; gradient and Laplacian are 1.
  const { coefficients, flows } = run([2, 1, 1, 1]);
  assert.is(flows[3], 0);
  assert.is(coefficients[3], 1);
  // 7/16 / (25/16) is 0.28, below the speckle of 0.5.
  assert.equal([coefficients[1], flows[1]], [1, 1]);
});

test('dct: nearest multiples, halves away from zero', () => {
  const plane = [7, -7, 5, -5, 4, -4, 0, 14, 15, -15, 1, -1, 9, 10, 11, -11];
  const quanta = plane.map(() => 10);
  const expected = [10, -10, 10, -10, 0, 0, 0, 10, 20, -20, 0, 0, 10, 10, 10, -10];
  const result = outputs('dct_4x4', { plane, quanta }, { width: 4 }, [1, 1, 1], [4, 4, 1])['plane']!;
  assert.equal(result, expected);
});

test("a thread's element affects its own result and its neighbour's, and no others", () => {
  const kernels = ['sb1', 'sb2', 'sb3', 'stream', 'diamond', 'uniform', 'crosslane', 'nested', 'loops', 'switch'];
  for (const short of kernels) {
    const kernel = short.startsWith('sb') ? short : `many_${short}`;
    const scalars = { rounds: 2, steps: 5, scale: 1.25, mode: 0 };
    const elements = Array.from({ length: 16 }, (_, index) => 1000 + 77 * index);
    const before = results(kernel, elements, scalars, 8);
    const after = results(kernel, elements.with(11, 4), scalars, 8);
    const changed = before.flatMap((value, index) => (Object.is(value, after[index]) ? [] : [index]));
    assert.ok(changed.includes(11), `${kernel}: ${changed.join()}`);
    assert.ok(
      changed.every((index) => index === 10 || index === 11),
      `${kernel}: ${changed.join()}`,
    );
  }
});

test('a spec without a reference is refused', () => {
  const spec = parseSpec('{"kernel": "other", "grid": [1], "block": [1]}', () => new Uint8Array());
  assert.throws(() => expectedOutputs(spec), /no reference for other/);
});

test.run();
