/** What goes over the wire between the main thread and the workers: plain data only. */
import type { Summary } from '../analysis/summary.js';
import type { BlockId } from '../ir/ids.js';
import type { FunctionPlan, Meld, MeldKind } from '../melding/plan.js';
import type { Emit } from './options.js';
import type { CandidateRemark, DebugLocation, Remark } from './remarks.js';
import type { FunctionHistory, FunctionPicture } from './history.js';

/** One round of melding of one function: which switches become branches, or the melds, and which snapshot they belong to. */
export interface LogRound {
  /** Fingerprint of the snapshot whose ids the melds use. */
  readonly fingerprint: string;
  readonly lowered: readonly BlockId[];
  readonly melds: readonly Meld[];
  /** What the look that led to this round saw; null unless remarks are wanted. */
  readonly look: LookRemarks | null;
}

/** What there is to say about a function before a round; names of blocks and places change with each. */
export interface LookRemarks {
  readonly location: DebugLocation | null;
  readonly divergentBranches: number;
  readonly candidates: readonly CandidateRemark[];
}

/** Everything that melding did to one function, in order; replaying it on another copy of the module does the same. */
export interface EditLog {
  readonly function: string;
  /** The function's place among those of the module at the meld point. */
  readonly position: number;
  readonly rounds: readonly LogRound[];
  /** The look that found nothing more to meld; null without one, or unless remarks are wanted. */
  readonly lastLook: LookRemarks | null;
  /** For reports; null when there is nothing to say, or unless one is wanted. */
  readonly history: FunctionHistory | null;
  /** Whether the worker that made the log left the function as replaying the log does. */
  readonly isInPlace: boolean;
  /** Why the function stayed as it was although melds were planned (a bail-out), or null. */
  readonly bailout: string | null;
}

export interface Counts {
  /** Null unless `stats` was asked for. */
  readonly divergentBranches: number | null;
  readonly instructions: number;
  /** Null when no code was generated. */
  readonly machineInstructions: number | null;
}

export interface FunctionReport {
  readonly name: string;
  readonly melds: readonly { readonly kind: MeldKind; readonly profit: number; readonly net: number }[];
  /** Divergent switches that became branches, so that their cases could meld. */
  readonly switchesLowered: number;
  /** `before` is null unless `stats` was asked for. */
  readonly before: Counts | null;
  readonly after: Counts;
  readonly bailout: string | null;
}

export interface Artifact {
  readonly kind: Emit;
  readonly bytes: Uint8Array;
}

export interface CompileResult {
  readonly target: string;
  readonly artifacts: readonly Artifact[];
  readonly functions: readonly FunctionReport[];
  /** In module order at the meld point; empty unless asked for. */
  readonly remarks: readonly Remark[];
  /** Of the functions that there is something to say about, in module order; empty unless asked for. */
  readonly histories: readonly FunctionHistory[];
  /** LLVM's warnings and notes, one line each. */
  readonly diagnostics: readonly string[];
  /** Milliseconds per phase: read, optimize, meld, verify, codegen, link, total. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface FunctionAnalysis extends Summary {
  readonly name: string;
  readonly plan: FunctionPlan;
  /** Names of the blocks as LLVM prints them, by block id. */
  readonly blockNames: readonly string[];
  /** The function as it is; null unless asked for. */
  readonly picture: FunctionPicture | null;
}

export interface AnalyzeResult {
  readonly target: string;
  readonly functions: readonly FunctionAnalysis[];
  /** What melding would do; empty unless asked for. */
  readonly remarks: readonly Remark[];
}

/** What the module holds, for deciding how to share the work; functions with bodies, in module order. */
export interface ModuleInfo {
  readonly triple: string;
  readonly functions: readonly { readonly name: string; readonly kernel: boolean; readonly instructions: number }[];
}
