/**
 * LLVM as it was built, with the faults that are repaired elsewhere (wasm/repair.mjs): for tests of what finds them.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { findMemory, readManifest } from '../../src/binding/load.js';
import { instantiateLlvm, type LlvmRuntime } from '../../src/binding/runtime.js';
import type { ModulePart } from '../../src/platform/interface.js';
import { underPolicy } from '../../src/workers/make-under-policy.js';
import { REPOSITORY } from './llvm.js';

/** A new instance. Each call reads all of the module. */
export async function unrepairedRuntime(): Promise<LlvmRuntime> {
  const { further, memory, constants } = await readManifest();
  const { lazily } = underPolicy('short');
  const compiled = async (part: string): Promise<WebAssembly.Module> => lazily(unpacked(part));
  const first = await compiled('llvm');
  const others = [];
  // The parts are whole here: no function of theirs is in a module of its own.
  for (const part of Object.keys(further)) others.push({ module: await compiled(part), cold: null });
  const starting = memory && (await findMemory('llvm', constants.start, memory));
  return instantiateLlvm({ first, prepared: false, further: others, memory: starting }, { memoryLimitBytes: 2 ** 31 });
}

function unpacked(part: string): ModulePart {
  const bytes = new Uint8Array(brotliDecompressSync(readFileSync(`${REPOSITORY}wasm/dist/${part}.wasm.br`)));
  return { compile: async () => WebAssembly.compile(bytes), use: async (consume) => consume(bytes) };
}
