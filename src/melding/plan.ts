/**
 * A meld plan says what melds with what, and why, and at what profit. It is plain data over the ids of one snapshot.
 * It can be printed, compared, and replayed on another copy of the same module; the snapshot's fingerprint tells
 * whether the copy is the same. The code in decide/ makes plans and changes nothing. The code in apply/ reads only the
 * plan and the module. docs/melding.md describes the algorithm.
 *
 * The two sides of a branch are called T and F. The threads whose condition is true take T.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import type { RuleId } from './rules.js';

export type MeldKind = 'block-block' | 'region-region' | 'block-region';

/** One line of an instruction alignment: a pair (both ids set), or a gap (an instruction that only one side has). */
export interface AlignedInstr {
  readonly t: InstrId | -1;
  readonly f: InstrId | -1;
  /** For a pair: operands 0 and 1 of the F instruction are exchanged (commutative operation or swapped compare). */
  readonly swapped?: boolean;
  /** A load that comes from a block behind this one, or a pair with one: more threads execute it than did. */
  readonly hoisted?: boolean;
  /** For a gap: every thread executes it. That is safe here, and cheaper than a guard. */
  readonly speculate?: boolean;
  /**
   * For such a gap that is a load: a load of the other side, of the same kind. The other side's threads load from its
   * address instead, and do not use what they get.
   */
  readonly standIn?: InstrId;
}

/** One block of the melded subgraph. */
export interface MeldedBlock {
  /** `NONE` where only the host side has a block. */
  readonly t: BlockId | -1;
  readonly f: BlockId | -1;
  /** Successor 0 of `t` corresponds to successor 1 of `f`. */
  readonly swapped: boolean;
  /** The host block's successor that guest threads take, where the guest itself does not branch; otherwise null. */
  readonly takes: 0 | 1 | null;
  /** Whether guest threads come through this block. */
  readonly passed: boolean;
  /** Per successor of the guest's block: index of the melded block from which its edge arrives at the target. */
  readonly leaves: readonly number[];
}

/**
 * The control flow that two melded subgraphs share. It is the control flow of one side, the *host*. Every block of
 * the other side, the *guest*, has a place in it. If both subgraphs have the same shape, T is the host and every block
 * has two owners.
 */
export interface Shape {
  readonly host: 't' | 'f';
  /** The host's entry first, in reverse post-order of the host. */
  readonly blocks: readonly MeldedBlock[];
  /** Index of the melded block in which the guest starts. */
  readonly guestEntry: number;
  /** Index of the melded block from which guest threads arrive at their entry. `NONE`: they come from outside. */
  readonly entryLeaves: number;
}

/** The block of the host side. Every melded block has one. */
export const hostBlock = ({ host }: Pick<Shape, 'host'>, b: { readonly t: number; readonly f: number }): BlockId =>
  (host === 't' ? b.t : b.f) as BlockId;

/** A melded block together with what its two owners contribute. */
export interface BlockPair extends MeldedBlock {
  /**
   * The instructions of both blocks, without phis, terminators and markers, in an order in which everything stays
   * behind what it depends on. Adjacent guarded gaps of both sides form one guarded group.
   */
  readonly alignment: readonly AlignedInstr[];
  /** Phis that become one, `[t, f]`. All other phis are copied. */
  readonly phis: readonly (readonly [InstrId, InstrId])[];
}

/**
 * Where control goes behind the two subgraphs. `single`: every edge out of subgraph T goes to block `t`, and every
 * edge out of subgraph F to block `f`; they may be the same block. `shared`: corresponding exit edges have the same
 * target (rule 1.8).
 */
export type MeldExit =
  { readonly kind: 'single'; readonly t: BlockId; readonly f: BlockId } | { readonly kind: 'shared' };

/** One meld of a subgraph of the T side with a subgraph of the F side. */
export interface Meld extends Shape {
  readonly kind: MeldKind;
  /** Block E: it ends in the divergent conditional branch that separates the sides. */
  readonly branch: BlockId;
  /** The blocks of the shape. */
  readonly blocks: readonly BlockPair[];
  readonly exit: MeldExit;
  /**
   * Side blocks in front of each subgraph, up to the meld in front of it. Their definitions need a phi in the unifying
   * block (paper, pre-processing). Those further in front have theirs in the unifying block of an earlier meld.
   */
  readonly before: { readonly t: readonly BlockId[]; readonly f: readonly BlockId[] };
  /**
   * Set on the first meld of a branch whose sides have several entry edges: the blocks between the branch and both
   * sides. A phi in the unifying block says which side a thread is on, the *selector*. It takes the place of the
   * branch's condition, in the later melds of the branch, too. `before` then also holds blocks of these that dominate
   * one side.
   */
  readonly front?: readonly BlockId[];
  /** MP_S of the paper, 0 to 0.5. */
  readonly profit: number;
  /** What our cost model expects to save, after the costs of selects, guards and lost uniformity: cycles, or bytes. */
  readonly net: number;
}

