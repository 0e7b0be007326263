/** What jobs answer: plain data, which crosses threads. */
import type { Summary } from '../analysis/summary.js';
import type { FunctionPlan, MeldKind, NetUnit } from '../melding/plan.js';
import type { Emit } from './options.js';
import type { Remark } from './remarks.js';
import type { FunctionHistory, FunctionPicture } from './history.js';

export interface Counts {
  /** Null unless `stats` was asked for, and for a function that cannot be analysed. */
  readonly divergentBranches: number | null;
  readonly instructions: number;
  /** Null when no code was generated. */
  readonly machineInstructions: number | null;
}

export interface FunctionReport extends OtherChanges {
  readonly name: string;
  readonly melds: readonly { readonly kind: MeldKind; readonly profit: number; readonly net: number }[];
  /** What the nets count. */
  readonly netUnit: NetUnit;
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
  /** Warnings and notes, LLVM's and ours, one line each. */
  readonly diagnostics: readonly string[];
  /**
   * Milliseconds per phase: reset, read, optimize, meld, verify, codegen, link, total. If several workers have melded,
   * `meldInParallel` is how long that took; of source, `translate` is clang's time.
   */
  readonly timings: Readonly<Record<string, number>>;
}

/** The warning about a code object that nobody can launch anything of. */
export const NO_KERNEL = 'the code object has no kernel: no function of the module is one';

/** What changes in a function beside melds. */
export interface OtherChanges {
  /** Divergent switches that become branches, so that their cases can meld. */
  readonly switchesLowered: number;
  /** Sides of divergent branches whose work stands in front of the branch then. */
  readonly sidesHoisted: number;
}

export interface SwitchForecast {
  /** The block that ends in it. */
  readonly branch: number;
  readonly destinations: number;
  /** Why it stays a switch; null where it becomes a chain of branches. */
  readonly refusal: string | null;
}

/** A function as it is, and what the first round of melding would do; the other changes, in all rounds together. */
export interface FunctionAnalysis extends Summary, OtherChanges {
  readonly name: string;
  readonly plan: FunctionPlan;
  /** By candidate of the plan: what would have to change so that it melds; null where nothing is known, or it does. */
  readonly remedies: readonly (string | null)[];
  /** Its divergent switches, in the order of their blocks. */
  readonly switches: readonly SwitchForecast[];
  /** Names of the blocks as LLVM prints them, by block id. */
  readonly blockNames: readonly string[];
  /** The function as it is; null unless asked for. */
  readonly picture: FunctionPicture | null;
}

export interface AnalyzeResult {
  readonly target: string;
  readonly functions: readonly FunctionAnalysis[];
  /** The functions that cannot be analysed, and why; they are not among `functions`. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  /** What melding would do; empty unless asked for. */
  readonly remarks: readonly Remark[];
}

/** What a module holds. */
export interface ModuleInfo {
  readonly triple: string;
  /** Those with bodies, in module order. */
  readonly functions: readonly { readonly name: string; readonly kernel: boolean; readonly instructions: number }[];
}
