/** Compiles the cases of the phase `modules` and judges the outcomes. Runs in a process of its own: see watch.ts. */
import { createHash } from 'node:crypto';
import { createCompiler, DarmError, type Compiler } from '../../../src/index.js';
import { kernel } from '../../support/llvm.js';
import { tinyKernel } from '../../support/service.js';
import { knownInternal } from './known-internal.js';
import { HOST_SECRET } from './hostile-assembly.js';
import { moduleCase, type ModuleCase } from './module-cases.js';
import type { Judge, Verdict } from './watch.js';

const MIB = 2 ** 20;
export const MEMORY_LIMIT = 128 * MIB;
const LIMIT_MS = 2000;
/** A good kernel must not run out of time on a busy machine. */
const GOOD_LIMIT_MS = 60_000;
/** A good kernel is compiled after this many cases. */
const GOOD_EVERY = 50;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What a job ended with, in words that are equal for equal outcomes. */
interface Outcome {
  readonly text: string;
  readonly class: string;
  readonly complaint: string | null;
}

const ALLOWED = ['bad-input', 'bad-target', 'compile-failed', 'link-failed', 'timeout', 'out-of-memory'];

function failed(error: unknown): Outcome {
  if (!(error instanceof DarmError))
    return { text: String(error), class: 'not a DarmError', complaint: `not a DarmError: ${String(error)}` };
  const text = `${error.code}: ${error.message}`;
  if (error.code === 'internal') {
    const known = knownInternal(error.message);
    return { text, class: known ?? 'internal', complaint: known === null ? text : null };
  }
  return { text, class: error.code, complaint: ALLOWED.includes(error.code) ? null : text };
}

const MAGIC: Readonly<Record<string, string>> = { bc: '4243c0de', hsaco: '7f454c46', obj: '7f454c46' };

async function answer(compiler: Compiler, { ask, bytes, options }: ModuleCase, timeout: number): Promise<Outcome> {
  const call = timeout > 0 ? { timeout } : {};
  const ok = (text: string, complaint: string | null = null): Outcome => ({ text, class: 'ok', complaint });
  try {
    if (ask === 'inspect') return ok(JSON.stringify(await compiler.inspect(bytes, call)));
    if (ask === 'analyze') return ok(JSON.stringify((await compiler.analyze(bytes, options, call)).functions));
    const { artifacts, diagnostics } = await compiler.compile(bytes, options, call);
    const { kind, bytes: made } = artifacts[0]!;
    const magic = MAGIC[kind] ?? '';
    if (Buffer.from(made.subarray(0, 4)).toString('hex').slice(0, magic.length) !== magic)
      return ok('', `the ${kind} does not begin like one`);
    if (Buffer.from(made).includes(HOST_SECRET)) return ok('', 'the artifact holds what the host has');
    if (kind === 'hsaco') await compiler.inspect(made, call);
    return ok(`${sha256(made)} ${diagnostics.join('\n')}`);
  } catch (error) {
    return failed(error);
  }
}

/** Good kernels in between, and the bytes that each must always give. */
async function goodKernels(compiler: Compiler): Promise<() => Promise<string | null>> {
  const inputs = [tinyKernel(7), await kernel('sb1.gfx906.O3'), tinyKernel(8), await kernel('dct.gfx1100.O3')];
  const compile = async (input: Uint8Array): Promise<string> =>
    sha256((await compiler.compile(input, {}, { timeout: GOOD_LIMIT_MS })).artifacts[0]!.bytes);
  const expected: string[] = [];
  for (const input of inputs) expected.push(await compile(input));
  let next = 0;
  return async () => {
    const index = next++ % inputs.length;
    try {
      return (await compile(inputs[index]!)) === expected[index] ? null : `good kernel ${index} gave other bytes`;
    } catch (error) {
      return `good kernel ${index} failed: ${String(error)}`;
    }
  };
}

export async function moduleJudge(seed: number): Promise<Judge> {
  const common = { memoryLimit: MEMORY_LIMIT, tierPolicy: 'long' } as const;
  const compiler = createCompiler({ ...common, threads: 2 });
  const inline = createCompiler({ ...common, threads: 0 });
  const good = await goodKernels(compiler);
  return async (number): Promise<Verdict> => {
    const c = moduleCase(seed, number);
    const ask = (): Promise<Outcome> => answer(c.inline ? inline : compiler, c, c.inline ? 0 : LIMIT_MS);
    const first = await ask();
    const verdict = (complaint: string | null): Verdict => ({ kind: c.kind, outcome: first.class, complaint });
    if (first.complaint !== null) return verdict(first.complaint);
    if (c.twice && first.class !== 'timeout') {
      const second = await ask();
      if (second.class !== 'timeout' && second.text !== first.text)
        return verdict(`compiled twice, two outcomes: ${first.text.slice(0, 200)} and ${second.text.slice(0, 200)}`);
    }
    return verdict(number % GOOD_EVERY === 0 ? await good() : null);
  };
}
