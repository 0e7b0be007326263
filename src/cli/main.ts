#!/usr/bin/env node
/**
 * The command `darm`. Exit codes: 0 for success, 1 for a fault of the input, 2 for a fault of the command line, 3 for a
 * fault of darm. Each subcommand loads only the modules that it needs, because that decides how long a cold start
 * takes.
 */
import { DarmError, type SourceLocation } from '../errors.js';
import { parseArguments, type Invocation } from './arguments.js';
import { writeStandardOutput } from '../files.js';
import { reportError } from './messages.js';
import { expandResponseFiles } from './response-files.js';

/** @returns the exit code, when the subcommand has one of its own */
async function run(invocation: Invocation): Promise<number | void> {
  switch (invocation.command) {
    case 'compile':
      return (await import('./compile.js')).runCompile(invocation.input, invocation.flags);
    case 'analyze':
      return (await import('./analyze.js')).runAnalyze(invocation.input, invocation.flags);
    case 'inspect':
      return (await import('./inspect.js')).runInspect(invocation.input, invocation.flags);
    case 'run':
      return (await import('./run.js')).runRun(invocation.input, invocation.flags);
    case 'check':
      return (await import('./check.js')).runCheck(invocation.input, invocation.other ?? null, invocation.flags);
    case 'batch':
      return (await import('./batch.js')).runBatchCommand(invocation.inputs, invocation.flags);
    case 'cache':
      return (await import('./cache.js')).runCache(invocation.action, invocation.flags);
    case 'toolchain-digest':
      return writeStandardOutput((await (await import('../compiler/toolchain.js')).toolchainDigest()) + '\n');
    case 'bundle':
      return (await import('./bundle.js')).runBundle(invocation);
    case 'serve':
      return (await import('./serve.js')).runServe(invocation.flags);
    case 'print':
      return writeStandardOutput(invocation.text);
  }
}

/** Adds the input's name to the location of an error about the input. */
function locate(error: DarmError, input: string | null): SourceLocation | undefined {
  const aboutInput = error.code !== 'usage' && error.code !== 'io' && error.code !== 'internal';
  if (input === null || !aboutInput) return error.location;
  return { file: input === '-' ? '<stdin>' : input, ...error.location };
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

async function main(argv: readonly string[]): Promise<number> {
  let invocation: Invocation | null = null;
  try {
    argv = expandResponseFiles(argv);
    invocation = parseArguments(argv);
    return (await run(invocation)) ?? 0;
  } catch (thrown) {
    const error = thrown instanceof DarmError ? thrown : new DarmError('internal', String(thrown));
    const input = invocation !== null && 'input' in invocation ? invocation.input : null;
    const location = locate(error, input);
    reportError(error, location);
    if (process.env['DARM_DEBUG'] === '1' && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`);
    if (wantsJson(argv)) {
      const document = { schema: 1, error: { code: error.code, message: error.message, location: location ?? null } };
      await writeStandardOutput(JSON.stringify(document) + '\n').catch(() => {});
    }
    return error.exitCode;
  }
}

// Everything is written by now. Ending the process explicitly avoids waiting for worker threads and V8's compiler
// threads.
process.exit(await main(process.argv.slice(2)));
