/**
 * A meld plan: what melds with what, why and at what profit. Plain data over the ids of one snapshot: printable,
 * comparable, and replayable on another copy of the same module (the snapshot's fingerprint says whether it is the same).
 * Deciding (melding/*) makes plans and changes nothing; carrying out (apply.ts) reads only the plan and the module.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import type { MeldedBlock, Shape } from './draft/shape.js';

export type MeldKind = 'block-block' | 'region-region' | 'block-region';

/** One line of an instruction alignment: a pair (both set), or an instruction that only one side has. */
export interface AlignedInstr {
  readonly t: InstrId | -1;
  readonly f: InstrId | -1;
  /** For a pair: operands 0 and 1 of the F instruction are exchanged (commutative operation or swapped compare). */
  readonly swapped?: boolean;
  /** For a gap: execute for every thread instead of splitting the block (safe, and cheaper). */
  readonly speculate?: boolean;
}

export interface BlockPair extends MeldedBlock {
  /**
   * Non-phi, non-terminator instructions of both blocks in an order that keeps each block's own. Markers are left out.
   * Adjacent guarded gaps of both sides form one guarded group.
   */
  readonly alignment: readonly AlignedInstr[];
  /** Phis that become one, `[t, f]`. All other phis are copied. */
  readonly phis: readonly (readonly [InstrId, InstrId])[];
}

/** One meld of subgraph `t` (executed by the threads whose branch condition is true) with subgraph `f`. */
export interface Meld extends Shape {
  readonly kind: MeldKind;
  /** Block E whose divergent conditional branch separates the sides. */
  readonly branch: BlockId;
  /** The blocks of the shape. */
  readonly blocks: readonly BlockPair[];
  /**
   * Where control goes behind the subgraphs. `single`: every edge out of subgraph T goes to `t`, out of F to `f`
   * (they may be the same block). `shared`: rule 1.8, corresponding exit edges have the same target.
   */
  readonly exit: { readonly kind: 'single'; readonly t: BlockId; readonly f: BlockId } | { readonly kind: 'shared' };
  /** Side blocks in front of each subgraph whose definitions need a phi in the unifying block (paper, pre-processing). */
  readonly before: { readonly t: readonly BlockId[]; readonly f: readonly BlockId[] };
  /** MP_S of the paper, 0 to 0.5. */
  readonly profit: number;
  /** Cycles saved by our cost model, after selects, guards and lost uniformity. */
  readonly net: number;
}

/** What `darm analyze` prints for a divergent branch: a meld or a refusal. */
export interface Candidate {
  readonly branch: BlockId;
  readonly sides: readonly [readonly BlockId[], readonly BlockId[]];
  readonly kind: MeldKind;
  readonly profit: number;
  readonly net: number;
  readonly verdict: 'meld' | 'refuse';
  /** Rule id of MELDING-RULES.md (`1.5`, `3`, `7` …), or null for a meld. */
  readonly rule: string | null;
  readonly reason: string;
}

export interface FunctionPlan {
  readonly candidates: readonly Candidate[];
  /** Melds of this round, in the order in which they are to be carried out. Regions of different branches do not overlap. */
  readonly melds: readonly Meld[];
}

export type ProfitModel = 'net' | 'paper';

/**
 * `darm`: everything. The paper's baselines: `branch-fusion` melds diamonds only, single blocks on both sides (B. Coutinho
 * et al., "Divergence Analysis and Optimizations", PACT 2011); `tail-merge` joins only what ends both sides of a diamond alike.
 */
export type MeldMode = 'darm' | 'branch-fusion' | 'tail-merge';

/** Instructions without a partner: `always` run for their own threads only, `never` for all that is safe, or what is cheaper. */
export type Unpredication = 'always' | 'profitable' | 'never';

export interface PlanOptions {
  readonly mode: MeldMode;
  readonly profit: ProfitModel;
  /** Least MP_S of a pair, 0 to 0.5 (paper: 0.2). */
  readonly threshold: number;
  /** Whether a block may meld with a region (the paper's region replication). */
  readonly regionReplication: boolean;
  readonly unpredicate: Unpredication;
  /** Whether LLVM still optimises what comes out: loops with trip counts that are known unroll later. */
  readonly optimizesLater: boolean;
}
