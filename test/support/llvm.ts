/**
 * For tests that use LLVM: one compiled WebAssembly module per process, instances, kernels, compilation without
 * listeners.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compileFrontend, type FrontendCode } from '../../src/binding/load-frontend.js';
import { compileLlvm, readManifest, type LlvmCode } from '../../src/binding/load.js';
import { instantiateLlvm, type LlvmRuntime } from '../../src/binding/runtime.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../../src/job/options.js';
import { compileModule, meldFunctions } from '../../src/pipeline/compile.js';
import type { Events } from '../../src/job/events.js';
import { underPolicy } from '../../src/workers/make-under-policy.js';
import type { Artifact, CompileResult } from '../../src/job/results.js';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** As for the command: code that is prepared (see test/run.ts) takes half as long, and is taken where there is some. */
const MAKE = underPolicy('short', ['optimiser'], 'lazily');

let compiled: Promise<LlvmCode> | undefined;
let shared: Promise<LlvmRuntime> | undefined;

/** Compiled once for the process. */
export const llvmCode = (): Promise<LlvmCode> => (compiled ??= compileLlvm(MAKE));

/** clang, in the same way. */
export const clangCode = (): Promise<FrontendCode> => compileFrontend(MAKE);

/** A new instance, for tests that break it. */
export async function freshRuntime(memoryLimitBytes = 2 ** 31): Promise<LlvmRuntime> {
  return instantiateLlvm(await llvmCode(), { memoryLimitBytes });
}

/** The instance that the tests of a file use; every compilation resets it. */
export async function runtime(): Promise<LlvmRuntime> {
  shared ??= freshRuntime();
  return shared;
}

/** Bitcode of kernels/ir, for instance `bitonic.gfx906.O3`. */
export const kernelPath = (name: string): string => `${REPOSITORY}kernels/ir/${name}.bc`;

export const kernel = (name: string): Promise<Uint8Array> => readFile(kernelPath(name));

export const SILENT: Events = { progress() {}, diagnostic() {} };

export const withDefaults = (options: Partial<JobOptions>): JobOptions => ({ ...DEFAULT_OPTIONS, ...options });

export async function compile(input: Uint8Array | string, options: Partial<JobOptions>): Promise<CompileResult> {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  return compileModule(await runtime(), bytes, withDefaults(options), SILENT);
}

export function artifact(result: CompileResult, kind: Artifact['kind']): Uint8Array {
  const found = result.artifacts.find((each) => each.kind === kind);
  if (!found) throw new Error(`no ${kind} among the artifacts`);
  return found.bytes;
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * Hash of LLVM's memory after one function was melded, without the stack, which holds nothing between two calls. It is
 * the same for options that leave no trace in the memory.
 */
export async function heapAfterMelding(input: Uint8Array, name: string, options: Partial<JobOptions>): Promise<string> {
  const rt = await runtime();
  const { constants } = await readManifest();
  meldFunctions(rt, input, withDefaults(options), { only: [name] }, SILENT);
  return createHash('sha256')
    .update(new Uint8Array(rt.memory.buffer).subarray(constants.start, rt.llvm._sbrk(0)))
    .digest('hex');
}
