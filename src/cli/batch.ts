/** `darm batch` */
import path from 'node:path';
import type { SingleBar } from 'cli-progress';
import { collectJobs } from '../batch/jobs.js';
import { Journal, makeOwnFolder, OWN_FOLDER } from '../batch/journal.js';
import { BatchOutputs } from '../batch/outputs.js';
import { runBatch, type BatchEvent, type BatchTotals } from '../batch/run.js';
import { createCompilerWith } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { writeStandardOutput } from '../process/files.js';
import { visibleLine } from '../report/visible.js';
import type { BatchFlags } from './batch-arguments.js';
import { dropOptimising } from '../workers/tier-policy.js';
import { cacheFolder, remoteCacheOption } from './cache-arguments.js';
import { EXTENSIONS } from './compile.js';
import { openFleet, warnOfFleet } from './fleet.js';
import { warn, writeMessage } from './messages.js';
import { jobOptions } from './option-groups.js';
import { withPlanText } from './plan.js';
import { progressBar } from './progress-bar.js';
import { remoteCacheText, warnOfCache, warnOfRemoteCache } from './caches.js';
import { exitCodeOf, stoppedBySignal } from './signals.js';
import { fatBinaryTargets, hasColors, printLog, sourceJobOptions, sourceOf } from './source.js';
import { table } from './table.js';

/** @returns the exit code: 0, that of the worst failure, or 128 plus the number of the signal that ended the batch */
export async function runBatchCommand(inputs: readonly string[], given: BatchFlags): Promise<number> {
  const flags = await withPlanText(given);
  const { outDir, emit } = flags;
  const fatBinary = emit === 'fatbin';
  const jobs = await collectJobs(inputs, {
    options: { ...jobOptions(flags), emit: [fatBinary ? 'hsaco' : emit] },
    fatBinary,
    sourceOf: (input) => {
      const source = sourceOf(input, flags);
      if (source === null) return null;
      const options = { ...sourceJobOptions(flags), ...source };
      if (!fatBinary) return options;
      const [targets, others] = fatBinaryTargets(options);
      return { ...options, mcpu: targets.join() || null, flags: others };
    },
    outDir,
    extension: (kind) => EXTENSIONS[kind],
    onUnreadable: ({ message }) => warn(message),
  });
  const remote = remoteCacheOption(flags);
  const manifests = inputs.filter((input) => input.endsWith('.jsonl'));
  await makeOwnFolder(outDir);
  const outputs = new BatchOutputs(jobs, outDir, [...manifests, ...(given.plan === undefined ? [] : [given.plan])]);
  const journal = await Journal.open(outDir);
  const cache = cacheFolder(flags, path.join(outDir, OWN_FOLDER, 'cache'));
  const fleet = await openFleet(flags, flags.quiet);
  const compiler = createCompilerWith(fleet, {
    threads: flags.jobs,
    timeout: flags.timeout,
    memoryLimit: flags.memoryLimit,
    // V8's baseline code is ready at once. Optimising LLVM's code pays off after some 400 kernels (bench/batch.ts).
    tierPolicy: jobs.length < LONG_BATCH ? 'short' : 'long',
    ...(cache !== null && { cache: { path: cache, maxBytes: flags.cacheSize } }),
    ...remote,
  });

  const stop = stoppedBySignal();
  let worst = 0;
  const unwritten: Error[] = [];
  // Of the last line: they are written in order.
  let written = Promise.resolve();
  const show = await display(flags, (writing) => {
    written = writing.catch((error: Error) => {
      unwritten.push(error);
      stop.abort();
    });
  });
  const totals = await runBatch(compiler, jobs, {
    outDir,
    journal,
    outputs,
    width: fleet === null ? flags.jobs + ('remoteCache' in remote ? LOOKING_UP : 1) : flags.queueWindow,
    failFast: flags.failFast,
    force: flags.force,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.event === 'failed') worst = Math.max(worst, DarmError.fromJSON(event.error).exitCode);
      show(event);
    },
  });
  await written;
  await fleet?.close();
  await compiler.close();
  await dropOptimising();
  for (const error of unwritten) throw error;
  if (!flags.quiet) warnOfCache(compiler);
  warnOfRemoteCache(compiler);
  warnOfFleet(fleet);
  if (!flags.quiet && !flags.json) writeMessage(summary(totals) + remoteCacheText(compiler));
  return stop.signal.aborted ? exitCodeOf(stop.signal) : worst;
}

const LONG_BATCH = 500;
/** Jobs beside those that are compiled: they wait for the remote cache's answers. */
const LOOKING_UP = 8;

/**
 * Shows events as JSON lines, as a progress bar on a terminal, or as plain lines.
 *
 * @param writes told of each line that goes to standard output, which may not take it
 */
async function display(
  { json, quiet, clang }: BatchFlags,
  writes: (writing: Promise<void>) => void,
): Promise<(event: BatchEvent) => void> {
  if (json) return (event) => writes(writeStandardOutput(JSON.stringify({ schema: 1, ...event }) + '\n'));
  if (quiet) return reportFailure;
  const shown = process.stderr.isTTY ? onBar(await progressBar()) : plainLines();
  return (event) => {
    showLog(event, hasColors(clang));
    shown(event);
  };
}

function reportFailure(event: BatchEvent): void {
  if (event.event === 'failed') writeMessage(`darm: error: ${visibleLine(`${event.input}: ${failureOf(event)}`)}\n`);
}

/** With the place in the input, where there is one: places in IR text name no file. */
function failureOf({ input, error }: Extract<BatchEvent, { event: 'failed' }>): string {
  const { file, line, column } = error.location ?? {};
  const place =
    (file === undefined || file === input) && line !== undefined ? `${[line, column ?? 1].join(':')}: ` : '';
  return `${place}${error.message.replace(/\s+/g, ' ')} (${error.code})`;
}

/** clang's text: of warnings, or of the errors that a source is refused with. */
function showLog(event: BatchEvent, isColored: boolean): void {
  if (event.event === 'log') printLog(event.log, isColored);
  else if (event.event === 'failed' && event.error.source !== undefined) printLog(event.error.source.log, isColored);
}

function onBar(bar: SingleBar): (event: BatchEvent) => void {
  return (event) => {
    if (event.event === 'start') bar.start(event.jobs, 0);
    else if (event.event === 'end') bar.stop();
    else if (event.event !== 'log') bar.increment();
    reportFailure(event);
  };
}

function plainLines(): (event: BatchEvent) => void {
  let [jobs, count] = [0, 0];
  return (event) => {
    if (event.event === 'start') jobs = event.jobs;
    else if (event.event !== 'end' && event.event !== 'log')
      writeMessage(`[${++count}/${jobs}] ${visibleLine(lineOf(event))}\n`);
  };
}

function lineOf(event: Extract<BatchEvent, { output: string }>): string {
  switch (event.event) {
    case 'done':
      return `${event.input}: ${event.melds} melds, ${event.cached ? 'from the cache' : `${event.milliseconds.toFixed(0)} ms`}`;
    case 'skipped':
      return `${event.input}: there already`;
    case 'failed':
      return `${event.input}: FAILED: ${failureOf(event)}`;
  }
}

function summary({ done, cached, skipped, failed, left, melds, milliseconds }: BatchTotals): string {
  return table(
    'rrrrrrr',
    ['compiled', 'from the cache', 'there already', 'failed', 'left', 'melds', 'seconds'],
    [[done - cached, cached, skipped, failed, left, melds].map(String).concat((milliseconds / 1000).toFixed(1))],
  );
}
