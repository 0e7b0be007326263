/** What `darm tune` tries on a kernel, and what comes of it: plain data between the search and the workers. */
import type { BranchChoice, ChosenBranch } from '../melding/plan.js';
import type { TunedRound } from './tuned-plan.js';

export type { BranchChoice };

/** What becomes of a branch. */
export type Decision = BranchChoice | 'leave' | 'model';

export interface Policy {
  /** By the branch's name. */
  readonly branches: Readonly<Record<string, Decision>>;
  /** For all other branches. */
  readonly others: Decision;
  /** What becomes of divergent switches. */
  readonly switches: 'model' | 'lower' | 'keep';
}

/** A branch that came up, and may meld by some choice. */
export interface TriedBranch {
  readonly name: string;
  /** Its block, as LLVM prints it when it first comes up. */
  readonly block: string;
  /** How it melded; null where it did not. */
  readonly way: ChosenBranch | null;
  /** The model's estimate of what the melds gain, in cycles. */
  readonly net: number;
  /** Why, in the planner's words. */
  readonly reason: string;
}

export interface Trace {
  readonly rounds: readonly TunedRound[];
  readonly fingerprint: string;
  /** In the order of their appearance. */
  readonly branches: readonly TriedBranch[];
  /** Whether there were switches that could become branches. */
  readonly switches: boolean;
}

/** A kernel with what it needs, where melding begins. */
export interface Subject {
  readonly bitcode: Uint8Array;
  readonly target: string;
}

export interface Trial {
  /** Hash of all edits. Equal edits make equal code. */
  readonly edits: string;
  /** The code object; null if its edits are known. */
  readonly code: Uint8Array | null;
  readonly trace: Trace;
  /** Why melding failed half-way, or null. */
  readonly bailout: string | null;
}
