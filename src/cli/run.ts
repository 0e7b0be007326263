/** `darm run`: executes a code object in the simulator. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Compiler, CompilerOptions } from '../compiler/api.js';
import { createCompiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import { execText } from '../simulator/wave.js';
import type { SimulationInput, SimulationResult } from '../simulator/run.js';
import type { RunCommandFlags } from './arguments.js';
import type { Estimate } from '../report/counter-rows.js';
import { visibleLine } from '../report/visible.js';
import { simulationOptions, threadsFor } from './option-groups.js';
import { counterText } from './counter-table.js';
import { ioError, makeFolder, readInput, writeOutput, writeStandardOutput } from '../process/files.js';
import { readSpec } from './launch-spec.js';
import { checkOutputs, type Outputs } from './outputs.js';
import { profileForm, writeProfile } from './profile.js';
import { table } from './table.js';

export async function runRun(input: string, flags: RunCommandFlags): Promise<void> {
  if (flags.trace && flags.json)
    throw new DarmError('usage', '--trace and --json both write to standard output; use --trace-file');
  if (flags.profile !== undefined) profileForm(flags.profile);
  if (flags.trace && flags.traceFile !== undefined)
    throw new DarmError('usage', '--trace and --trace-file exclude each other');
  const outputs = { '--trace-file': flags.traceFile, '--profile': flags.profile };
  checkOutputs(outputs, [input, flags.spec]);
  if (input === '-' && flags.spec === '-') throw new DarmError('usage', 'standard input cannot be both file and spec');
  const bytes = await readInput(input, flags.timeout);
  checkCodeObject(bytes);
  const compiler = simulatingCompiler(flags);
  if (flags.coverage) return printCoverage(compiler, bytes, flags.json);
  if (flags.spec === undefined)
    throw new DarmError('usage', '--spec is missing: darm run needs a launch spec (docs/launch-spec.md)');
  const { spec, files } = await readSpec(flags.spec, flags.kernel ?? null, flags.timeout);
  const inputs = [input, flags.spec, ...files];
  // Before the work, as far as names are known: a buffer without one gets that of the argument.
  const named = spec.buffers.flatMap(({ name, out }) => (out && name !== null ? [name] : []));
  checkOutputs({ ...outputs, ...outputFiles(flags.outDir, named) }, inputs);
  const trace = flags.trace ? new Trace(null) : flags.traceFile !== undefined ? new Trace(flags.traceFile) : null;
  let result: SimulationResult;
  try {
    result = await compiler.simulate(
      bytes,
      spec,
      { ...simulationOptions(flags), profile: flags.profile !== undefined },
      {
        ...(trace !== null && { onInstruction: trace.onInstruction }),
      },
    );
  } finally {
    trace?.close();
  }
  if (flags.outDir !== undefined) await writeOutputs(flags.outDir, result, outputs, inputs);
  if (flags.profile !== undefined) await writeProfile(flags.profile, input, [{ title: '', launches: result.launches }]);
  await writeStandardOutput(
    flags.json ? JSON.stringify(runDocument(result)) + '\n' : runText(result, simulationOptions(flags)),
  );
}

/** Refuses everything but ELF files, with a message that says what the input is. */
export function checkCodeObject(bytes: Uint8Array): void {
  const kind = sniffInput(bytes);
  if (kind === 'elf') return;
  const what: Partial<Record<typeof kind, string>> = {
    empty: 'the input is empty',
    bitcode: 'the input is bitcode, not a code object; darm compile makes one',
    'bitcode-wrapper': 'the input is bitcode, not a code object; darm compile makes one',
    'offload-bundle': 'the input is an offload bundle, not a code object; take one out with darm bundle --extract',
  };
  throw new DarmError('bad-input', what[kind] ?? 'the input is not a code object');
}

