/** LLVM in this process, for benchmarks that ask it without a compiler around it. */
import { compileLlvm } from '../src/binding/load.js';
import { instantiateLlvm, type LlvmRuntime } from '../src/binding/runtime.js';

export const freshLlvm = async (): Promise<LlvmRuntime> =>
  instantiateLlvm(await compileLlvm(), { memoryLimitBytes: 2 ** 32 });
