/**
 * Runs a command line. Each subcommand loads only the modules that it needs, because that decides how long a cold start
 * takes.
 */
import { DarmError, type SourceLocation } from '../errors.js';
import { parseArguments, type Invocation } from './arguments.js';
import { typedError, writeStandardOutput } from '../process/files.js';
import { reportError, writeMessage } from './messages.js';
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
    case 'tune':
      return (await import('./tune.js')).runTune(invocation.input, invocation.flags);
    case 'batch':
      return (await import('./batch.js')).runBatchCommand(invocation.inputs, invocation.flags);
    case 'cache':
      return (await import('./cache.js')).runCache(invocation.action, invocation.flags);
    case 'toolchain-digest':
      return writeStandardOutput((await (await import('../compiler/toolchain.js')).toolchainDigest()) + '\n');
    case 'persistent-worker':
      return (await import('./persistent-worker.js')).runPersistentWorker();
    case 'bundle':
      return (await import('./bundle.js')).runBundle(invocation);
    case 'prepare':
      return (await import('./prepare.js')).runPrepare(invocation.flags);
    case 'versions':
      return (await import('./prepare.js')).printVersions(invocation.version);
    case 'serve':
      return (await import('./serve.js')).runServe(invocation.flags);
    case 'worker':
      return (await import('./worker.js')).runWorker(invocation.flags);
    case 'explore':
      return (await import('./explore.js')).runExplore(invocation.flags);
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

/** Many names are relative to the current folder, in other threads, too. */
function checkFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new DarmError('io', 'the current folder is gone: change to one that exists');
  }
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

/** @returns the exit code */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let invocation: Invocation | null = null;
  try {
    checkFolder();
    argv = await expandResponseFiles(argv);
    invocation = parseArguments(argv);
    return (await run(invocation)) ?? 0;
  } catch (thrown) {
    const error = typedError(thrown);
    const input = invocation !== null && 'input' in invocation ? invocation.input : null;
    const location = locate(error, input);
    if (error.source !== undefined) {
      const { hasColors, printLog } = await import('./source.js');
      printLog(error.source.log, hasColors(argv));
    }
    if (!error.source?.isRefusal) reportError(error, location);
    if (process.env['DARM_DEBUG'] === '1' && thrown instanceof Error) writeMessage(`${thrown.stack}\n`);
    if (wantsJson(argv)) {
      const { code, message, source } = error;
      const diagnostics = source && { diagnostics: source.diagnostics };
      const document = { schema: 1, error: { code, message, location: location ?? null, ...diagnostics } };
      await writeStandardOutput(JSON.stringify(document) + '\n').catch(() => {});
    }
    return error.exitCode;
  }
}
