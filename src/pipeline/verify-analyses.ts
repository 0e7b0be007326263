/**
 * Compares our analyses of a function with LLVM's own (docs/melding.md, section 8): dominators, post-dominators,
 * cycles, divergence of values, terminators and uses. For tests and for `--verify-analyses`.
 */
import type { CycleId } from '../analysis/cycles.js';
import type { Oracle } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { InstrId } from '../ir/ids.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import type { Analyses } from '../analysis/analyses.js';

/** Every difference, as text; empty when the analyses agree. */
export function compareAnalyses(f: FunctionSnapshot, ours: Analyses, llvm: Oracle): string[] {
  const differences: string[] = [];
  const compare = (what: string, mine: ArrayLike<number>, theirs: ArrayLike<number>) => {
    if (mine.length !== theirs.length) differences.push(`${what}: ${mine.length} entries, LLVM has ${theirs.length}`);
    for (let at = 0; at < Math.min(mine.length, theirs.length); at++)
      if (mine[at] !== theirs[at]) differences.push(`${what} ${at}: ${mine[at]}, LLVM says ${theirs[at]}`);
  };
  const { divergence } = ours;
  compare('value', divergence.valueDivergent.subarray(0, f.argCount + f.instrCount), llvm.values);
  compare('terminator', divergence.terminatorDivergent, llvm.terminators);
  const uses = new Uint8Array(f.operand.length);
  for (let user = 0; user < f.instrCount; user++)
    for (let at = f.operandStart[user]!; at < f.operandStart[user + 1]!; at++)
      uses[at] = Number(divergence.isDivergentUse(at, user as InstrId));
  compare('use', uses, llvm.uses);
  compare('immediate dominator of', ours.dominators.idom, llvm.immediateDominators);
  compare('immediate post-dominator of', ours.postDominators.idom, llvm.immediatePostDominators);
  const describe = (header: number, depth: number, reducible: boolean, blocks: ArrayLike<number>) =>
    `${header} depth ${depth} ${reducible ? 'reducible' : 'irreducible'} {${[...Array.from(blocks)].sort((a, b) => a - b).join(' ')}}`;
  const mine = Array.from({ length: ours.cycles.count }, (_, c) =>
    describe(
      ours.cycles.header[c]!,
      ours.cycles.depth[c]!,
      ours.cycles.isReducible(c as CycleId),
      ours.cycles.blocks(c as CycleId),
    ),
  );
  const theirs = llvm.cycles.map((c) => describe(c.header, c.depth, c.reducible, c.blocks));
  for (const cycle of mine) if (!theirs.includes(cycle)) differences.push(`cycle ${cycle} is none of LLVM's`);
  for (const cycle of theirs) if (!mine.includes(cycle)) differences.push(`LLVM's cycle ${cycle} is none of ours`);
  return differences;
}

/** Throws `internal` at the first difference. */
export function verifyAnalyses(f: FunctionSnapshot, ours: Analyses, llvm: Oracle): void {
  const [first] = compareAnalyses(f, ours, llvm);
  if (first !== undefined) throw new DarmError('internal', `analysis of '${f.name}' differs from LLVM's: ${first}`);
}
