/** `darm tune` */
import path from 'node:path';
import type { Compiler, TuneProgress, TuneResult } from '../compiler/api.js';
import { createCompiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import type { JobOptions } from '../job/options.js';
import { readInput, writeOutput, writeStandardOutput } from '../process/files.js';
import { visibleLine } from '../report/visible.js';
import { readSpec } from './launch-spec.js';
import { writeMessage } from './messages.js';
import { threadsFor } from './option-groups.js';
import { checkOutputs } from './outputs.js';
import { progressBar } from './progress-bar.js';
import { moduleOf } from './source.js';
import { table } from './table.js';
import { hasFastMath, toleranceOf } from './tolerance.js';
import type { TuneFlags } from './tune-arguments.js';

export async function runTune(input: string, flags: TuneFlags): Promise<void> {
  const { timeout, memoryLimit, budget, fullUnit } = flags;
  const output = flags.output ?? (input === '-' ? '-' : `${path.basename(input, path.extname(input))}.plan.json`);
  if (output === '-' && flags.json)
    throw new DarmError('usage', '--json and a plan on standard output exclude each other');
  const fromStandardInput = [input, ...flags.spec].filter((file) => file === '-');
  if (fromStandardInput.length > 1) throw new DarmError('usage', 'standard input can be read once');
  const outputs = { 'the plan': output };
  checkOutputs(outputs, [input, ...flags.spec]);
  const specs = [];
  for (const file of flags.spec) {
    const { spec, files } = await readSpec(file, flags.kernel ?? null, timeout);
    checkOutputs(outputs, files);
    specs.push(spec);
  }
  const bytes = await readInput(input, timeout);
  if (sniffInput(bytes) === 'elf') throw new DarmError('usage', 'darm tune needs a module, and this is a code object');
  await using compiler = createCompiler({ threads: threadsFor(flags), timeout, memoryLimit, tierPolicy: 'short' });
  const { module, options, dependencies } = await moduleOf(compiler, input, bytes, flags);
  checkOutputs(outputs, dependencies);
  // A point that was asked for is the only one that is searched.
  const job = { ...options, ...(flags.unset.includes('meldPoint') && { meldPoint: 'auto' as const }) };
  const mayRoundOtherwise = flags.tolerance === undefined && (await isFastMath(compiler, module, job));
  const tolerance = toleranceOf(flags.tolerance, mayRoundOtherwise);
  const show = await display(flags);
  const result = await compiler.tune(module, job, { specs, budget, tolerance, fullUnit }, { onTrial: show.trial });
  show.end();
  await writeOutput(output, new TextEncoder().encode(result.plan));
  if (flags.json) await writeStandardOutput(JSON.stringify(documentOf(output, result)) + '\n');
  else if (!flags.quiet) writeMessage(tunedText(result));
}

async function isFastMath(compiler: Compiler, module: Uint8Array, options: Partial<JobOptions>): Promise<boolean> {
  const { artifacts } = await compiler.compile(module, { ...options, emit: ['ll'], meld: 'off', meldPoint: 'late' });
  return hasFastMath(new TextDecoder().decode(artifacts[0]!.bytes));
}

interface Display {
  readonly trial: (progress: TuneProgress) => void;
  readonly end: () => void;
}

/** A bar with what was won, on a terminal. */
async function display({ quiet, json }: TuneFlags): Promise<Display> {
  if (quiet || json || !process.stderr.isTTY) return { trial: () => {}, end: () => {} };
  const bar = await progressBar('{bar} {percentage}% | {kernel} {point} | {won}');
  let started = false;
  return {
    trial: ({ kernel, meldPoint, trials, budget, unmelded, best }) => {
      const shown = { kernel: visibleLine(kernel), point: meldPoint, won: ratio(unmelded, best) };
      if (!started) bar.start(budget, 0, shown);
      started = true;
      bar.update(trials, shown);
    },
    end: () => bar.stop(),
  };
}

const ratio = (before: number, after: number): string => `${(before / after).toFixed(2)}×`;

function tunedText({ kernels, meldPoint, trials }: TuneResult): string {
  const rows = kernels.map(({ kernel, cycles: { unmelded, model, tuned } }) => [
    visibleLine(kernel),
    unmelded,
    model,
    tuned,
    ratio(unmelded, model),
    ratio(unmelded, tuned),
  ]);
  const header = ['kernel', 'cycles without melds', 'cost model', 'tuned', 'cost model', 'tuned'];
  return `${table('l', header, rows)}\nmelds at the ${meldPoint} point; ${trials} ${trials === 1 ? 'trial' : 'trials'}\n`;
}

const documentOf = (output: string, { kernels, meldPoint, target, trials }: TuneResult): object => ({
  schema: 1,
  plan: output,
  target,
  meldPoint,
  kernels,
  trials,
});
