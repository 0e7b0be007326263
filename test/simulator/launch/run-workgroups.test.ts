/** Whole launches: what kernels find in registers and memory, faults, several launches, several threads. */
import type { Compiler } from '../../../src/compiler/api.js';
import { createCompiler } from '../../../src/compiler/compiler.js';
import { DarmError } from '../../../src/errors.js';
import { parseSpec } from '../../../src/simulator/launch/spec.js';
import type { SimulationOptions } from '../../../src/simulator/options.js';
import type { SimulationResult } from '../../../src/simulator/run.js';
import { inlineCompiler } from '../../support/inline-compiler.js';
import { artifact, compile } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/run-workgroups', { tests: 10, timeoutMs: 60_000 });

/**
 * A module for gfx906 with kernels whose bodies may use %out (a buffer of words) and %group (the workgroup's id x);
 * `STORE value, index` stores one word.
 */
function module(kernels: Readonly<Record<string, string>>, more = ''): string {
  let stores = 0;
  const expand = (body: string): string =>
    body.replace(/STORE (\S+), (\S+)/g, (_, value: string, index: string) => {
      const at = `%at${stores++}`;
      return `${at} = getelementptr i32, ptr addrspace(1) %out, i32 ${index}\n  store i32 ${value}, ptr addrspace(1) ${at}`;
    });
  const functions = Object.entries(kernels).map(
    ([name, body]) => `define amdgpu_kernel void @${name}(ptr addrspace(1) %out, i32 %n) #0 {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
${expand(body)}
}`,
  );
  return `target triple = "amdgcn-amd-amdhsa"
${functions.join('\n')}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,1024" }
${more}
`;
}

async function build(text: string, mcpu: string | null = null): Promise<Uint8Array> {
  return artifact(await compile(text, { emit: ['hsaco'], meld: 'off', mcpu }), 'hsaco');
}

async function withCompiler<T>(threads: number, use: (compiler: Compiler) => Promise<T>): Promise<T> {
  if (threads === 0) return use(inlineCompiler());
  await using compiler = createCompiler({ threads, tierPolicy: 'short' });
  return await use(compiler);
}

interface Launch {
  readonly kernel?: string;
  readonly grid?: readonly number[];
  readonly block?: readonly number[];
  readonly words?: number;
  readonly n?: number;
}

async function simulate(
  object: Uint8Array,
  { kernel, grid = [1], block = [1], words = 16, n = 0 }: Launch = {},
  { threads = 0, options = {} }: { threads?: number; options?: Partial<SimulationOptions> } = {},
): Promise<SimulationResult> {
  const args = [
    { name: 'out', buffer: 'u32', length: words, out: true },
    { scalar: 'u32', value: n },
  ];
  const spec = parseSpec(JSON.stringify({ ...(kernel !== undefined && { kernel }), grid, block, args }), () => {
    throw new Error('no files');
  });
  return withCompiler(threads, (compiler) => compiler.simulate(object, spec, options));
}

const wordsOf = (result: SimulationResult, buffer = 0): number[] => [
  ...new Uint32Array(result.buffers[buffer]!.bytes.buffer),
];

async function fails(work: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, DarmError);
    assert.match((error as DarmError).message, message);
    assert.is((error as DarmError).code, code);
    return;
  }
  assert.unreachable(`no error ${String(message)}`);
}

const IDS = `
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %zy = mul i32 %z, 3
  %row = add i32 %zy, %y
  %rowx = mul i32 %row, 2
  %at = add i32 %rowx, %group
  %value1 = shl i32 %z, 16
  %value2 = shl i32 %y, 8
  %value3 = or i32 %value1, %value2
  %value4 = or i32 %value3, %group
  %value = add i32 %value4, %n
  STORE %value, %at
  ret void`;

test('every workgroup runs once, with its ids and its arguments', async () => {
  const object = await build(module({ ids: IDS }));
  const expected = [0, 1].flatMap((z) => [0, 1, 2].flatMap((y) => [0, 1].map((x) => (z << 16) + (y << 8) + x + 1000)));
  const result = await simulate(object, { grid: [2, 3, 2], words: 12, n: 1000 });
  assert.equal(wordsOf(result), expected);
  assert.is(result.launches[0]!.kernel, 'ids');
  assert.is(result.launches[0]!.counters.waves, 12);
  assert.is(result.launches[0]!.counters.vmemWrite, 12);
});

