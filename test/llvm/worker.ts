/**
 * A worker process of run.ts with one LLVM instance, which is replaced when it is poisoned. It answers one question
 * after the other. It is a process and not a thread, so that run.ts can end one that hangs.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compileLlvm } from '../../src/binding/load.js';
import { LlvmModule } from '../../src/binding/module.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import { instantiateLlvm } from '../../src/binding/runtime.js';
import { DarmError } from '../../src/errors.js';
import { analysesOf } from '../../src/analysis/analyses.js';
import type { JobOptions } from '../../src/job/options.js';
import { DEFAULT_OPTIONS } from '../../src/job/options.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { setTierPolicy } from '../../src/workers/tier-policy.js';
import { compareAnalyses } from '../../src/pipeline/verify-analyses.js';
import { DifferenceClass, classify } from './classify.js';
import { inputText } from './corpus.js';
import { llc } from './native.js';
import type { AnalysesQuestion, Answer, Compared, EqualQuestion, MeldQuestion, Question } from './messages.js';

const MEMORY_LIMIT = 2 ** 32;
/** How often llc is repeated on a file that differs, to see whether its own results are always the same. */
const REPETITIONS = 8;
const [root, differences] = process.argv.slice(2) as [string, string];

setTierPolicy('long');
const compiled = await compileLlvm();
let runtime: LlvmRuntime = await instantiateLlvm(compiled, { memoryLimitBytes: MEMORY_LIMIT });

const encode = (text: string) => new TextEncoder().encode(text);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function compile(text: string, cpu: string, options: Partial<JobOptions>) {
  const silent = { progress() {}, diagnostic() {} };
  const all: JobOptions = {
    ...DEFAULT_OPTIONS,
    emit: ['obj'],
    mcpu: cpu,
    codegenLevel: 2,
    optimize: 'none',
    ...options,
  };
  return compileModule(runtime, encode(text), all, silent);
}

function equal({ file, cpu }: EqualQuestion): Answer {
  const text = inputText(root, file);
  const native = llc(text, cpu);
  if (native === null) return { kind: 'not-accepted', message: '' };
  const ours = compile(text, cpu, { meld: 'off' }).artifacts[0]!.bytes;
  const hash = sha256(ours);
  if (Buffer.compare(ours, native) === 0) return { kind: 'identical', sha256: hash, difference: null };
  const llcIsStable = Array.from({ length: REPETITIONS }, () => llc(text, cpu)).every(
    (again) => again !== null && sha256(again) === sha256(native),
  );
  const difference = classify(ours, native, llcIsStable ? null : DifferenceClass.Unstable);
  keep(`${path.basename(file, '.ll')}.${cpu}`, { '.ll': encode(text), '.darm.o': ours, '.llc.o': native });
  return { kind: 'different', sha256: hash, difference };
}

function keep(name: string, files: Record<string, Uint8Array>): void {
  mkdirSync(differences, { recursive: true });
  for (const [extension, bytes] of Object.entries(files))
    writeFileSync(path.join(differences, name + extension), bytes);
}

/** Where LLVM's analysis is wrong: lanes that read from lanes of their own, both arguments divergent, differ. */
const MISTAKEN = new Set(['test_wave_shuffle_float']);

function analyses({ file, cpu, triple }: AnalysesQuestion): Answer {
  const text = inputText(root, file, triple);
  runtime.reset();
  return runtime.run(() => {
    using module = LlvmModule.read(runtime, encode(text), { cpu, features: '' }, 2);
    const functions: Compared['functions'][number][] = module.functions().map(({ name }) => {
      const open = module.open(name);
      using _editor = open.editor;
      const ours = analysesOf(open.snapshot);
      const { valueDivergent } = ours.divergence;
      const values = open.snapshot.argCount + open.snapshot.instrCount;
      return {
        name,
        blocks: open.snapshot.blockCount,
        values,
        divergentValues: valueDivergent.subarray(0, values).reduce((sum, divergent) => sum + divergent, 0),
        cycles: ours.cycles.count,
        differences: MISTAKEN.has(name) ? [] : compareAnalyses(open.snapshot, ours, module.oracle(name)),
      };
    });
    return { kind: 'compared', functions };
  });
}

function meld({ file, cpu, triple, profit, threshold, unmelded }: MeldQuestion): Answer {
  const text = inputText(root, file, triple);
  unmelded ??= sha256OfUnmelded(text, cpu);
  if (unmelded === null) return { kind: 'not-accepted', message: '' };
  const result = compile(text, cpu, { meld: 'darm', profit, threshold });
  const complaints = result.functions
    .filter((fn) => fn.bailout !== null)
    .map((fn) => `'${fn.name}' bailed out: ${fn.bailout}`);
  const melds = result.functions.reduce((sum, fn) => sum + fn.melds.length, 0);
  // Of PAL's metadata, LLVM writes a number that it has not set.
  const isStable = !/^target triple\s*=\s*"[^"]*amdpal/m.test(text);
  const isChanged = result.functions.some((fn) => fn.melds.length + fn.switchesLowered + fn.sidesHoisted > 0);
  if (isStable && !isChanged && complaints.length === 0 && sha256(result.artifacts[0]!.bytes) !== unmelded)
    complaints.push('nothing changed, but the object is not the one without melding');
  return { kind: 'melded', melds, functions: result.functions.filter((fn) => fn.melds.length > 0).length, complaints };
}

/** Null when LLVM refuses the module or crashes on it without any melding. */
function sha256OfUnmelded(text: string, cpu: string): string | null {
  try {
    return sha256(compile(text, cpu, { meld: 'off' }).artifacts[0]!.bytes);
  } catch {
    return null;
  }
}

async function answer(question: Question): Promise<Answer> {
  try {
    return question.kind === 'equal'
      ? equal(question)
      : question.kind === 'analyses'
        ? analyses(question)
        : meld(question);
  } catch (error) {
    const expected = error instanceof DarmError && error.code !== 'internal' && error.code !== 'out-of-memory';
    const message =
      error instanceof DarmError ? `${error.code}: ${error.message}` : String((error as Error).stack ?? error);
    return { kind: expected ? 'refused' : 'trap', message };
  } finally {
    if (runtime.poisoned) runtime = await instantiateLlvm(compiled, { memoryLimitBytes: MEMORY_LIMIT });
  }
}

process.on('message', (question: Question) => void answer(question).then((reply) => process.send!(reply)));
process.once('disconnect', () => process.exit());
process.send!('ready');
