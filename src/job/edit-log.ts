/**
 * What melding did to a function, as plain data. One worker melds the function and makes the log; another worker
 * carries the same edits out on its own copy of the module and gets the same function.
 */
import type { BlockId } from '../ir/ids.js';
import type { FlattenedBranch, HoistedSide, Meld, NetUnit, WaveVersion } from '../melding/plan.js';
import type { FunctionHistory } from './history.js';
import type { CandidateRemark, DebugLocation, SwitchRemark } from './remarks.js';
import type { OtherChanges } from './results.js';

/**
 * One round of edits: switches that become branches, melds and flattened branches, or hoisted sides, and the snapshot
 * of their ids.
 */
export interface LogRound {
  /** Fingerprint of the snapshot whose ids the round uses. */
  readonly fingerprint: string;
  readonly lowered: readonly BlockId[];
  readonly versions: readonly WaveVersion[];
  readonly melds: readonly Meld[];
  readonly hoisted: readonly HoistedSide[];
  readonly flattened: readonly FlattenedBranch[];
  /** Remarks about the function as it was before this round; null unless remarks are wanted. */
  readonly remarks: SurveyRemarks | null;
}

/**
 * Remarks about a function before a round. They are made at once, since the round changes names of blocks and places.
 */
export interface SurveyRemarks {
  readonly location: DebugLocation | null;
  readonly divergentBranches: number;
  readonly candidates: readonly CandidateRemark[];
  /** The divergent ones; their reason to stay is null until it is known. */
  readonly switches: readonly (Omit<SwitchRemark, 'reason'> & { readonly reason: string | null })[];
  readonly netUnit: NetUnit;
}

/** Everything that melding did to one function, in order. */
export interface EditLog {
  readonly function: string;
  /** The function's place among those of the module at the meld point. */
  readonly position: number;
  readonly rounds: readonly LogRound[];
  /** How much faster the function gets, by the cost model; 1 where it was not judged as a whole. */
  readonly gain: number;
  /**
   * Remarks about the function when nothing was left to meld; null if melding ended otherwise, or unless remarks are
   * wanted.
   */
  readonly lastRemarks: SurveyRemarks | null;
  /** For reports; null when there is nothing to say, or unless a report is wanted. */
  readonly history: FunctionHistory | null;
  /** Whether the worker that made the log left its function just as carrying out the log does. */
  readonly isInPlace: boolean;
  /** Why melding of the function stopped half-way or was taken back (a bail-out), or null. */
  readonly bailout: string | null;
  /** Why the plan for the function was ignored half-way, or null. */
  readonly planMisfit: string | null;
}

export const hasEdits = ({ rounds }: EditLog): boolean => rounds.length > 0;

/** The names of the functions with edits. */
export const meldedFunctions = (logs: readonly EditLog[]): string[] => logs.filter(hasEdits).map((log) => log.function);

/** What changed in these rounds beside melds. Of a flattened branch, each block counts that ran for some threads. */
export const othersOf = (rounds: readonly Pick<LogRound, 'lowered' | 'hoisted' | 'flattened'>[]): OtherChanges => ({
  switchesLowered: rounds.reduce((sum, { lowered }) => sum + lowered.length, 0),
  sidesHoisted: rounds.reduce(
    (sum, { hoisted, flattened }) =>
      sum + hoisted.length + flattened.reduce((all, { blocks }) => all + blocks.length, 0),
    0,
  ),
});
