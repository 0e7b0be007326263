/** `darm run`: what it prints, and that every mistake is one clear line with the right exit code. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProfileDocument } from '../../src/report/json/profile-document.js';
import { darm, filesIn, inFolder, type CommandResult } from '../support/command.js';
import { artifact, compile, kernel, REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/run', { tests: 12, timeoutMs: 120_000 });

const SPEC = path.join(REPOSITORY, 'kernels', 'specs', 'bitonic.json');

let bitonic: Promise<Uint8Array> | undefined;

/** A folder with `bitonic.hsaco` (gfx906, not melded). */
async function withBitonic(use: (folder: string, object: Uint8Array) => Promise<void>): Promise<void> {
  bitonic ??= (async () =>
    artifact(await compile(await kernel('bitonic.gfx906.O3'), { emit: ['hsaco'], meld: 'off' }), 'hsaco'))();
  const object = await bitonic;
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'bitonic.hsaco'), object);
    await use(folder, object);
  });
}

function checkFailure({ code, stdout, stderr }: CommandResult, expectedCode: number, message: RegExp): void {
  assert.match(stderr, message);
  assert.is(stderr.trimEnd().split('\n').length, 1, `more than one line: ${stderr}`);
  assert.match(stderr, /^darm: error: /);
  assert.is(stdout.length, 0);
  assert.is(code, expectedCode);
}

const bitonicSpec = (values: object, more: object = {}): string =>
  JSON.stringify({ kernel: 'bitonic', grid: [4], block: [64], args: [{ name: 'values', ...values }], ...more });

interface RunDocument {
  readonly schema: number;
  readonly kernel: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly cycles: number | null;
  readonly outputs: Readonly<Record<string, { readonly sha256: string }>>;
  readonly perInstruction: readonly { readonly pc: number; readonly text: string; readonly executed: number }[];
}

/** What bitonic's spec asks for (docs/launch-spec.md), sorted in buckets of 64. */
function sortedBuckets(): Int32Array {
  let state = 1;
  const word = (): bigint => {
    const mask = 0xffffffffn;
    state = Number((BigInt(state) + 0x6d2b79f5n) & mask);
    let t = BigInt(state);
    t = ((t ^ (t >> 15n)) * (t | 1n)) & mask;
    t ^= (t + (t ^ (t >> 7n)) * (t | 61n)) & mask;
    return t ^ (t >> 14n);
  };
  const values = Int32Array.from({ length: 256 }, () => {
    const bits = ((word() >> 5n) << 26n) + (word() >> 6n);
    return Number((bits * 2001n) >> 53n) - 1000;
  });
  for (let at = 0; at < 256; at += 64) values.subarray(at, at + 64).sort();
  return values;
}

test('bitonic sort: counters, cycles, and the hash of the sorted buckets', () =>
  withBitonic(async (folder) => {
    const { code, stdout, stderr } = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--json'], { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
    const document = JSON.parse(stdout.toString()) as RunDocument;
    assert.is(document.schema, 1);
    assert.is(document.kernel, 'bitonic');
    const sha256 = createHash('sha256').update(new Uint8Array(sortedBuckets().buffer)).digest('hex');
    assert.equal(document.outputs, { values: { sha256 } });
    const { counters } = document;
    assert.is(counters['waves'], 4);
    assert.is(counters['vmemRead'], 4);
    assert.is(counters['vmemWrite'], 4);
    assert.is(counters['flat'], 8);
    assert.is(counters['barrier'], 0);
    assert.is(counters['smem'], 4);
    assert.ok(counters['lds']! > 4 * 21);
    assert.ok(counters['valuUtilization']! > 30 && counters['valuUtilization']! < 100);
    assert.ok(document.cycles! > 1000);
    const executed = document.perInstruction.reduce((sum, row) => sum + row.executed, 0);
    assert.is(executed, counters['instructions']);
  }));

test.long('tables for people; any number of threads says the same', () =>
  withBitonic(async (folder) => {
    const one = await darm(['run', 'bitonic.hsaco', '--kernel', 'bitonic', '--spec', SPEC], { cwd: folder });
    assert.is(one.stderr, '');
    assert.match(one.stdout.toString(), /^bitonic\n {2}counter +value\n {2}waves +4\n/);
    assert.match(one.stdout.toString(), /output +bytes +sha256\nvalues +1024 +[0-9a-f]{64}\n$/);
    const two = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '-j', '2'], { cwd: folder });
    assert.is(two.stdout.toString(), one.stdout.toString());
    const quick = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '-j', '2', '--no-cycles'], { cwd: folder });
    assert.is(quick.stdout.toString(), one.stdout.toString().replace(/ {2}cycles.*\n/, ''));
  }),
);

