/** The figures that `darm analyze` and the reports give for a function. */
import type { BlockId, InstrId } from '../ir/ids.js';
import { OperandFlag, TypeKind, isConditionalBranch, type FunctionSnapshot } from '../ir/snapshot.js';
import type { Divergence } from './divergence.js';

export interface Summary {
  /** Two-way `br` instructions. */
  readonly conditionalBranches: number;
  readonly divergentBranches: number;
  /** Arguments and non-void instructions. */
  readonly values: number;
  readonly divergentValues: number;
}

export function summarize(fn: FunctionSnapshot, divergence: Divergence): Summary {
  let conditionalBranches = 0;
  let divergentBranches = 0;
  for (let block = 0; block < fn.blockCount; block++) {
    if (!isConditionalBranch(fn, block as BlockId)) continue;
    conditionalBranches++;
    divergentBranches += divergence.terminatorDivergent[block]!;
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
