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

export function summarize(f: FunctionSnapshot, divergence: Divergence): Summary {
  let conditionalBranches = 0;
  let divergentBranches = 0;
  for (let block = 0; block < f.blockCount; block++) {
    if (!isConditionalBranch(f, block as BlockId)) continue;
    conditionalBranches++;
    divergentBranches += divergence.terminatorDivergent[block]!;
  }
  let values = 0;
  let divergentValues = 0;
  for (let value = 0; value < f.argCount + f.instrCount; value++) {
    if (f.typeKind[f.valueType[value]!] === TypeKind.Void) continue;
    values++;
    divergentValues += divergence.valueDivergent[value]!;
  }
  return { conditionalBranches, divergentBranches, values, divergentValues };
}

/** Number of operands that the target wants uniform and that are not; it must not grow through melding (rule 2). */
export function brokenUniformDemands(f: FunctionSnapshot, divergence: Divergence): number {
  let broken = 0;
  for (let user = 0; user < f.instrCount; user++)
    for (let at = f.operandStart[user]!; at < f.operandStart[user + 1]!; at++)
      if ((f.operandFlags[at]! & OperandFlag.MustBeUniform) !== 0 && divergence.isDivergentUse(at, user as InstrId))
        broken++;
  return broken;
}