/**
 * Versions per wave: in front of the branch, the wave is asked whether its threads agree. If so, it runs a copy of the
 * region as it was, behind uniform branches. Only waves that part come to the branch, and to its melds.
 */
export interface WaveVersion {
  /** Block E. */
  readonly branch: BlockId;
  /** Block X. */
  readonly join: BlockId;
  /**
   * The sides that are copied: `t` for waves that take it with all threads, and `f` likewise. In the order of asking.
   */
  readonly sides: readonly ('t' | 'f')[];
  /** What stands in front of the branch for one side alone and for which not every wave has a use, users first. */
  readonly sunk: readonly SunkInstr[];
}

/** An instruction in front of the branch, and the block of a side that dominates all of its uses. */
export interface SunkInstr {
  readonly instr: InstrId;
  readonly to: BlockId;
}

/** A phi of the join, and the blocks of the other side from which it takes what was there in front of the branch. */
export interface ChosenInput {
  readonly phi: InstrId;
  readonly blocks: readonly BlockId[];
}

/** A side of a branch whose work is done in front of the branch, by every thread; then the side is empty. */
export interface HoistedSide {
  /** Block E. */
  readonly branch: BlockId;
  /** Of E. */
  readonly terminator: InstrId;
  /** The only block of the side. It goes on to the join. */
  readonly side: BlockId;
  /** All of its instructions but the terminator, in order. */
  readonly instrs: readonly InstrId[];
  /** What a select chooses in front of the branch, between this side's value and what the other side passes on. */
  readonly chosen: readonly ChosenInput[];
  /** As a meld's. */
  readonly net: number;
}

/** A tree of branches whose blocks all run in front of its root, for every thread; then nothing of it is left. */
export interface FlattenedBranch {
  /** Block E, the root. */
  readonly branch: BlockId;
  /** Of E. */
  readonly terminator: InstrId;
  /** Block X. */
  readonly join: BlockId;
  /** All others of the tree. */
  readonly blocks: readonly BlockId[];
  /** All of their instructions but the terminators, in order. */
  readonly instrs: readonly InstrId[];
  /** What the phis of X receive. */
  readonly chosen: readonly { readonly phi: InstrId; readonly value: ChosenValue }[];
  /** As a meld's. */
  readonly net: number;
}

/** The value that a phi takes from a block, or a select. */
export type ChosenValue = BlockId | { readonly mask: ThreadMask; readonly t: ChosenValue; readonly f: ChosenValue };

/** The threads for which the condition of a block's branch holds, or of those that come to it by another one. */
export type ThreadMask =
  BlockId | { readonly if: BlockId; readonly t: BlockId | boolean; readonly f: BlockId | boolean };

/**
 * One of the legal ways in which a branch may meld, instead of the one that the cost model takes. It says which
 * subgraphs become one and by what rule their instructions are paired, and never which instructions: so whatever it
 * says, what comes of it is one of the planner's own melds.
 */
export interface BranchChoice {
  /** Places in the chains of subgraphs of T and F, ascending in both; null: those that gain most. */
  readonly pairs: readonly (readonly [number, number])[] | null;
  /** The sides that waves are asked about, in order. */
  readonly sides: WaveVersion['sides'];
  /** What alignment and pruning go by: costs, or the paper's metric. */
  readonly profit: Exclude<ProfitModel, 'size'>;
  readonly unpredicate: Unpredication;
  /** Where pairs are not named: the least MP_S of a pair, and whether a block may meld with a region. */
  readonly threshold: number;
  readonly regionReplication: boolean;
}

/** What is decided in advance about the branches of one round. */
export interface Choices {
  /** In the order of melding, if `others` stay. */
  readonly branches: ReadonlyMap<BlockId, BranchChoice | 'leave' | 'flatten'>;
  /** What becomes of branches that are not named: the cost model decides, or they stay as they are. */
  readonly others: 'model' | 'leave';
}

