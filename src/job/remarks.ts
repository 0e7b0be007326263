/**
 * Optimisation remarks as data: what melded, what did not and why, and a summary of each function.
 * src/pipeline/collect-remarks.ts makes them, src/report/yaml/remarks.ts writes them.
 */
import type { MeldKind, NetUnit } from '../melding/plan.js';
import type { RuleId } from '../melding/rules.js';

/** A place in the source, from debug information. */
export interface DebugLocation {
  readonly file: string;
  /** 1-based; 0 for code that stands for several places. */
  readonly line: number;
  readonly column: number;
}

interface AnyRemark {
  readonly function: string;
  /** Of the branch, or of the function; null without debug information. */
  readonly location: DebugLocation | null;
}

/** One candidate: a meld, or a refusal. */
export interface CandidateRemark extends AnyRemark {
  readonly kind: 'passed' | 'missed';
  /** Which round, from 1, looked at the candidate; null where nothing is carried out. */
  readonly round: number | null;
  /** Name of the block that ends in the divergent branch; all blocks are named as LLVM prints them before the round. */
  readonly branch: string;
  readonly sides: readonly [readonly string[], readonly string[]];
  readonly meld: MeldKind;
  /** MP_S of the paper, 0 to 0.5; 0 when the refusal came before it was known. */
  readonly profit: number;
  /** What the cost model expects to save; 0 when the refusal came before it was known. */
  readonly net: number;
  readonly netUnit: NetUnit;
  /** Rule that refuses (docs/remarks.md), or null for a meld. */
  readonly rule: RuleId | null;
  readonly reason: string;
}

/** A divergent `switch` that does not become a chain of branches, whose cases could meld. */
export interface SwitchRemark extends AnyRemark {
  readonly kind: 'switch';
  /** Name of the block that ends in it, as LLVM prints it in the end. */
  readonly branch: string;
  /** Blocks that it leads to. */
  readonly destinations: number;
  readonly reason: string;
}

/** A divergent `switch` that became a chain of branches. */
export interface LoweredRemark extends Omit<SwitchRemark, 'kind' | 'reason'> {
  readonly kind: 'lowered';
}

/** Why a function was left as it was, or half-way. */
export interface FailureRemark extends AnyRemark {
  readonly kind: 'failure';
  readonly reason: string;
}

/** What melding comes to in one function. */
export interface FunctionRemark extends AnyRemark {
  readonly kind: 'analysis';
  /** Before melding. */
  readonly divergentBranches: number;
  /** Melds and refusals that there are remarks about. */
  readonly candidates: number;
  readonly melds: Readonly<Record<MeldKind, number>>;
  /** By the cost model. */
  readonly saved: number;
  readonly netUnit: NetUnit;
  readonly switchesLowered: number;
  readonly sidesHoisted: number;
}

export type Remark = CandidateRemark | SwitchRemark | LoweredRemark | FailureRemark | FunctionRemark;
