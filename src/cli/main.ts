#!/usr/bin/env node
/**
 * The command `darm`: argv → the public API → exit code. 0 done, 1 the input was at fault, 2 the command line, 3 we were.
 * Subcommands load what they need and no more: a cold start counts.
 */
import { DarmError, type SourceLocation } from '../errors.js';
import { parseArguments, type Invocation } from './arguments.js';
import { writeStandardOutput } from '../files.js';
import { reportError } from './messages.js';
import { expandResponseFiles } from './response-files.js';

/** @returns the exit code; `check` has one of its own when it found a difference */
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

/** Errors about the input name it, with line and column where LLVM knows them. */
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

// Workers and V8's background jobs are not waited for: everything is written by now.
process.exit(await main(process.argv.slice(2)));
