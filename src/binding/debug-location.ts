/** The source location of an instruction or a function, from debug information. */
import type { DebugLocation } from '../job/remarks.js';
import type { ValuePtr } from './abi.js';
import type { LlvmRuntime } from './runtime.js';

/** Null without debug information. For inlined code, the location in the function that was inlined. */
export function debugLocation(runtime: LlvmRuntime, value: ValuePtr): DebugLocation | null {
  const { llvm } = runtime;
  const length = runtime.allocate(4);
  try {
    const name = llvm._LLVMGetDebugLocFilename(value, length);
    const [bytes] = runtime.wordsOut(length, 1);
    if (name === 0 || bytes === 0) return null;
    return {
      file: new TextDecoder().decode(runtime.copyOut(name, bytes!)),
      line: llvm._LLVMGetDebugLocLine(value),
      column: llvm._LLVMGetDebugLocColumn(value),
    };
  } finally {
    llvm._free(length);
  }
}
