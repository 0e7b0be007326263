/** A thread that starts with the part of LLVM that a first compilation needs, and reads the rest when it is called. */
import { readFile } from 'node:fs/promises';
import { compileFirst, compileLlvm, type LlvmCode } from '../../src/binding/load.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../../src/job/options.js';
import type { CompileResult } from '../../src/job/results.js';
import { LlvmHost } from '../../src/workers/llvm-host.js';
import { unwrap } from '../../src/workers/executor.js';
import { kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('workers/first-part', { tests: 4, timeoutMs: 60_000 });

const hostOf = (code: LlvmCode): LlvmHost => new LlvmHost({ code, memoryLimitBytes: 2 ** 32 });

async function compiled(host: LlvmHost, name: string, options: Partial<JobOptions> = {}): Promise<CompileResult> {
  const bytes = await readFile(kernelPath(name));
  return unwrap(await host.run({ kind: 'compile', bytes, options: { ...DEFAULT_OPTIONS, ...options } }, NO_EVENTS));
}

test('the first part is enough for ordinary kernels', async () => {
  const code = await compileFirst();
  assert.is(code.rest, 'unread');
  // Without the rest, a call into it would be a crash.
  const host = hostOf({ ...code, rest: null });
  for (const name of ['bitonic.gfx906.O3', 'sb2.gfx1100.O3', 'lud.gfx90a.O3'])
    assert.ok((await compiled(host, name)).artifacts[0]!.bytes.length > 1000, name);
});

test('a call into the rest gives the result that all of LLVM gives', async () => {
  const whole = hostOf(await compileLlvm());
  for (const [name, options] of [
    ['nvptx-threshold.sm_70.O3', { emit: ['ptx'] }],
    ['sb1.gfx906.early', { meldPoint: 'early', optimize: 'O3' }],
    ['sb1.gfx906.O3', { emit: ['ll', 'asm'] }],
  ] as const) {
    const partial = hostOf(await compileFirst());
    const job = { ...options, emit: [...('emit' in options ? options.emit : ['hsaco' as const])] };
    const [a, b] = [await compiled(partial, name, job), await compiled(whole, name, job)];
    assert.equal(
      a.artifacts.map(({ bytes }) => Buffer.from(bytes).toString('hex')),
      b.artifacts.map(({ bytes }) => Buffer.from(bytes).toString('hex')),
      name,
    );
  }
});

test('machine code is decoded by all of LLVM', async () => {
  const host = hostOf(await compileFirst());
  const outcome = await host.run(
    { kind: 'disassemble', code: new Uint8Array([0, 0, 0x81, 0xbf]), cpu: 'gfx906', waveSize: 64 },
    NO_EVENTS,
  );
  assert.equal([...unwrap(outcome).size], [4]);
});

test('an error of the input is told once, by the first part or by all', async () => {
  const host = hostOf(await compileFirst());
  const options = { ...DEFAULT_OPTIONS };
  for (const text of ['define', 'target triple = "x86_64-linux-gnu"\n']) {
    const outcome = await host.run({ kind: 'compile', bytes: new TextEncoder().encode(text), options }, NO_EVENTS);
    assert.is(outcome.ok, false);
    assert.ok(!outcome.ok && ['bad-input', 'bad-target'].includes(outcome.error.code), JSON.stringify(outcome));
  }
});

test.run();
