/** A worker that crashes, hangs or runs out of memory loses only its own task; every other answer is right. */
import { createHash } from 'node:crypto';
import type { DarmError } from '../../src/errors.js';
import { InlineExecutor } from '../../src/workers/inline.js';
import { LlvmHost } from '../../src/workers/llvm-host.js';
import type { Task } from '../../src/workers/tasks.js';
import { WorkerPool } from '../../src/workers/pool.js';
import { assert, suite } from '../support/suite.js';
import { kernel, llvmCode, SILENT, withDefaults } from '../support/llvm.js';

const test = suite('isolation', { tests: 6, timeoutMs: 180_000 });

const MIB = 2 ** 20;
const WORKER = new URL('../support/crash-worker.js', import.meta.url).href;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const text = (source: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(source);
const TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n';

/** LLVM's code generator ends on it with a fatal error: abort(). */
const FATAL = `${TRIPLE}define amdgpu_kernel void @f(ptr addrspace(1) %p, i32 %x) #0 {
  %r = call i32 @llvm.amdgcn.permlane16.i32(i32 %x, i32 %x, i32 0, i32 0, i1 false, i1 false)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)
attributes #0 = { "target-cpu"="gfx906" }`;

/** Needs more memory than these workers may have. */
const HUGE = `${TRIPLE}define void @f(i32 %n) "target-cpu"="gfx906" {
${Array.from({ length: 250_000 }, (_, i) => `  %v${i} = add i32 %n, ${i}`).join('\n')}
  ret void
}`;

const POISON: readonly (readonly [source: string, code: string])[] = [
  ['; crash: exit', 'internal'],
  ['; crash: trap', 'internal'],
  ['; crash: throw', 'internal'],
  ['; crash: loop', 'timeout'],
  ['; crash: heap', 'out-of-memory'],
  [FATAL, 'compile-failed'],
  [HUGE, 'out-of-memory'],
  ['define void @f( {', 'bad-input'],
  ['\u0000\u0001\u0002', 'bad-input'],
];

const compileTask = (bytes: Uint8Array): Task => ({
  kind: 'compile',
  bytes,
  options: withDefaults({ emit: ['hsaco'] }),
});
const limits = { timeoutMs: 0, events: null };

async function endAsIfAlone(poison: typeof POISON, names: readonly string[]): Promise<void> {
  const pool = new WorkerPool(2, { code: await llvmCode(), memoryLimitBytes: 64 * MIB }, WORKER);
  try {
    const modules = await Promise.all(names.map((name) => kernel(name)));
    const hashOf = async (bytes: Uint8Array): Promise<string> =>
      sha256((await pool.run(compileTask(bytes) as Task & { kind: 'compile' }, limits)).artifacts[0]!.bytes);
    const alone: string[] = [];
    for (const bytes of modules) alone.push(await hashOf(bytes));

    const expected: string[] = [];
    const answers: Promise<string>[] = [];
    for (const [source, code] of poison) {
      // The first may wait for its turn: limits count from the start of a task.
      const poisoned = pool.run(compileTask(text(source)), {
        ...limits,
        timeoutMs: code === 'timeout' ? 300 : 170_000,
      });
      answers.push(poisoned.then(() => 'no error', (error: unknown) => (error as DarmError).code)); // prettier-ignore
      expected.push(code);
      modules.forEach((bytes, index) => {
        answers.push(hashOf(bytes));
        expected.push(alone[index]!);
      });
    }
    assert.equal(await Promise.all(answers), expected);
  } finally {
    await pool.close();
  }
}

test('tasks beside an exit and a hang end as if alone', () =>
  endAsIfAlone(
    POISON.filter(([source]) => /exit|loop/.test(source)),
    ['sb1.gfx1100.O3'],
  ));

test.long('tasks beside a crash, a hang, an exit or a lack of memory end as if alone', () =>
  endAsIfAlone(POISON, ['bitonic.gfx906.O3', 'sb1.gfx1100.O3', 'sb2.gfx906.O3', 'sb3.gfx90a.O3']),
);

test('the memory of an instance that grew is given back', async () => {
  const host = new LlvmHost({ code: await llvmCode(), memoryLimitBytes: 4096 * MIB });
  const before = (await host.prepare()).memory.buffer.byteLength;
  const rt = await host.prepare();
  rt.memory.grow((600 * MIB) / 65536);
  const outcome = await host.run(compileTask(await kernel('sb1.gfx906.O3')) as Task & { kind: 'compile' }, SILENT);
  assert.ok(outcome.ok);
  assert.is((await host.prepare()).memory.buffer.byteLength, before);
});

test('an instance that stays small stays', async () => {
  const host = new LlvmHost({ code: await llvmCode(), memoryLimitBytes: 4096 * MIB });
  const rt = await host.prepare();
  assert.ok((await host.run(compileTask(await kernel('sb1.gfx906.O3')) as Task & { kind: 'compile' }, SILENT)).ok);
  assert.is(await host.prepare(), rt);
});

test('of instances that are given up there is no memory left when the next one is made', async () => {
  const { Memory } = WebAssembly;
  const made: WeakRef<WebAssembly.Memory>[] = [];
  const alive: number[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      made.push(new WeakRef(this));
      alive.push(made.filter((each) => each.deref() !== undefined).length);
    }
  };
  try {
    const host = new LlvmHost({ code: await llvmCode(), memoryLimitBytes: 64 * MIB });
    // There are three attempts: two of them to find out whether melding is at fault.
    assert.not((await host.run(compileTask(text(HUGE)), SILENT)).ok);
  } finally {
    WebAssembly.Memory = Memory;
  }
  assert.equal(alive, [1, 1, 1]);
});

test.long('on the calling thread, a time limit is that of all attempts together', async () => {
  const inline = new InlineExecutor({ code: await llvmCode(), memoryLimitBytes: 64 * MIB });
  const run = async (timeoutMs: number): Promise<{ code: string; ms: number }> => {
    const started = performance.now();
    const code = await inline.run(compileTask(text(HUGE)), { ...limits, timeoutMs }).then(
      () => 'no error',
      (error: unknown) => (error as DarmError).code,
    );
    return { code, ms: performance.now() - started };
  };
  // The first one compiles what it calls of LLVM.
  await run(0);
  const { code, ms } = await run(0);
  assert.is(code, 'out-of-memory');
  // Enough for one of the three attempts.
  assert.is((await run(ms / 2)).code, 'timeout');
});

test.run();
