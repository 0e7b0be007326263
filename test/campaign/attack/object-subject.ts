/**
 * Asks about the cases of the phase `objects` and judges answers, time and memory. Runs in a process of its own: see
 * watch.ts.
 */
import { compileContainer, createCompiler, DarmError, readContainer, type Compiler } from '../../../src/index.js';
import { sniffInput } from '../../../src/formats/bitcode.js';
import { defaultSpec } from '../../../src/simulator/launch/default-spec.js';
import { knownInternal } from './known-internal.js';
import { objectCase, objectCorpus, type ObjectCase } from './object-cases.js';
import type { Judge, Verdict } from './watch.js';

const MIB = 2 ** 20;
/** Most processor time of a case without LLVM, for at most 2 MiB of input. */
const MOST_CPU_MS = 3000;
/**
 * Most that the process's greatest memory may grow by with one case. A bomb of 16 MiB and a launch's buffers are
 * within.
 */
const MOST_GROWTH = 400 * MIB;
const MOST_UNCOMPRESSED = 64 * MIB;
const COMPILE_LIMIT_MS = 2000;
const MOST_INSTRUCTIONS = 2000;

const ALLOWED = ['bad-input', 'bad-target', 'compile-failed', 'link-failed', 'out-of-memory', 'simulation-failed'];

async function ask(compiler: Compiler, { bytes, question }: ObjectCase): Promise<void> {
  if (question === 'compile') {
    // The caller says how long a job may take; everything else has to be quick by itself.
    const call = { timeout: COMPILE_LIMIT_MS };
    return void (await compileContainer(compiler, bytes, { maxUncompressed: MOST_UNCOMPRESSED }, call));
  }
  if (sniffInput(bytes) === 'offload-bundle') await readContainer(bytes, MOST_UNCOMPRESSED);
  const info = await compiler.inspect(bytes, { timeout: COMPILE_LIMIT_MS });
  if (question === 'unsupported') await compiler.unsupportedOperations(bytes);
  if (question !== 'simulate' || info.kind !== 'code-object') return;
  const [kernel] = info.kernels;
  if (kernel === undefined) return;
  await compiler.simulate(bytes, defaultSpec(kernel, 0), { maxInstructions: MOST_INSTRUCTIONS });
}

/** The class of the outcome, and a complaint or null. */
async function outcomeOf(compiler: Compiler, c: ObjectCase): Promise<[outcome: string, complaint: string | null]> {
  try {
    await ask(compiler, c);
    return ['ok', null];
  } catch (error) {
    if (!(error instanceof DarmError)) return ['not a DarmError', `not a DarmError: ${String((error as Error).stack)}`];
    const { code, message } = error;
    const text = `${c.question}: ${code}: ${message}`;
    if (code === 'internal') {
      // Messages about an image of a container begin with its id.
      const known = knownInternal(message.replace(/^image [^:]*: /, ''));
      return [known ?? code, known === null ? text : null];
    }
    const allowed = ALLOWED.includes(code) || (code === 'timeout' && c.question === 'compile');
    return [code, allowed ? null : text];
  }
}

export async function objectJudge(seed: number): Promise<Judge> {
  const corpus = await objectCorpus();
  const compiler = createCompiler({ threads: 1, memoryLimit: 128 * MIB, tierPolicy: 'long' });
  return async (number): Promise<Verdict> => {
    const c = objectCase(corpus, seed, number);
    const before = { cpu: process.cpuUsage(), peak: process.resourceUsage().maxRSS * 1024 };
    const [outcome, complaint] = await outcomeOf(compiler, c);
    const { user, system } = process.cpuUsage(before.cpu);
    const cpu = (user + system) / 1000;
    const growth = process.resourceUsage().maxRSS * 1024 - before.peak;
    const told = { kind: c.kind, outcome };
    if (complaint !== null) return { ...told, complaint };
    if (cpu > MOST_CPU_MS && c.question !== 'compile')
      return { ...told, complaint: `${c.question} took ${Math.round(cpu)} ms for ${c.bytes.length} bytes` };
    // The first cases load what all later ones use.
    if (growth > MOST_GROWTH && number > 50)
      return { ...told, complaint: `${c.question} took ${Math.round(growth / MIB)} MiB for ${c.bytes.length} bytes` };
    return { ...told, complaint: null };
  };
}