test('outputs are written as raw bytes', () =>
  withBitonic(async (folder) => {
    await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--out-dir', 'out'], { cwd: folder });
    assert.equal(await filesIn(path.join(folder, 'out')), ['values.bin']);
    const bytes = await readFile(path.join(folder, 'out', 'values.bin'));
    assert.equal(new Int32Array(Uint8Array.from(bytes).buffer), sortedBuckets());
  }));

test.long('a profile as a page and as JSON, and nothing else changes', () =>
  withBitonic(async (folder) => {
    const plain = await darm(['run', 'bitonic.hsaco', '--spec', SPEC], { cwd: folder });
    for (const file of ['profile.html', 'profile.json']) {
      const result = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--profile', file], { cwd: folder });
      assert.is(result.stderr, '');
      assert.is(result.stdout.toString(), plain.stdout.toString());
    }
    assert.match(await readFile(path.join(folder, 'profile.html'), 'utf8'), /^<!doctype html>/);
    const { darmProfile } = JSON.parse(await readFile(path.join(folder, 'profile.json'), 'utf8')) as ProfileDocument;
    assert.match(plain.stdout.toString(), new RegExp(` instructions +${darmProfile.runs[0]!.launches[0]!.executed}\n`));
    assert.equal(await filesIn(folder), ['bitonic.hsaco', 'profile.html', 'profile.json']);
    const wrong = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--profile', 'profile.txt'], { cwd: folder });
    checkFailure(wrong, 2, /--profile writes \.html or \.json, and 'profile\.txt' is neither/);
  }),
);

test.long('a trace has one line per executed instruction', () =>
  withBitonic(async (folder) => {
    const args = ['run', 'bitonic.hsaco', '--spec', SPEC, '--json', '--trace-file', 'trace.txt'];
    const { stdout } = await darm(args, { cwd: folder });
    const { counters } = JSON.parse(stdout.toString()) as RunDocument;
    const lines = (await readFile(path.join(folder, 'trace.txt'), 'utf8')).trimEnd().split('\n');
    assert.is(lines.length, counters['instructions']);
    assert.match(lines[0]!, /^bitonic 0,0,0 0 0x0000 0xffffffffffffffff s_load_dwordx2 /);
    assert.match(lines.at(-1)!, /^bitonic 3,0,0 0 0x\w+ 0xffffffffffffffff s_endpgm$/);
    const shown = await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--trace'], { cwd: folder });
    assert.ok(shown.stdout.toString().startsWith(lines.join('\n')));
  }),
);

test('coverage', () =>
  withBitonic(async (folder) => {
    const { code, stdout } = await darm(['run', 'bitonic.hsaco', '--coverage', '--json'], { cwd: folder });
    assert.is(code, 0);
    assert.equal(JSON.parse(stdout.toString()), { schema: 1, unsupported: [] });
  }));

test('raw contents from a file beside the spec', () =>
  withBitonic(async (folder) => {
    const values = Int32Array.from({ length: 64 }, (_, index) => (index * 37) % 64);
    await writeFile(path.join(folder, 'in.raw'), new Uint8Array(values.buffer));
    const spec = bitonicSpec({ buffer: 'i32', fill: { file: 'in.raw' }, out: true }, { grid: [1] });
    await writeFile(path.join(folder, 'spec.json'), spec);
    const args = ['run', path.join(folder, 'bitonic.hsaco'), '--spec', path.join(folder, 'spec.json')];
    const { stderr } = await darm([...args, '--out-dir', path.join(folder, 'out')]);
    assert.is(stderr, '');
    const bytes = await readFile(path.join(folder, 'out', 'values.bin'));
    assert.equal(new Int32Array(Uint8Array.from(bytes).buffer), values.sort());

    await writeFile(path.join(folder, 'spec.json'), bitonicSpec({ buffer: 'i32', fill: { file: '/dev/zero' } }));
    const endless = await darm(args);
    assert.is(endless.code, 1);
    assert.match(endless.stderr, /^darm: error: cannot read \/dev\/zero: it is not an ordinary file\n$/);
  }));

test.long('bad code objects', () =>
  withBitonic(async (folder, object) => {
    const fails = async (bytes: Uint8Array, message: RegExp): Promise<void> => {
      await writeFile(path.join(folder, 'in.bin'), bytes);
      checkFailure(await darm(['run', 'in.bin', '--spec', SPEC], { cwd: folder }), 1, message);
    };
    await fails(object.subarray(0, 40), /in\.bin: .*truncated/);
    await fails(object.subarray(0, 3000), /in\.bin: .*truncated/);
    await fails(object.subarray(0, object.length - 100), /in\.bin: .*truncated/);
    const changed = (at: number, value: number): Uint8Array => {
      const copy = object.slice();
      copy[at] = value;
      return copy;
    };
    await fails(changed(18, 62), /in\.bin: the ELF file holds no AMD GPU code/);
    await fails(changed(48, 0x49), /in\.bin: the simulator does not know the processor 'gfx1250'/);
    await fails(
      await kernel('bitonic.gfx906.O3'),
      /in\.bin: the input is bitcode, not a code object; darm compile makes/,
    );
    await fails(new Uint8Array(0), /in\.bin: the input is empty/);
    await fails(new TextEncoder().encode('Dear simulator'), /in\.bin: the input is not a code object/);
  }),
);