test.long('the result does not depend on the number of threads', async () => {
  const object = await build(module({ ids: IDS }));
  const launch = { grid: [40, 1, 1], words: 64, n: 5 };
  const one = await simulate(object, launch);
  for (const cycles of [true, false]) {
    const options = { cycles };
    const two = await simulate(object, launch, { threads: 2, options });
    assert.equal(wordsOf(two), wordsOf(one));
    assert.equal(two.launches[0]!.counters, one.launches[0]!.counters);
    assert.equal(two.launches[0]!.instructions, one.launches[0]!.instructions);
    assert.is(two.launches[0]!.cycles, cycles ? one.launches[0]!.cycles : null);
  }
});

/** Stores what lies at byte offsets behind an address of `source`. */
const copyWords = (source: string, offsets: readonly number[]): string =>
  [
    `  %from = call ptr addrspace(4) @llvm.amdgcn.${source}.ptr()`,
    ...offsets.flatMap((offset, index) => [
      `  %p${index} = getelementptr i8, ptr addrspace(4) %from, i32 ${offset}`,
      `  %w${index} = load i32, ptr addrspace(4) %p${index}`,
      `  STORE %w${index}, ${index}`,
    ]),
    '  ret void',
  ].join('\n');

test('cycles of a full compute unit: waves hide what one waits for; for any number of threads', async () => {
  const object = await build(module({ k: '  STORE %n, %group\n  ret void' }));
  const cyclesOf = async (grid: number, fullUnit: boolean, threads = 0): Promise<number> =>
    (await simulate(object, { grid: [grid], words: grid }, { threads, options: { fullUnit } })).launches[0]!.cycles!;
  const alone = await cyclesOf(1, false);
  // 40 waves of 64 threads are resident, and one wave of a full unit costs a small part of one that is alone.
  assert.ok((await cyclesOf(1, true)) < alone / 10);
  assert.is(await cyclesOf(160, true), await cyclesOf(160, false));
  assert.is(await cyclesOf(170, true, 2), await cyclesOf(170, true));
  await fails(simulate(object, {}, { options: { fullUnit: true, profile: true } }), 'usage', /profile/);
  await fails(
    simulate(object, {}, { options: { fullUnit: true, cycles: false } }),
    'usage',
    /how cycles are estimated/,
  );
});

test('hidden arguments of code objects v5 and v6', async () => {
  // Block counts; sizes x and y, size z and remainder x; global offset x; grid dimensions.
  const text = module({ k: copyWords('implicitarg', [0, 4, 8, 12, 16, 40, 64]) });
  for (const version of [500, 600]) {
    const flags = `!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 ${version}}`;
    const object = await build(text + flags);
    const words = wordsOf(await simulate(object, { grid: [2, 3, 4], block: [8, 4, 2] }));
    assert.equal(words.slice(0, 7), [2, 3, 4, 8 | (4 << 16), 2, 0, 3]);
    assert.is(wordsOf(await simulate(object, { grid: [2], block: [8] }))[6], 1);
    assert.is(wordsOf(await simulate(object, { grid: [2, 2], block: [8] }))[6], 2);
  }
});

test('hidden arguments of code object v4', async () => {
  const flags = '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}';
  const object = await build(module({ k: copyWords('implicitarg', [0, 8, 16, 24]) }) + flags);
  const words = wordsOf(await simulate(object, { grid: [2], block: [8] }));
  assert.equal(words.slice(0, 4), [0, 0, 0, 0]);
});

test('the dispatch packet', async () => {
  const object = await build(module({ k: copyWords('dispatch', [0, 4, 8, 12, 16, 20, 24, 28]) }));
  const words = wordsOf(await simulate(object, { grid: [5, 3, 2], block: [16, 2, 1] }));
  // Type and dimensions, block sizes, grid sizes in work-items, scratch, LDS.
  assert.equal(words.slice(0, 8), [2 | (3 << 16), 16 | (2 << 16), 1, 80, 6, 2, 0, 0]);
  const flat = wordsOf(await simulate(object, { grid: [5], block: [16, 2] }));
  assert.equal(flat.slice(0, 8), [2 | (2 << 16), 16 | (2 << 16), 1, 80, 2, 1, 0, 0]);
});

