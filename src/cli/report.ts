/**
 * `darm compile --report`, `darm analyze --html` and `--dot`: collects what a page or graph shows, draws it, and writes
 * it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Compiler } from '../compiler/api.js';
import { asForCodeObject, DEFAULT_OPTIONS, thresholdOf, type JobOptions } from '../job/options.js';
import type { MeasuredLaunch } from '../report/counter-rows.js';
import { graphDot } from '../report/graph/dot.js';
import { loadLayout } from '../report/graph/layout.js';
import { reportPage } from '../report/html/page.js';
import { tagsOf } from '../report/graph/tags.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { CompileResult, FunctionAnalysis } from '../job/results.js';
import { ioError, makeFolder, writeOutput } from '../process/files.js';

/** @param launches the measured launches of a spec, or null */
export async function writeReport(
  file: string,
  input: string,
  options: Partial<JobOptions>,
  { target, functions, histories }: CompileResult,
  launches: readonly MeasuredLaunch[] | null,
): Promise<void> {
  const title = input === '-' ? 'standard input' : path.basename(input);
  const settings = settingsOf({ ...DEFAULT_OPTIONS, ...options });
  const page = await reportPage({ title, target, settings, functions, histories, launches }, await loadLayout());
  await writeOutput(file, page);
}

/** Writes the page of what `darm compile` would do, and no code. */
export async function writeForecast(
  file: string,
  input: string,
  compiler: Compiler,
  module: Uint8Array,
  options: Partial<JobOptions>,
): Promise<void> {
  // An analysis with melding off says what melding would do.
  const melding = { ...options, meld: options.meld === 'off' ? DEFAULT_OPTIONS.meld : (options.meld ?? 'darm') };
  const asked = { ...asForCodeObject(melding), emit: ['asm'], stats: true, report: true } as const;
  const result = await compiler.compile(module, asked);
  await writeReport(file, input, melding, result, null);
}

function settingsOf(options: JobOptions): [string, string][] {
  const { meld, meldPoint, optimize, profit, once } = options;
  return [
    ['melding', meld + (once ? ', one round' : '')],
    ['meld point', meldPoint],
    ['optimisation', optimize],
    ['profit', profit],
    ['least profitability', String(thresholdOf(options))],
  ];
}

/** Runs a spec's launches in the simulator, without and with melding. */
export async function measureLaunches(
  compiler: Compiler,
  module: Uint8Array,
  options: Partial<JobOptions>,
  spec: LaunchSpec,
): Promise<MeasuredLaunch[]> {
  const run = async (meld: JobOptions['meld']) => {
    const { artifacts } = await compiler.compile(module, { ...options, meld, emit: ['hsaco'] });
    return (await compiler.simulate(artifacts[0]!.bytes, spec, { profile: true })).launches;
  };
  const before = await run('off');
  const after = await run(options.meld ?? DEFAULT_OPTIONS.meld);
  return before.map((launch, index) => ({ kernel: launch.kernel, before: launch, after: after[index]! }));
}

/**
 * Writes a file for each function, for Graphviz and other tools: with instructions, and with what would meld in the
 * first round.
 */
export async function writeGraphs(folder: string, functions: readonly FunctionAnalysis[]): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw ioError('write', folder, error);
  }
  for (const { name, picture, plan } of functions) {
    if (picture === null) continue;
    const steps = [{ before: picture, lowered: [], melds: plan.melds, selects: [] }];
    const tags = tagsOf({ steps }, 0, picture);
    const dot = graphDot(picture, { title: `CFG of ${name}`, id: 'cfg', tags, instructions: true, link: null });
    await writeOutput(path.join(folder, graphName(name)), dot);
  }
}

const LONGEST_NAME = 200;

const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** `.kernel.dot`, as LLVM's dot-cfg names it. Characters that file names cannot have are written as in URLs. */
export function graphName(name: string): string {
  const safe = name.replace(/[/\\%:*?"<>|]|\p{C}/gu, percentEncoded);
  if (Buffer.byteLength(safe) <= LONGEST_NAME) return `.${safe}.dot`;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `.${[...safe].slice(0, LONGEST_NAME / 4).join('')}-${hash}.dot`;
}
