/**
 * What a report shows of a function, as data: how it looked before each step of melding and in the end, and what each
 * step did. src/pipeline/record-history.ts makes it, src/report/ draws it.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import type { Candidate, Meld, NetUnit } from '../melding/plan.js';

/** Names block `block` of meld `meld` of step `step`, all counted from 0. */
export interface MeldedPlace {
  readonly step: number;
  readonly meld: number;
  readonly block: number;
}

export interface PictureBlock {
  /** As LLVM prints it: `%if.then`. */
  readonly name: string;
  /** First instruction; the block ends where the next one starts. */
  readonly first: InstrId;
  readonly successors: readonly BlockId[];
  /** Whether it ends in a divergent branch or switch. */
  readonly divergent: boolean;
  /** The same in two pictures of a function: the same block. */
  readonly identity: number;
  /** The melded blocks of earlier steps that it holds instructions of, the latest step's first. */
  readonly holds: readonly MeldedPlace[];
}

/** A function at one time, by the ids of its snapshot. */
export interface FunctionPicture {
  /** By `BlockId`. */
  readonly blocks: readonly PictureBlock[];
  /** As LLVM prints them, by `InstrId`. */
  readonly instructions: readonly string[];
  /** Of the source, by `InstrId`; 0: not known. Empty without debug information. */
  readonly lines: readonly number[];
  /** What the plan says about the function as it is here. */
  readonly candidates: readonly Candidate[];
}

/** Operands of a melded pair that are selects between the values of both sides. */
export interface SelectedOperands {
  readonly t: InstrId;
  readonly f: InstrId;
  /** From 0, in the order of `t`. */
  readonly operands: readonly number[];
}

/** A round of melds, or the lowering of switches; ids are those of `before`. */
export interface HistoryStep {
  readonly before: FunctionPicture;
  readonly lowered: readonly BlockId[];
  readonly melds: readonly Meld[];
  readonly selects: readonly SelectedOperands[];
}

export interface FunctionHistory {
  readonly function: string;
  readonly steps: readonly HistoryStep[];
  /** Behind the last step, at the meld point: what LLVM optimises or generates code from. */
  readonly after: FunctionPicture;
  /** What the melds' nets count. */
  readonly netUnit: NetUnit;
  /** Why melding stopped half-way, or null. */
  readonly bailout: string | null;
}
