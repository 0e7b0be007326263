import type { LlvmModule } from '../binding/module.js';
import { separateJoinInputs } from './join-inputs.js';

/**
 * What LLVM 23 does wrong in code generation and can do without, by the options that switch it off.
 *
 * `GCNRewritePartialRegUses` makes smaller tuples of registers whose outer parts nothing uses. It computes live ranges
 * anew, in which parts may lose their values (`LiveRangeCalc::isDefOnEntry`, docs/simulator.md).
 */
const FAULTY = ['amdgpu-enable-rewrite-partial-reg-uses'];

/**
 * Generates code, for `module.generated()`. What LLVM is likely to compile wrongly is changed first.
 *
 * @param isMelded whether anything in the module was melded. If not, the code is that of `llc`, where that is right
 */
export function generate(module: LlvmModule, code: 'asm' | 'obj', isMelded: boolean): void {
  if (module.isAmdgcn)
    for (const { name } of module.functions())
      if (separateJoinInputs(() => module.open(name), 'likely')) module.verify(name);
  module.generate(code, isMelded && module.isAmdgcn ? FAULTY : []);
}
