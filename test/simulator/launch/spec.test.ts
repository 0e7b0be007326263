/** Launch specs: what is read, and that everything else is refused with the place named. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../../../src/errors.js';
import { isLaunchSpec, parseSpec, type LaunchSpec } from '../../../src/simulator/launch/spec.js';
import { REPOSITORY } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/spec', { tests: 8 });

const FILES: Readonly<Record<string, Uint8Array>> = { 'eight.bin': Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };

function readFile(name: string): Uint8Array {
  const found = FILES[name];
  if (found === undefined) throw new DarmError('io', `cannot read ${name}: no such file or directory`);
  return found;
}

const parse = (document: unknown): LaunchSpec => parseSpec(JSON.stringify(document), readFile);

const launch = (fields: object = {}): object => ({
  kernel: 'k',
  grid: [2, 1, 1],
  block: [64, 1, 1],
  args: [],
  ...fields,
});
const withArgument = (argument: unknown): object => launch({ args: [argument] });

test('a function that reads files with a promise', () => {
  const document = JSON.stringify(withArgument({ buffer: 'u8', length: 8, fill: { file: 'eight.bin' } }));
  const later = (async () => FILES['eight.bin']) as unknown as typeof readFile;
  assert.throws(
    () => parseSpec(document, later),
    (error: DarmError) => error.code === 'usage' && error.message.endsWith('must return bytes'),
  );
});

test('random numbers of every type need no bounds; the widest have 2^53 values', () => {
  for (const buffer of ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) {
    const spec = parse(withArgument({ buffer, length: 3, fill: { random: 7 } }));
    assert.is(spec.buffers[0]!.fill.kind, 'random', buffer);
    assert.ok(isLaunchSpec(spec));
  }
  const wider = { random: 7, min: -(2 ** 52), max: 2 ** 52 };
  assert.throws(() => parse(withArgument({ buffer: 'i64', length: 3, fill: wider })), /spans more than 2\^53 integers/);
});

test('a launch with every kind of argument', () => {
  const spec = parse(
    launch({
      grid: [3],
      dynamicLds: 16,
      args: [
        { name: 'out', buffer: 'f32', length: 4, out: true },
        { buffer: 'u16', fill: { file: 'eight.bin' } },
        { scalar: 'i16', value: -2 },
        { scalar: 'u64', value: '0xffffffffffffffff' },
        { scalar: 'f32', value: 'nan' },
        { bytes: '00 ff_10' },
      ],
    }),
  );
  const [only] = spec.launches;
  assert.equal(only!.grid, [3, 1, 1]);
  assert.is(only!.dynamicLds, 16);
  assert.equal(
    spec.buffers.map(({ name, length, out }) => [name, length, out]),
    [
      ['out', 4, true],
      [null, 4, false],
    ],
  );
  const bytes = only!.args.map((argument) => (argument.kind === 'bytes' ? [...argument.bytes] : argument.buffer));
  assert.equal(bytes, [0, 1, [0xfe, 0xff], Array(8).fill(255), [0, 0, 0xc0, 0x7f], [0, 255, 16]]);
});

test('several launches over shared buffers', () => {
  const spec = parse({
    buffers: { a: { buffer: 'i32', length: 4, out: true }, b: { buffer: 'i32', length: 8, fill: { iota: 1 } } },
    launches: [launch({ args: [{ use: 'b', offset: 16 }, { use: 'a' }] }), launch({ args: [{ use: 'a' }] })],
  });
  assert.is(spec.launches.length, 2);
  assert.equal(spec.launches[0]!.args, [
    { kind: 'buffer', name: null, buffer: 1, offset: 16 },
    { kind: 'buffer', name: null, buffer: 0, offset: 0 },
  ]);
});

test('the specs of kernels/ are valid', () => {
  const folder = path.join(REPOSITORY, 'kernels', 'specs');
  const files = readdirSync(folder);
  assert.ok(files.length >= 17);
  for (const file of files) {
    const spec = parseSpec(readFileSync(path.join(folder, file), 'utf8'), (name) =>
      readFileSync(path.join(folder, name)),
    );
    assert.is(`${spec.launches[0]!.kernel}.json`, file);
  }
});

const MISTAKES: readonly (readonly [unknown, RegExp])[] = [
  [[], /document must be an object/],
  [launch({ blok: [1] }), /"blok" is no field of the format \(kernel, grid/],
  [launch({ grid: undefined }), /grid must be an array/],
  [launch({ grid: [] }), /grid must have one to three numbers/],
  [launch({ grid: [1, 1, 1, 1] }), /grid must have one to three/],
  [launch({ grid: [4, null, 1] }), /grid\[1\] must be a whole number/],
  [launch({ args: null }), /"args" must not be null/],
  [launch({ grid: [0, 1, 1] }), /grid\[0\] must be a whole number from 1 to/],
  [launch({ grid: [2 ** 31 - 1], block: [64] }), /2\^32 work-items or more/],
  [launch({ block: [1.5] }), /block\[0\] must be a whole number/],
  [launch({ dynamicLds: -4 }), /dynamicLds must be a whole number from 0/],
  [launch({ args: {} }), /args must be an array/],
  [withArgument(5), /args\[0\] must be an object/],
  [withArgument({}), /args\[0\] must have exactly one of "buffer", "scalar"/],
  [withArgument({ buffer: 'f32', scalar: 'f32' }), /args\[0\] must have exactly one of/],
  [withArgument({ buffer: 'float', length: 1 }), /args\[0\]\.buffer must be one of u8, i8/],
  [withArgument({ buffer: 'f32' }), /args\[0\]\.length is missing/],
  [withArgument({ buffer: 'f32', length: -1 }), /args\[0\]\.length must be a whole number from 0/],
  [withArgument({ buffer: 'f64', length: 2 ** 40 }), /args\[0\]\.length must be/],
  [withArgument({ buffer: 'f32', length: 1, out: 1 }), /args\[0\]\.out must be true or false/],
  [withArgument({ buffer: 'f32', length: 1, init: 0 }), /args\[0\]\.init is no field/],
  [withArgument({ buffer: 'f32', length: 1, fill: {} }), /args\[0\]\.fill must have exactly one/],
  [withArgument({ buffer: 'f32', length: 1, fill: { random: -1 } }), /fill\.random must be a whole number from 0/],
  [
    withArgument({ buffer: 'u8', length: 1, fill: { random: 1, max: 256 } }),
    /fill\.max must be a whole number that u8/,
  ],
  [withArgument({ buffer: 'f32', length: 1, fill: { random: 1, max: Infinity } }), /fill\.max must not be null/],
  [withArgument({ buffer: 'i32', length: 1, fill: { random: 1, min: 5, max: 4 } }), /"max" below its "min"/],
  [withArgument({ buffer: 'u8', length: 1, fill: { value: 256 } }), /fill\.value must be a whole number from 0 to 255/],
  [withArgument({ buffer: 'u8', length: 1, fill: { iota: 'x' } }), /fill\.iota must be a whole number/],
  [withArgument({ buffer: 'u32', length: 3, fill: { file: 'eight.bin' } }), /has 8 bytes instead of the buffer's 12/],
  [withArgument({ buffer: 'u32', fill: { file: 'none.bin' } }), /cannot read none\.bin/],
  [withArgument({ scalar: 'i32' }), /args\[0\]\.value must be a whole number/],
  [withArgument({ scalar: 'i32', value: 2 ** 31 }), /value must be a whole number from -2147483648 to 2147483647/],
  [withArgument({ scalar: 'u64', value: 2 ** 60 }), /above 2\^53 as a string/],
  [withArgument({ scalar: 'f32', value: '1' }), /value must be a number that f32 holds, "nan"/],
  [withArgument({ scalar: 'f32', value: 1e39 }), /value must be a number that f32 holds/],
  [withArgument({ scalar: 'f16', value: -65520 }), /value must be a number that f16 holds/],
  [withArgument({ bytes: 'abc' }), /bytes must be hexadecimal/],
  [withArgument({ use: 'a' }), /args\[0\]\.use names no buffer/],
  [{ buffers: {}, launches: [] }, /launches must not be empty/],
  [{ buffers: { a: { buffer: 'i32', length: 1, name: 'b' } }, launches: [launch()] }, /buffers\.a\.name is no field/],
  [{ launches: [launch({ grid: [0] })] }, /launches\[0\]\.grid\[0\] must be/],
  [
    { buffers: { a: { buffer: 'i32', length: 1 } }, launches: [launch({ args: [{ use: 'a', offset: 5 }] })] },
    /launches\[0\]\.args\[0\]\.offset must be a whole number from 0 to 4/,
  ],
];

test('mistakes are named', () => {
  for (const [document, message] of MISTAKES) {
    try {
      parse(document);
    } catch (error) {
      assert.instance(error, DarmError);
      assert.match((error as DarmError).message, message);
      continue;
    }
    assert.unreachable(`accepted: ${JSON.stringify(document)}`);
  }
});

test('a file of a size that is no multiple of the element', () => {
  assert.throws(
    () => parseSpec(JSON.stringify(withArgument({ buffer: 'u32', fill: { file: 'x' } })), () => new Uint8Array(7)),
    /no multiple of u32's 4 bytes/,
  );
});

test('text that is no JSON', () => {
  assert.throws(() => parseSpec('{"kernel": }', readFile), /the launch spec is no JSON/);
});

test.run();
