/** Everything that the planner knows about one function. It is computed once per plan. */
import type { Analyses } from '../../analysis/analyses.js';
import type { CycleId, CycleInfo } from '../../analysis/cycles.js';
import type { LiveFlow } from '../../analysis/dead-ends.js';
import type { Divergence } from '../../analysis/divergence.js';
import type { DominatorTree } from '../../analysis/dominators.js';
import type { Graph } from '../../analysis/graph.js';
import { Sinking } from '../../analysis/sinking.js';
import { Tables } from '../../analysis/tables.js';
import type { Uses } from '../../analysis/uses.js';
import { AddressSpace } from '../../ir/address-space.js';
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, OperandFlag, hasFlag } from '../../ir/snapshot.js';
import { blockWeight, weightAround } from './block-weight.js';
import { instrSizes } from './code-size.js';
import { expectedOver } from './expected-cycles.js';
import { fusedInto } from './fusion.js';
import type { InstrCosts } from './latency.js';
import { instrCosts, presentCosts, selectCosts } from './latency.js';
import { memoryAccesses, type MemoryAccesses } from './memory-accesses.js';
import { accessesOf, hiddenWaits, memoryTime, mostMemoryTime } from './memory-time.js';
import { Matcher, type CanPair } from './matching.js';
import { selectClasses } from './select-classes.js';
import type { ExpectedCycles, PlanOptions } from '../plan.js';
import { BlockProfiles } from './profitability.js';
import { Strides } from './strides.js';
import { busyTarget } from './target-costs.js';
import { WaveSamples } from './wave-samples.js';

/** What instructions cost, given what else the machine does. */
export interface Regime {
  readonly costs: InstrCosts;
  /** `[instrCount]`: the cycles that an instruction takes now, on the unit on which it runs. */
  readonly cost: Float64Array;
}

/**
 * What is planned with. A class, so that contexts with other facts have the same hidden class in V8: code that reads
 * objects of many hidden classes is slow.
 */
export class PlanningContext implements Analyses, Regime {
  readonly graph!: Graph;
  readonly order!: Int32Array;
  readonly dominators!: DominatorTree;
  readonly postDominators!: DominatorTree;
  readonly cycles!: CycleInfo;
  readonly uses!: Uses;
  readonly divergence!: Divergence;
  readonly liveFlow!: LiveFlow | null;
  readonly costs!: InstrCosts;
  readonly cost!: Float64Array;
  readonly fn!: FunctionSnapshot;
  readonly options!: PlanOptions;
  /**
   * Whether costs are bytes of code instead of cycles. Then it does not matter how often it runs, and what it waits
   * for.
   */
  readonly countsBytes!: boolean;
  /** The same function where other waves hide everything but the work of shared units (`busyTarget`). */
  readonly busy!: Regime;
  /**
   * How likely that is: of the numbers of waves that a SIMD may hold, the share with which its units are busy. 0: not
   * even all of them keep it busy. It takes time to find out.
   */
  readonly busyShare!: () => number;
  /** What a wave is expected to spend in the function as it is. */
  readonly expected!: () => ExpectedCycles;
  /**
   * How much longer one of many waves may work until that takes as long as what it wants of the memory unit: until then
   * nobody waits for it.
   */
  readonly hiddenByMemory!: () => number;
  /** What a wave that is alone spends in the function at least: no loop but those around the branch runs twice. */
  readonly spentAround!: (branch: BlockId) => number;
  readonly memory!: MemoryAccesses;
  /** `[types]`: the cycles of a select. */
  readonly selectCost!: Float64Array;
  /** `[instrCount]`: the user that absorbs an instruction (fusion.ts), or `NONE`. */
  readonly fusedInto!: Int32Array;
  readonly profiles!: BlockProfiles;
  readonly matcher!: Matcher;
  /** `[blockCount]`: a guess at how often a block runs, `PER_LOOP` to the power of its cycle depth; 1 for code size. */
  readonly weight!: Float64Array;
  /** `[valueCount]`: a select may join values of equal class that is not `NONE` (rule 3). */
  readonly selectClass!: Int32Array;
  /** `[valueCount]`: see `moveCycles` in operands.ts; -1 where it is not known yet. */
  readonly moveWeights!: Float64Array;
  /** `[instrCount]`: 1 if pairs demand something of the operands beyond that (rule 2). */
  readonly isDemanding!: Uint8Array;
  /** By instruction. */
  readonly tables!: Tables;
  /** How often waves part at which branch. */
  readonly waves!: WaveSamples;
  readonly strides!: Strides;
  /** What code generation moves down to one side of a branch. */
  readonly sinking!: Sinking;
  /** Whether any operand of the function must be uniform (rule 2). */
  readonly hasUniformDemands!: boolean;
  #whereBusy: PlanningContext | null = null;

