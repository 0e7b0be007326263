/** A meld never makes a kernel fail: on the calling thread, in a pool, and where several workers meld. */
import type { EditLog } from '../../src/job/edit-log.js';
import type { JobOptions } from '../../src/job/options.js';
import type { CompileResult } from '../../src/job/results.js';
import { createCompiler } from '../../src/index.js';
import { InlineExecutor } from '../../src/workers/inline.js';
import { WorkerPool } from '../../src/workers/pool.js';
import { artifact, llvmCode, SILENT, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';
import { tooWide } from '../support/too-wide.js';

const test = suite('workers/take-back', { tests: 5, timeoutMs: 180_000 });

const melds = (name: string): string => `define amdgpu_kernel void @${name}(ptr addrspace(1) %o, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %tid, %n
  %g = getelementptr i32, ptr addrspace(1) %o, i32 %tid
  %l = load i32, ptr addrspace(1) %g
  br i1 %c, label %t, label %f
t:
  %x = udiv i32 %l, 77
  br label %j
f:
  %y = udiv i32 %n, 77
  br label %j
j:
  %r = phi i32 [ %x, %t ], [ %y, %f ]
  store i32 %r, ptr addrspace(1) %g
  ret void
}
`;

const module = (...functions: string[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
${functions.join('')}declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" }
`);

const BYTES = module(melds('first'), tooWide('wide', 6), melds('last'));
/** No code can be generated for one function, melded or not. */
const FATAL = module(
  melds('first'),
  `define amdgpu_kernel void @f(ptr addrspace(1) %p, i32 %x) #0 {
  %r = call i32 @llvm.amdgcn.permlane16.i32(i32 %x, i32 %x, i32 0, i32 0, i1 false, i1 false)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)
`,
);

const LIMITS = { timeoutMs: 0, events: null };
const setup = async () => ({ code: await llvmCode(), memoryLimitBytes: 2 ** 32 });
const withJob = (options: Partial<JobOptions>) => ({
  bytes: BYTES,
  options: withDefaults({ profit: 'paper', ...options }),
});

let ways: Promise<CompileResult[]> | undefined;
/** Both functions melded but the one that cannot be, in three ways. */
const everyWay = (): Promise<CompileResult[]> => (ways ??= compileEveryWay());

async function compileEveryWay(): Promise<CompileResult[]> {
  const inline = new InlineExecutor(await setup());
  const pool = new WorkerPool(2, await setup());
  try {
    const task = withJob({ emit: ['obj', 'hsaco', 'asm', 'bc'], remarks: true, stats: true });
    const logs: EditLog[] = [];
    for (const only of [['last', 'wide'], ['first']])
      logs.push(...(await pool.run({ kind: 'meld', ...task, subset: { only } }, LIMITS)));
    return [
      await inline.run({ kind: 'compile', ...task }, LIMITS),
      await pool.run({ kind: 'compile', ...task }, LIMITS),
      await pool.run({ kind: 'emit', ...task, logs }, LIMITS),
    ];
  } finally {
    await pool.close();
  }
}

test.long('the function at fault goes out as it came in, the others melded', async () => {
  const inline = new InlineExecutor(await setup());
  const without = await inline.run({ kind: 'compile', ...withJob({ emit: ['obj'], functions: ['first', 'last'] }) }, LIMITS); // prettier-ignore
  for (const result of await everyWay()) {
    const { functions, remarks } = result;
    assert.equal(artifact(result, 'obj'), artifact(without, 'obj'));
    assert.equal(functions.map(({ melds: { length } }) => length), [1, 0, 1]); // prettier-ignore
    assert.match(functions[1]!.bailout!, 'ran out of registers');
    const failures = remarks.flatMap((remark) => (remark.kind === 'failure' ? [remark.function] : []));
    assert.equal(failures, ['wide']);
  }
});

test.long('the bytes do not depend on what else is asked for', async () => {
  const all = await everyWay();
  const inline = new InlineExecutor(await setup());
  for (const kind of ['hsaco', 'asm'] as const) {
    const alone = await inline.run({ kind: 'compile', ...withJob({ emit: [kind] }) }, LIMITS);
    for (const result of all) assert.equal(artifact(result, kind), artifact(alone, kind));
  }
  for (const result of all) assert.equal(artifact(result, 'bc'), artifact(all[0]!, 'bc'));
});

test('a diagnostic says so; an input that fails without melds, too, fails', async () => {
  const inline = new InlineExecutor(await setup());
  const said: string[] = [];
  const events = { ...SILENT, diagnostic: (line: string) => void said.push(line) };
  await inline.run({ kind: 'compile', ...withJob({ emit: ['obj'] }) }, { timeoutMs: 0, events });
  assert.ok(
    said.some((line) => line.startsWith("'wide' goes out as it came in: ")),
    said.join('\n'),
  );
  const task = { kind: 'compile', bytes: FATAL, options: withDefaults({ emit: ['obj'] }) } as const;
  let code = '';
  await inline.run(task, LIMITS).catch((error: { code: string }) => (code = error.code));
  assert.is(code, 'compile-failed');
});

test.long('where parts hold the melds that make the whole smallest, too, those at fault are taken back', async () => {
  for (const threads of [0, 2]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    const { artifacts, functions } = await compiler.compile(BYTES, { profit: 'size', partitions: 2 });
    const whole = await compiler.compile(BYTES, { profit: 'size' });
    assert.equal(artifacts, whole.artifacts);
    assert.match(functions[1]!.bailout!, 'ran out of registers');
  }
});

test('a meld point that is found by the size of code is late where there is none', async () => {
  await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const options = { profit: 'size', optimize: 'O1', emit: ['ll'] } as const;
  const { artifacts } = await compiler.compile(FATAL, { ...options, meldPoint: 'auto' });
  assert.equal(artifacts, (await compiler.compile(FATAL, { ...options, meldPoint: 'late' })).artifacts);
});

test.run();