/** How a branch of a plan melds, so that it can be chosen again. */
export interface ChosenBranch extends Pick<BranchChoice, 'sides' | 'profit' | 'unpredicate'> {
  readonly branch: BlockId;
  readonly pairs: readonly (readonly [number, number])[];
}

/** What `darm analyze` prints for a divergent branch: a meld, or a refusal with its reason. */
export interface Candidate {
  readonly branch: BlockId;
  readonly sides: readonly [readonly BlockId[], readonly BlockId[]];
  readonly kind: MeldKind;
  readonly profit: number;
  readonly net: number;
  readonly verdict: 'meld' | 'refuse';
  /** The rule that refuses the meld, or null for a meld. */
  readonly rule: RuleId | null;
  readonly reason: string;
}

export interface FunctionPlan {
  readonly candidates: readonly Candidate[];
  /** Branches with melds whose waves are asked first. */
  readonly versions: readonly WaveVersion[];
  /** The melds of this round, in the order of carrying them out. Regions of different branches do not overlap. */
  readonly melds: readonly Meld[];
  /** Sides that are emptied instead; none while anything melds. */
  readonly hoisted: readonly HoistedSide[];
  /** Trees of branches that selects replace. They touch no region with melds, and each other neither. */
  readonly flattened: readonly FlattenedBranch[];
  /** The branches with melds, in the order in which they were taken. */
  readonly chosen: readonly ChosenBranch[];
  /** What may be tried where nothing pays; null: nothing, or nobody asks. */
  readonly doubtful: DoubtfulMelds | null;
  /** Whether waves are asked because the cost model says so, and melding may be tried without. */
  readonly asksByModel: boolean;
  readonly netUnit: NetUnit;
  /** What a wave is expected to spend in the function in front of this round; null where nothing is done or tried. */
  readonly expected: ExpectedCycles | null;
}

/**
 * Melds of one branch that do not pay by themselves, but perhaps with what melds behind them. `candidates` says of all
 * branches what there is to say if they are made.
 */
export type DoubtfulMelds = Pick<FunctionPlan, 'candidates' | 'versions' | 'melds' | 'hoisted' | 'chosen'>;

/** What a wave spends in a function: cycles; loops count as if they ran eight times. */
export interface ExpectedCycles {
  /** Where a wave waits for itself. */
  readonly alone: number;
  /** Where other waves hide everything but the work of shared units. */
  readonly busy: number;
}

/**
 * What decides whether a meld pays: the cycles that it saves, the bytes of code that it saves, or the paper's metric
 * alone. Both nets are the same sum over different costs.
 */
export type ProfitModel = 'net' | 'size' | 'paper';

/** What a net counts. */
export type NetUnit = 'cycles' | 'bytes';

export const netUnitOf = (profit: ProfitModel): NetUnit => (profit === 'size' ? 'bytes' : 'cycles');

/**
 * `darm` melds everything that it can. The two others are the paper's baselines. `branch-fusion` melds diamonds only,
 * with a single block on each side (B. Coutinho et al., "Divergence Analysis and Optimizations", PACT 2011).
 * `tail-merge` melds only the common instructions at the ends of the two sides of a diamond.
 */
export type MeldMode = 'darm' | 'branch-fusion' | 'tail-merge';

/**
 * Which instructions without a partner run for their own threads only (unpredication): `always` all of them, `never`
 * only those that are not safe for every thread, `profitable` also those that are cheaper that way.
 */
export type Unpredication = 'always' | 'profitable' | 'never';

/**
 * Where waves are asked whether they part (`WaveVersion`): `auto` where the cost model expects a gain from it, `always`
 * at every branch with melds where the rules allow it.
 */
export type Versioning = 'auto' | 'always' | 'never';

export interface PlanOptions {
  readonly mode: MeldMode;
  readonly profit: ProfitModel;
  /** Least MP_S that a pair of subgraphs must have, 0 to 0.5 (paper: 0.2). */
  readonly threshold: number;
  /** Whether a block may meld with a region (the paper's region replication). */
  readonly regionReplication: boolean;
  readonly unpredicate: Unpredication;
  readonly versions: Versioning;
  /** Whether LLVM's pipeline runs after melding. Then loops with known trip counts may still be unrolled. */
  readonly optimizesLater: boolean;
}