  constructor(facts: PlanningFacts) {
    Object.assign(this, facts);
  }

  /** The same but for some facts. What has been found out of the others is shared. */
  with(changes: Partial<PlanningFacts>): PlanningContext {
    return new PlanningContext({ ...this, ...changes });
  }

  /** The same where other waves hide everything but the work of shared units. */
  get whereBusy(): PlanningContext {
    return (this.#whereBusy ??= this.with(this.busy));
  }
}

type PlanningFacts = Omit<PlanningContext, 'with' | 'whereBusy'>;

export function planningContext(
  fn: FunctionSnapshot,
  analyses: Analyses,
  options: PlanOptions,
  canPair: CanPair,
  waves = new WaveSamples(fn, analyses),
): PlanningContext {
  const memory = memoryAccesses(fn, analyses.divergence);
  const countsBytes = options.profit === 'size';
  const costs = countsBytes ? instrSizes(fn, memory) : instrCosts(fn, memory, analyses.divergence);
  const busy = countsBytes ? costs : instrCosts(fn, memory, analyses.divergence, busyTarget(costs.target));
  const weight = new Float64Array(fn.blockCount).fill(1);
  if (!countsBytes) for (let b = 0 as BlockId; b < fn.blockCount; b++) weight[b] = blockWeight(analyses, b);
  const cost = presentCosts(fn, costs, analyses.divergence);
  const busyCost = presentCosts(fn, busy, analyses.divergence);
  const { graph, order, dominators, postDominators, cycles, uses, divergence, liveFlow } = analyses;
  const ctx = {
    graph,
    order,
    dominators,
    postDominators,
    cycles,
    uses,
    divergence,
    liveFlow,
    fn,
    options,
    countsBytes,
    costs,
    cost,
    busy: { costs: busy, cost: busyCost },
    memory,
    selectCost: selectCosts(fn, costs.target),
    fusedInto: fusedInto(fn, analyses.uses, analyses.divergence),
    profiles: new BlockProfiles(fn, costs),
    matcher: new Matcher(fn, canPair),
    weight,
    selectClass: selectClasses(fn),
    moveWeights: new Float64Array(fn.valueCount).fill(-1),
    isDemanding: demandingInstrs(fn),
    tables: new Tables(fn.instrCount),
    waves,
    strides: new Strides(fn, analyses.divergence, waves.values),
    sinking: new Sinking(fn, analyses),
    hasUniformDemands: demandsUniform(fn),
  };
  let share: number | null = countsBytes ? 0 : null;
  let expected: ExpectedCycles | null = null;
  let hidden: number | null = null;
  const spentAround = new Map<CycleId | -1, number>();
  const expectedWith = (weightOf: (b: BlockId) => number): ExpectedCycles =>
    expectedOver(fn, analyses, (b) => weightOf(b) * waves.shareComing(b), {
      diamond: costs.target.diamond,
      alone: cost,
      busy: busyCost,
    });
  const expectedOnce = (): ExpectedCycles => (expected ??= expectedWith((b) => weight[b]));
  const hiddenByMemory = (): number => {
    const accesses = accessesOf(ctx);
    const runs = (b: BlockId): number => weight[b] * waves.shareComing(b);
    const { hiddenByMemory: share } = costs.target;
    const { busy } = expectedOnce();
    return share * mostMemoryTime(accesses, runs) <= busy ? 0 : Math.max(0, share * memoryTime(accesses, runs) - busy);
  };
  return new PlanningContext({
    busyShare: () => (share ??= busyShare(ctx)),
    expected: expectedOnce,
    hiddenByMemory: () => (hidden ??= hiddenByMemory()),
    spentAround: (branch: BlockId) => {
      const loop = analyses.cycles.cycleOf(branch);
      if (!spentAround.has(loop)) spentAround.set(loop, expectedWith(weightAround(analyses, [branch])).alone);
      return spentAround.get(loop)!;
    },
    ...ctx,
  });
}

/** A context that is still being made. */
type Unfinished = Omit<PlanningFacts, 'busyShare' | 'expected' | 'hiddenByMemory' | 'spentAround'>;

/**
 * Waves that each take `alone` cycles and want a unit for `shared` of them keep it busy if they are more than
 * `alone / shared`. Which share of the numbers up to that of the waves of a SIMD that is; or for the memory unit, up to
 * the few of a small launch.
 */
function busyShare(ctx: Unfinished): number {
  const { fn, costs, busy, cost, weight, divergence } = ctx;
  const { target } = costs;
  let [shared, alone, usesLds, calls] = [0, 0, false, false];
  for (let b = 0; b < fn.blockCount; b++) {
    if (ctx.liveFlow?.fails[b] === 1) continue;
    let [here, all] = [0, divergence.terminatorDivergent[b] === 1 ? target.diamond : target.branch];
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++) {
      usesLds ||= fn.instrAddressSpace[i] === AddressSpace.Local;
      calls ||= hasFlag(fn, i, InstrFlag.Call);
      if (ctx.fusedInto[i] !== NONE) continue;
      here += busy.cost[i];
      all += cost[i];
    }
    shared += here * weight[b];
    alone += all * weight[b];
  }
  const runs = (b: BlockId): number => weight[b];
  const accesses = accessesOf(ctx);
  alone += hiddenWaits(accesses, runs);
  const waves = usesLds && (calls || keepsDataInLds(fn)) ? target.residentWithLds : target.residentWaves;
  const few = Math.min(waves, target.residentAtLeast);
  const shareOf = (load: number): number => (load > alone ? 1 - alone / load : 0);
  const units = shareOf(shared * waves);
  const most = shareOf(mostMemoryTime(accesses, runs) * few);
  return most > units ? Math.max(units, shareOf(memoryTime(accesses, runs) * few)) : units;
}

