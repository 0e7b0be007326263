/** The figures that `darm analyze` and the reports give for a function. */
import type { BlockId, InstrId } from '../ir/ids.js';
import {
  Opcode,
  OperandFlag,
  TypeKind,
  isConditionalBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../ir/snapshot.js';
import { linksOf } from '../ir/switches.js';
import type { Divergence } from './divergence.js';

export interface Summary {
  /** Two-way `br` instructions. */
  readonly conditionalBranches: number;
  /** A divergent `switch` counts as the branches of the chain that it may become. */
  readonly divergentBranches: number;
  /** Arguments and non-void instructions. */
  readonly values: number;
  readonly divergentValues: number;
}

export function summarize(fn: FunctionSnapshot, divergence: Divergence): Summary {
  let conditionalBranches = 0;
  let divergentBranches = 0;
  for (let block = 0; block < fn.blockCount; block++) {
    const isBranch = isConditionalBranch(fn, block as BlockId);
    if (isBranch) conditionalBranches++;
    if (divergence.terminatorDivergent[block] === 0) continue;
    const isSwitch = fn.instrOpcode[terminatorOf(fn, block as BlockId)] === Opcode.Switch;
    divergentBranches += isSwitch ? linksOf(fn, block as BlockId) : isBranch ? 1 : 0;
  }
  let values = 0;
  let divergentValues = 0;
  for (let value = 0; value < fn.argCount + fn.instrCount; value++) {
    if (fn.typeKind[fn.valueType[value]!] === TypeKind.Void) continue;
    values++;
    divergentValues += divergence.valueDivergent[value]!;
  }
  return { conditionalBranches, divergentBranches, values, divergentValues };
}

/** The number of operands that the target wants uniform and that are not. Melding must not increase it (rule 2). */
export function brokenUniformDemands(fn: FunctionSnapshot, divergence: Divergence): number {
  let broken = 0;
  for (let user = 0; user < fn.instrCount; user++)
    for (let at = fn.operandStart[user]!; at < fn.operandStart[user + 1]!; at++)
      if ((fn.operandFlags[at]! & OperandFlag.MustBeUniform) !== 0 && divergence.isDivergentUse(at, user as InstrId))
        broken++;
  return broken;
}