test('spec and kernel that do not fit', async () => {
  const object = await build(module({ one: IDS, two: IDS }));
  const spec = (args: readonly unknown[], more: object = {}): Promise<SimulationResult> =>
    withCompiler(0, (compiler) =>
      compiler.simulate(
        object,
        parseSpec(JSON.stringify({ kernel: 'one', grid: [1], block: [1], args, ...more }), () => new Uint8Array()),
      ),
    );
  const out = { buffer: 'u32', length: 1 };
  const n = { scalar: 'u32', value: 0 };
  await fails(spec([out]), 'bad-input', /^kernel 'one' takes 2 arguments, the launch spec has 1$/);
  await fails(spec([out, out]), 'bad-input', /argument 1 \(n\) is a value of 4 bytes, the launch spec passes a buffer/);
  await fails(spec([n, n]), 'bad-input', /argument 0 \(out\) is a pointer and has 8 bytes, the launch spec passes 4/);
  await fails(spec([out, { scalar: 'u64', value: 0 }]), 'bad-input', /argument 1 \(n\) has 4 bytes, .* passes 8/);
  await fails(spec([out, n], { block: [1025] }), 'bad-input', /allows 1024 work-items per workgroup, .* has 1025/);
  await fails(spec([out, n], { dynamicLds: 65537 }), 'bad-input', /65537 bytes of LDS, of 65536/);
  await fails(spec([out, n], { kernel: 'three' }), 'bad-input', /no kernel 'three'; it has one, two/);
  await fails(spec([out, n], { kernel: undefined }), 'bad-input', /names no kernel; the code object has one, two/);
});

test.long('endless loops and wild pointers', async () => {
  const loop = '  br label %again\nagain:\n  br label %again';
  const wild =
    '  %p = inttoptr i64 64 to ptr addrspace(4)\n  %w = load i32, ptr addrspace(4) %p\n  STORE %w, 0\n  ret void';
  const object = await build(module({ loop, wild, past: '  STORE %n, 16\n  ret void' }));
  const few = { options: { maxInstructions: 1000 } };
  const where = /\[kernel loop, pc 0x\w+ 's_c?branch\w* .*', workgroup \(0, 0, 0\), wave 0\]$/;
  await fails(simulate(object, { kernel: 'loop' }, few), 'simulation-failed', where);
  await fails(
    simulate(object, { kernel: 'wild' }),
    'simulation-failed',
    /0x0000000000000040: no memory of this launch \(a null pointer, /,
  );
  const past = /a write of 4 bytes at 0x\w+: 64 bytes into buffer 'out', which has 64 \[kernel past, .*lane 0\]$/;
  await fails(simulate(object, { kernel: 'past' }), 'simulation-failed', past);
  await fails(simulate(object, { kernel: 'past', grid: [64] }, { threads: 2 }), 'simulation-failed', past);
});

test('launches run one after the other over the same buffers and module variables', async () => {
  const object = await build(
    module(
      {
        add: `  %old = load i32, ptr addrspace(1) @total
  %new = add i32 %old, %n
  store i32 %new, ptr addrspace(1) @total
  STORE %new, %n
  ret void`,
      },
      '@total = addrspace(1) global i32 100',
    ),
  );
  const launch = (value: number): object => ({
    grid: [1],
    block: [1],
    args: [{ use: 'out' }, { scalar: 'u32', value }],
  });
  const document = { buffers: { out: { buffer: 'u32', length: 4, out: true } }, launches: [launch(1), launch(2)] };
  const spec = parseSpec(JSON.stringify(document), () => new Uint8Array());
  const result = await withCompiler(0, (compiler) => compiler.simulate(object, spec));
  assert.equal(wordsOf(result), [0, 101, 103, 0]);
  assert.is(result.launches.length, 2);
  const total = result.variables.find(({ name }) => name === 'total')!;
  assert.equal([...total.bytes], [103, 0, 0, 0]);
});

test('operations that the simulator lacks are listed without running anything', async () => {
  const object = await build(module({ k: '  call void asm sideeffect "s_ttracedata", ""()\n  ret void' }));
  await withCompiler(0, async (compiler) => {
    const missing = await compiler.unsupportedOperations(object);
    assert.ok(missing.every(({ mnemonic, example }) => example.startsWith(mnemonic)));
  });
});

test.run();