/**
 * Whether the LDS that a function accesses holds data of the threads. What has no room for a word of each thread of a
 * wave, or of the group if that is smaller, holds results that waves exchange, of a sum for instance. Of what pointers
 * from elsewhere lead to, nobody knows (nor of what functions keep that are called, unless to tell of a failure).
 */
function keepsDataInLds(fn: FunctionSnapshot): boolean {
  for (let v = 0; v < fn.argCount; v++) if (fn.typeAddressSpace[fn.valueType[v]] === AddressSpace.Local) return true;
  const bytes = fn.ldsBytes();
  const threads = Math.min(fn.waveSize, fn.mostThreads || fn.waveSize);
  return bytes === 0 || bytes >= 4 * threads;
}

function demandsUniform({ operandFlags }: FunctionSnapshot): boolean {
  for (let o = 0; o < operandFlags.length; o++) if ((operandFlags[o] & OperandFlag.MustBeUniform) !== 0) return true;
  return false;
}

function demandingInstrs(fn: FunctionSnapshot): Uint8Array {
  const demanding = new Uint8Array(fn.instrCount);
  for (let i = 0; i < fn.instrCount; i++) {
    let flags = fn.instrFlags[i] & InstrFlag.IdenticalOperandsOnly;
    for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) flags |= fn.operandFlags[o];
    if (flags !== 0 || fn.instrOpcode[i] === Opcode.Call) demanding[i] = 1;
  }
  return demanding;
}