test.long('specs that do not fit', () =>
  withBitonic(async (folder) => {
    const fails = async (spec: string, message: RegExp): Promise<void> => {
      await writeFile(path.join(folder, 'spec.json'), spec);
      checkFailure(await darm(['run', 'bitonic.hsaco', '--spec', 'spec.json'], { cwd: folder }), 1, message);
    };
    const values = { buffer: 'i32', length: 256 };
    await fails('{"kernel": "bitonic"', /spec\.json: the launch spec is no JSON/);
    await fails(bitonicSpec({ ...values, lenght: 4 }), /spec\.json: in the launch spec, args\[0\]\.lenght is no field/);
    await fails(bitonicSpec(values, { args: [] }), /bitonic\.hsaco: kernel 'bitonic' takes 1 argument, .* has 0/);
    await fails(bitonicSpec(values, { block: [128] }), /allows 64 work-items per workgroup, the launch spec has 128/);
    await fails(bitonicSpec(values, { kernel: 'sort' }), /has no kernel 'sort'; it has bitonic/);
    await fails(bitonicSpec({ ...values, fill: { file: 'no.raw' } }), /cannot read .*no\.raw: no such file/);
    const huge = { buffer: 'u8', length: 2 ** 30 };
    const two = {
      buffers: { a: huge, b: huge },
      launches: [{ kernel: 'bitonic', grid: [1], block: [64], args: [{ use: 'a' }] }],
    };
    await fails(JSON.stringify(two), /more than 2 GiB of memory/);
    checkFailure(
      await darm(['run', 'bitonic.hsaco', '--spec', SPEC, '--kernel', 'nobody'], { cwd: folder }),
      1,
      /has no kernel 'nobody'; it has bitonic/,
    );
    checkFailure(
      await darm(['run', 'bitonic.hsaco', '--spec', 'none.json'], { cwd: folder }),
      1,
      /cannot read none\.json: no such file/,
    );
  }),
);

test.long('kernels that go wrong', () =>
  withBitonic(async (folder) => {
    const args = ['run', 'bitonic.hsaco', '--spec', 'spec.json'];
    // One workgroup too many for the buffer.
    await writeFile(path.join(folder, 'spec.json'), bitonicSpec({ buffer: 'i32', length: 256 }, { grid: [5] }));
    const past =
      /bitonic\.hsaco: a read of 4 bytes at 0x\w+: 1024 bytes into buffer 'values', which has 1024 \[kernel bitonic, pc 0x\w+ 'global_load_dword .*', workgroup \(4, 0, 0\), wave 0, lane 0\]$/m;
    for (const threads of ['1', '2']) checkFailure(await darm([...args, '-j', threads], { cwd: folder }), 1, past);
    const limited = ['--max-instructions', '100'];
    checkFailure(
      await darm([...args, ...limited], { cwd: folder }),
      1,
      /more instructions than allowed .*kernel bitonic/,
    );
    const json = await darm([...args, '--json'], { cwd: folder });
    assert.is((JSON.parse(json.stdout.toString()) as { error: { code: string } }).error.code, 'simulation-failed');
  }),
);

test('command lines that make no sense', () =>
  withBitonic(async (folder) => {
    const usage = async (args: readonly string[], message: RegExp): Promise<void> =>
      checkFailure(await darm(['run', ...args], { cwd: folder }), 2, message);
    await usage([], /missing required argument 'file'/);
    await usage(['bitonic.hsaco'], /--spec is missing/);
    await usage(['bitonic.hsaco', '--spec', SPEC, '--max-instructions', '0'], /whole number from 1/);
    await usage(['-', '--spec', '-'], /standard input cannot be both/);
    await usage(['bitonic.hsaco', '--spec', SPEC, '--trace', '--trace-file', 'x'], /exclude each other/);
  }));

test('a time limit ends the simulation', () =>
  withBitonic(async (folder) => {
    const spec = bitonicSpec({ buffer: 'i32', length: 2 ** 22 }, { grid: [2 ** 16] });
    await writeFile(path.join(folder, 'spec.json'), spec);
    const args = ['run', 'bitonic.hsaco', '--spec', 'spec.json', '--timeout', '0.5'];
    checkFailure(await darm(args, { cwd: folder }), 1, /took longer than its limit of 0\.5 s/);
  }));

test.run();
