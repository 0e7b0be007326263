/**
 * The divergence profile of a launch: what each instruction did, with how many lanes, for how long, and what it waited
 * for; the same summed by basic block, source line and function; and for each branch how it parted the lanes of waves.
 * Plain data: it goes to other threads, into JSON and into pages. docs/profile.md explains the figures.
 *
 * References to instructions, blocks, functions and lines are positions in the arrays of the profile.
 */
import type { InstructionClass } from '../counters.js';
import type { Dimensions } from '../launch/spec.js';

/** What a wave does in its time, or waits for. The order is that of columns. */
export const WAITS = [
  /** It executes: from its turn until it may go on. */
  'issue',
  /** The unit is busy, mostly with other waves, or it is not the SIMD's turn. */
  'unit',
  /** The result of an earlier instruction is not ready. */
  'result',
  'vectorMemory',
  'lds',
  'scalarMemory',
  'message',
  /** The other waves of its workgroup. */
  'barrier',
] as const;
export type Wait = (typeof WAITS)[number];

/** Time by the cycle estimate (docs/cycle-model.md). */
export interface ProfileTime {
  /** Cycles of waves, each from when it came to the instruction until it came to the next. Whole numbers. */
  readonly waveCycles: number;
  /** `waveCycles` by what they were spent with. */
  readonly waits: Readonly<Record<Wait, number>>;
  /** For each of these cycles of a wave, its idle lanes. Whole numbers. */
  readonly idleLaneCycles: number;
  /**
   * The share of the launch's estimate: in proportion to `waveCycles`, rounded so that the shares of all instructions
   * add up to the estimate.
   */
  readonly cycles: number;
  /** The part of `cycles` that idle lanes lost: half of it, if half of the lanes were idle all the time. */
  readonly lostCycles: number;
}

export interface ProfileFigures {
  /** Wavefront instructions. */
  readonly executed: number;
  /** Active lanes, summed over them. */
  readonly lanes: number;
  /** Null: nothing was estimated. */
  readonly time: ProfileTime | null;
}

export interface ProfiledInstruction extends ProfileFigures {
  /** Bytes from the start of the executable segment. */
  readonly address: number;
  readonly text: string;
  readonly kind: InstructionClass;
  readonly function: number;
  readonly block: number;
  /** -1: not known. */
  readonly line: number;
  /** Cache lines, or passes over the LDS's banks. */
  readonly transactions: number;
  /** By lane: how often it was active. Empty if the instruction never ran. */
  readonly laneCounts: readonly number[];
  /** The instructions whose results it waited for at an `s_waitcnt`, the longest wait first. */
  readonly waitedFor: readonly { readonly instruction: number; readonly waveCycles: number }[];
}

/** A basic block of machine code: it is entered at its first instruction and left at its last. */
export interface ProfiledBlock extends ProfileFigures {
  readonly function: number;
  /** Its instructions: from `first`, `count` of them. */
  readonly first: number;
  readonly count: number;
  /** How often waves entered it. */
  readonly entered: number;
  /** Blocks of the same function that may follow it. */
  readonly successors: readonly number[];
}

export interface ProfiledLine extends ProfileFigures {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Static instructions. */
  readonly instructions: number;
}

/** A function of which something ran. */
export interface ProfiledFunction extends ProfileFigures {
  readonly name: string;
  /** Bytes from the start of the executable segment. */
  readonly address: number;
  /** How often waves entered it. */
  readonly entered: number;
}

/** How often a branch left `on` lanes active and made `off` lanes wait; one of them may be 0. */
export interface LaneSplit {
  readonly on: number;
  readonly off: number;
  readonly times: number;
}

/**
 * An instruction that turned lanes off, or can: where lanes of a wave part. On the other side of the branch the lanes
 * that were on wait; that counts for the same branch.
 */
export interface DivergentBranch {
  readonly instruction: number;
  readonly executed: number;
  /** Times that it left some lanes on and turned others off. */
  readonly parted: number;
  /** What it did whenever it turned lanes off, the most frequent first. */
  readonly splits: readonly LaneSplit[];
  /** Idle lanes, summed over the wavefront instructions that ran while this branch kept lanes idle. */
  readonly idleLanes: number;
  /** The same over time. An instruction's time is divided in proportion to `idleLanes`. Null: not estimated. */
  readonly time: { readonly idleLaneCycles: number; readonly lostCycles: number } | null;
}

/** A conditional jump: it takes all lanes of the wave along. */
export interface Jump {
  readonly instruction: number;
  readonly executed: number;
  readonly taken: number;
}

/**
 * What the first waves did over time: columns, with an entry for each span, in order of its wave and time. In a span, a
 * wave stays in one block, with one set of lanes.
 */
export interface Timeline {
  /** Waves, in the order in which they started. */
  readonly waves: readonly TimelineWave[];
  /** Position in `waves`. */
  readonly wave: readonly number[];
  readonly block: readonly number[];
  /** The first instruction of the span. */
  readonly instruction: readonly number[];
  readonly lanes: readonly number[];
  /** The active lanes: bit n of the first is lane n, of the second, lane 32 + n. */
  readonly lowMask: readonly number[];
  readonly highMask: readonly number[];
  /** In cycles. */
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** Whether there was more than is kept here. */
  readonly truncated: boolean;
}

export interface TimelineWave {
  readonly workgroup: number;
  /** In the workgroup. */
  readonly wave: number;
  readonly simd: number;
}

export interface LaunchProfile extends ProfileFigures {
  readonly kernel: string;
  readonly processor: string;
  readonly waveSize: 32 | 64;
  readonly grid: Dimensions;
  readonly block: Dimensions;
  readonly waves: number;
  /** All instructions of the functions of which any ran, in order of address. */
  readonly instructions: readonly ProfiledInstruction[];
  readonly blocks: readonly ProfiledBlock[];
  readonly functions: readonly ProfiledFunction[];
  /** From debug information; empty without. In order of file and line. */
  readonly lines: readonly ProfiledLine[];
  /** The most costly first. */
  readonly branches: readonly DivergentBranch[];
  readonly jumps: readonly Jump[];
  /** Idle lanes that no branch turned off: a workgroup's last wave has fewer work-items than lanes. */
  readonly unfilled: { readonly idleLanes: number; readonly time: DivergentBranch['time'] };
  readonly timeline: Timeline | null;
}
