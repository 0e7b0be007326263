/**
 * Dead ends: blocks from which every way ends in `unreachable`, as behind a failed assertion or bounds check. Whoever
 * goes there never comes back. So where the other threads go is decided without them: in the graph without dead ends,
 * branches whose sides hold such checks have a join.
 *
 * Blocks of cycles are none. There threads may wait for others.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, terminatorOf, type FunctionSnapshot } from '../ir/snapshot.js';
import type { CycleInfo } from './cycles.js';
import { postDominators, type DominatorTree } from './dominators.js';
import { graphOf, reversePostOrder, type Graph } from './graph.js';

export interface DeadEnd {
  readonly block: BlockId;
  /** The blocks with edges to it. */
  readonly from: readonly BlockId[];
}

/** The control flow of those who go on. Dead ends have no edges in it. */
export interface LiveFlow {
  readonly graph: Graph;
  readonly postDominators: DominatorTree;
  /** In reverse post-order. */
  readonly deadEnds: readonly DeadEnd[];
  /** `[blocks]`: 1 for a dead end in which a check has failed: it does not lead to the end of the program. */
  readonly fails: Uint8Array;
}

/** Null for a function without dead ends. */
export function liveFlow(
  fn: FunctionSnapshot,
  { graph, cycles }: { readonly graph: Graph; readonly cycles: CycleInfo },
): LiveFlow | null {
  const order = reversePostOrder(graph);
  const isDead = new Uint8Array(graph.count);
  const fails = new Uint8Array(graph.count);
  const deadEnds: DeadEnd[] = [];
  for (const b of order.toReversed() as Iterable<BlockId>) {
    const successors = graph.succ.subarray(graph.succStart[b], graph.succStart[b + 1]);
    const ends = successors.length > 0 || fn.instrOpcode[terminatorOf(fn, b)] === Opcode.Unreachable;
    if (!ends || cycles.cycleOf(b) !== NONE || successors.some((to) => isDead[to] === 0)) continue;
    isDead[b] = 1;
    fails[b] = Number(successors.length > 0 ? successors.every((to) => fails[to] === 1) : !endsProgram(fn, b));
    deadEnds.push({
      block: b,
      from: [...graph.pred.subarray(graph.predStart[b], graph.predStart[b + 1])] as BlockId[],
    });
  }
  if (deadEnds.length === 0 || isDead[graph.entry] === 1) return null;
  const succStart = new Int32Array(graph.count + 1);
  const succ: number[] = [];
  for (let b = 0; b < graph.count; b++) {
    for (const to of graph.succ.subarray(graph.succStart[b], graph.succStart[b + 1]))
      if (isDead[b] === 0 && isDead[to] === 0) succ.push(to);
    succStart[b + 1] = succ.length;
  }
  const live = graphOf(graph.count, graph.entry, succStart, Int32Array.from(succ));
  return { graph: live, postDominators: postDominators(live), deadEnds: deadEnds.reverse(), fails };
}

/**
 * Whether a block ends the program of its threads where they are done: by `llvm.amdgcn.endpgm`, which is convergent as
 * traps are not, or by inline assembly.
 */
export function endsProgram(fn: FunctionSnapshot, b: BlockId): boolean {
  const last = (terminatorOf(fn, b) - 1) as InstrId;
  if (
    fn.instrOpcode[last + 1] !== Opcode.Unreachable ||
    last < fn.blockInstrStart[b]! ||
    fn.instrOpcode[last] !== Opcode.Call
  )
    return false;
  const isIntrinsic = hasFlag(fn, last, InstrFlag.Intrinsic);
  return hasFlag(fn, last, isIntrinsic ? InstrFlag.Convergent : InstrFlag.IdenticalOperandsOnly);
}

/** Which successor of a conditional branch is a failure, where the other one is none: 0 for T, 1 for F, or `NONE`. */
export function sideOfFailure(fn: FunctionSnapshot, live: LiveFlow | null, branch: BlockId): 0 | 1 | -1 {
  const [t, f] = [0, 1].map((k) => live?.fails[fn.succ[fn.succStart[branch]! + k]!] === 1);
  return t === f ? NONE : t ? 0 : 1;
}

/** Those of `all` that are reached from `blocks` by way of nothing but dead ends. */
export function deadEndsBehind(blocks: readonly BlockId[], all: readonly DeadEnd[]): DeadEnd[] {
  const reached = new Set<number>(blocks);
  return all.filter(({ block, from }) => {
    if (!from.some((b) => reached.has(b))) return false;
    reached.add(block);
    return true;
  });
}
