/** Code generation, and what has to be done to a module in front of it. */
import { cfgOf } from '../analysis/graph.js';
import { isReducible } from '../analysis/reducible.js';
import type { LlvmModule } from '../binding/module.js';
import { NATURAL_LOOPS } from './passes.js';

/**
 * Generates code, which uses the module up.
 *
 * LLVM's code generator makes natural loops of those that are entered at several blocks, too, but leaves loops that
 * share a header, and takes them for one. Then it loses conditions that threads carry out of the inner one
 * (docs/simulator.md). So a module with such a loop goes through some passes first, and its other functions with it.
 * All other modules get the code that `llc` makes of them.
 */
export function generateCode(module: LlvmModule, kind: 'asm' | 'obj'): void {
  if (module.isAmdgcn && module.functions().some(({ name }) => !isReducible(cfgOf(module.look(name).snapshot))))
    module.runPasses(NATURAL_LOOPS);
  module.generate(kind);
}
