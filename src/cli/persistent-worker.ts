/**
 * `darm --persistent_worker`: Bazel's protocol for workers that stay between actions, with JSON, several requests at
 * the same time (multiplex) and sandboxes (https://bazel.build/remote/persistent). A request is `{"arguments":
 * ["compile", …], "requestId": N, "sandboxDir": "…"}`, and so is its answer: `{"exitCode", "output", "requestId"}`.
 *
 * Only `darm compile` of modules is done here. Requests to cancel are not heeded, which the protocol allows: the answer
 * comes anyway.
 */
import { availableParallelism } from 'node:os';
import type { Compiler, CompilerOptions } from '../compiler/api.js';
import { createCompiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { typedError, writeStandardOutput } from '../process/files.js';
import { within } from '../process/surroundings.js';
import { dropOptimising } from '../workers/tier-policy.js';
import { parseArguments } from './arguments.js';
import { compilerSettings, runCompile } from './compile.js';
import { reportError } from './messages.js';
import { sourceOf } from './source.js';

/** More than Bazel's limit for the arguments of an action. */
const MOST_CHARACTERS = 64 * 2 ** 20;

interface WorkRequest {
  readonly arguments: readonly string[];
  readonly requestId: number;
  readonly sandboxDir: string;
  readonly cancel: boolean;
}

/** Works until standard input ends. */
export async function runPersistentWorker(): Promise<void> {
  const compilers = new Compilers();
  const running = new Set<Promise<void>>();
  for await (const text of requestTexts(process.stdin)) {
    const request = readRequest(text);
    if (request.cancel) continue;
    const work = answer(compilers, request).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
  await compilers.close();
  await dropOptimising();
}

/**
 * The requests one by one. Bazel 4 sends them without anything between them, and later versions a line each: so the end
 * of a request is the brace that belongs to its first one.
 */
async function* requestTexts(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  let [at, depth, quoted] = [0, 0, false];
  for await (const piece of input as AsyncIterable<Buffer>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MOST_CHARACTERS) throw notUnderstood();
    for (; at < text.length; at++) {
      const character = text[at]!;
      if (quoted) {
        if (character === '\\') at++;
        else if (character === '"') quoted = false;
      } else if (character === '"') quoted = true;
      else if (character === '{') depth++;
      else if (character === '}') depth--;
      if (depth === 0 && !/[\s}]/.test(character)) throw notUnderstood();
      if (depth === 0 && character === '}') {
        yield text.slice(0, at + 1);
        text = text.slice(at + 1);
        at = -1;
      }
    }
  }
  if (text.trim() !== '') throw notUnderstood();
}

const notUnderstood = (): DarmError =>
  new DarmError('bad-input', 'what comes on standard input is no work request as JSON');

/** @throws DarmError `bad-input`: Bazel and worker do not understand each other, so there is no one to answer */
function readRequest(text: string): WorkRequest {
  try {
    const request = JSON.parse(text) as Partial<WorkRequest>;
    const { arguments: words = [], requestId = 0, sandboxDir = '', cancel = false } = request;
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) throw new Error();
    if (!Number.isSafeInteger(requestId) || typeof sandboxDir !== 'string') throw new Error();
    return { arguments: words, requestId, sandboxDir, cancel };
  } catch {
    throw notUnderstood();
  }
}

async function answer(compilers: Compilers, request: WorkRequest): Promise<void> {
  const { requestId, sandboxDir } = request;
  let output = '';
  const message = (text: string): void => void (output += text);
  const exitCode = await within({ folder: sandboxDir || process.cwd(), message }, () => compile(compilers, request));
  await writeStandardOutput(JSON.stringify({ exitCode, output, requestId }) + '\n');
}

async function compile(compilers: Compilers, { arguments: words }: WorkRequest): Promise<number> {
  let place: string | undefined;
  try {
    const invocation = parseArguments(words);
    if (invocation.command !== 'compile')
      throw new DarmError('usage', `a persistent worker does darm compile, and not ${invocation.command}`);
    const { input, flags } = invocation;
    place = input;
    if ([input, flags.output, flags.remarks, flags.report, flags.depfilePath].includes('-') || flags.json)
      throw new DarmError('usage', 'a persistent worker has neither standard input nor standard output');
    if (sourceOf(input, flags) !== null)
      throw new DarmError('usage', 'a persistent worker takes modules; source is for an action without workers');
    await runCompile(input, flags, compilers.get(compilerSettings(flags)));
    return 0;
  } catch (thrown) {
    const error = typedError(thrown);
    const aboutInput = !['usage', 'io', 'internal'].includes(error.code) && place !== undefined;
    reportError(error, aboutInput ? { file: place!, ...error.location } : error.location);
    return error.exitCode;
  }
}

/** A compiler for each way in which actions want one; as a rule, that is one way. */
class Compilers {
  readonly #compilers = new Map<string, Compiler>();

  get(settings: CompilerOptions): Compiler {
    const key = JSON.stringify(settings);
    let compiler = this.#compilers.get(key);
    if (compiler === undefined) {
      compiler = createCompiler({ ...settings, threads: availableParallelism(), tierPolicy: 'long' });
      this.#compilers.set(key, compiler);
    }
    return compiler;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#compilers.values()].map((each) => each.close()));
    this.#compilers.clear();
  }
}
