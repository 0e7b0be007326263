import type { LlvmModule } from '../binding/module.js';
import { Opcode } from '../ir/snapshot.js';
import { separateJoinInputs } from './join-inputs.js';
import { hasMistakenSum } from './mistaken-sums.js';

/**
 * Generates code, for `module.generated()`. What LLVM is likely to compile wrongly is changed first. Of modules in which
 * nothing was melded, the code is that of `llc`, where that is right.
 */
export function generate(module: LlvmModule, code: 'asm' | 'obj'): void {
  if (module.isAmdgcn) for (const { name } of module.functions()) avoidFaults(module, name);
  module.generate(code);
}

function avoidFaults(module: LlvmModule, name: string): void {
  let isMistaken = false;
  const open = () => {
    const found = module.open(name);
    isMistaken = hasMistakenSum(found.snapshot);
    return found;
  };
  const isSeparated = separateJoinInputs(open, 'likely');
  // The preparation of melded functions does more than this fault needs, so others go without it where they can.
  const isPrepared = isMistaken && hidesProducts(module, name);
  if (isPrepared) module.prepareCodegen(name);
  if (isSeparated || isPrepared) module.verify(name);
}

/** Whether preparing the function hides products: only LLVM knows which are of bytes. It hides them by calls. */
const hidesProducts = (module: LlvmModule, name: string): boolean =>
  module.peek(() => {
    const before = callsOf(module, name);
    module.prepareCodegen(name);
    return callsOf(module, name) > before;
  });

function callsOf(module: LlvmModule, name: string): number {
  const { snapshot } = module.look(name);
  return snapshot.instrOpcode.reduce((sum, opcode) => sum + Number(opcode === Opcode.Call), 0);
}
