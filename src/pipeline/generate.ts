import type { LlvmModule } from '../binding/module.js';
import { Opcode } from '../ir/snapshot.js';
import { separateJoinInputs } from './join-inputs.js';
import { hasMistakenSum } from './mistaken-sums.js';

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
  if (module.isAmdgcn) for (const { name } of module.functions()) avoidFaults(module, name);
  module.generate(code, isMelded && module.isAmdgcn ? FAULTY : []);
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
  const { snapshot, editor } = module.open(name);
  editor[Symbol.dispose]();
  return snapshot.instrOpcode.reduce((sum, opcode) => sum + Number(opcode === Opcode.Call), 0);
}
