import type { LlvmModule } from '../binding/module.js';
import { separateJoinInputs } from './join-inputs.js';

/** Generates code, for `module.generated()`. What LLVM is likely to compile wrongly is changed first (join-inputs.ts). */
export function generate(module: LlvmModule, code: 'asm' | 'obj'): void {
  if (module.isAmdgcn)
    for (const { name } of module.functions())
      if (separateJoinInputs(() => module.open(name), 'likely')) module.verify(name);
  module.generate(code);
}