export function simulatingCompiler(
  flags: { readonly jobs: number; readonly timeout: number; readonly memoryLimit: number },
  more: Pick<CompilerOptions, 'remoteCache'> = {},
): Compiler {
  const { timeout, memoryLimit } = flags;
  return createCompiler({ threads: threadsFor(flags), timeout, memoryLimit, tierPolicy: 'short', ...more });
}

async function printCoverage(compiler: Compiler, bytes: Uint8Array, json: boolean): Promise<void> {
  const unsupported = await compiler.unsupportedOperations(bytes);
  if (json) return writeStandardOutput(JSON.stringify({ schema: 1, unsupported }) + '\n');
  if (unsupported.length === 0) return writeStandardOutput('the simulator has all operations of this code object\n');
  const rows = unsupported.map(({ mnemonic, example }) => [mnemonic, example]);
  return writeStandardOutput(table('ll', ['operation', 'for instance'], rows));
}

/** Writes one line per executed instruction: kernel, workgroup, wave, address, EXEC, text. */
class Trace {
  readonly #file: number;
  #lines: string[] = [];

  /** @param file null for standard output */
  constructor(file: string | null) {
    try {
      this.#file = file === null ? 1 : openSync(file, 'w');
    } catch (error) {
      throw ioError('write', file!, error);
    }
  }

  readonly onInstruction: NonNullable<SimulationInput['onInstruction']> = (launch, workgroup, wave, index) => {
    const { offset, text } = launch.program.instructions[index] ?? { offset: 0, text: '?' };
    const where = `${visibleLine(launch.kernel)} ${workgroup.join(',')} ${wave.id} 0x${offset.toString(16).padStart(4, '0')}`;
    this.#lines.push(`${where} ${execText(wave)} ${text}\n`);
    if (this.#lines.length === 4096) this.#flush();
  };

  #flush(): void {
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(this.#file, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
          waitForReader();
          continue;
        }
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
        throw ioError('write', 'the trace', error);
      }
    }
  }

  close(): void {
    this.#flush();
    if (this.#file !== 1) closeSync(this.#file);
  }
}

/** A pipe is full until its reader catches up. Sleeps a millisecond. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @param others outputs of the command that have names of their own */
async function writeOutputs(
  folder: string,
  { buffers }: SimulationResult,
  others: Outputs,
  inputs: readonly string[],
): Promise<void> {
  const outputs = buffers.filter(({ out }) => out);
  const names = outputs.map(({ name }) => name);
  checkOutputs({ ...others, ...outputFiles(folder, names) }, inputs);
  try {
    await makeFolder(folder);
  } catch (error) {
    throw ioError('write', folder, error);
  }
  for (const { name, bytes } of outputs) await writeOutput(outputFile(folder, name), bytes);
}

const outputFile = (folder: string, name: string): string => path.join(folder, `${name.replace(/[^\w.-]/g, '_')}.bin`);

const outputFiles = (folder: string | undefined, names: readonly string[]): Outputs =>
  folder === undefined
    ? {}
    : Object.fromEntries(names.map((name) => [`output '${visibleLine(name)}'`, outputFile(folder, name)]));

function runDocument({ launches, buffers }: SimulationResult): object {
  const outputs = Object.fromEntries(
    buffers.filter(({ out }) => out).map(({ name, bytes }) => [name, { sha256: sha256(bytes) }]),
  );
  const documents = launches.map(({ kernel, counters, cycles, instructions }) => ({
    kernel,
    counters,
    cycles,
    perInstruction: instructions,
  }));
  return documents.length === 1 ? { schema: 1, ...documents[0], outputs } : { schema: 1, launches: documents, outputs };
}

function runText({ launches, buffers }: SimulationResult, estimate: Estimate): string {
  const counters = launches.map((launch) => `${visibleLine(launch.kernel)}\n${counterText([launch], estimate)}\n`);
  const rows = buffers.filter(({ out }) => out).map(({ name, bytes }) => [name, String(bytes.length), sha256(bytes)]);
  return counters.join('') + (rows.length === 0 ? '' : table('lrl', ['output', 'bytes', 'sha256'], rows));
}
