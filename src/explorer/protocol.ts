/**
 * What the explorer's page asks and what it is answered, as plain data: it goes to a Web Worker of the page, or over
 * HTTP to `darm explore`.
 */
import type { ErrorData, SourceDiagnostic } from '../errors.js';
import type { KernelInfo } from '../formats/code-object.js';
import type { JobOptions } from '../job/options.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { LaunchProfile } from '../simulator/profile/profile.js';

export type ExploredLanguage = 'hip' | 'opencl' | 'ir';
export const LANGUAGES: readonly ExploredLanguage[] = ['hip', 'opencl', 'ir'];

/** Without melding, or with. */
export type Side = 'before' | 'after';

export interface ExploreJob {
  /** Bytes: bitcode, as language `ir`. */
  readonly source: string | Uint8Array;
  readonly language: ExploredLanguage;
  /** Those that are given; what is written, and recorded, is not theirs to say. */
  readonly options: Partial<JobOptions>;
  /** clang's; not for IR. */
  readonly flags: readonly string[];
}

export interface ExploreQuestions {
  compile: { readonly job: ExploreJob };
  listing: { readonly job: ExploreJob; readonly form: ListingForm; readonly side: Side };
  /** The kernels, and a launch of each that is made up. */
  kernels: { readonly job: ExploreJob };
  /** `spec`: JSON, as docs/launch-spec.md describes it. */
  launch: { readonly job: ExploreJob; readonly spec: string; readonly simulation: Partial<SimulationOptions> };
  /** The code object, as the command would write it. */
  artifact: { readonly job: ExploreJob; readonly side: Side };
}

export type ListingForm = 'ir' | 'machine';

export interface ExploreAnswers {
  compile: Explored;
  listing: Listing;
  kernels: readonly LaunchableKernel[];
  launch: Launched;
  artifact: Uint8Array;
}

export type QuestionKind = keyof ExploreQuestions;
export const QUESTION_KINDS: readonly QuestionKind[] = ['compile', 'listing', 'kernels', 'launch', 'artifact'];

export type ExploreQuestion = { [K in QuestionKind]: { readonly kind: K } & ExploreQuestions[K] }[QuestionKind];

export type ExploreOutcome<K extends QuestionKind = QuestionKind> =
  { readonly ok: true; readonly value: ExploreAnswers[K] } | { readonly ok: false; readonly error: ErrorData };

export interface Explored {
  readonly target: string;
  /** What clang printed; empty for IR. */
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  /** LLVM's, one line each. */
  readonly warnings: readonly string[];
  /** Those that there is something to say about, in module order. */
  readonly functions: readonly ExploredFunction[];
  readonly remarks: readonly ExploredRemark[];
  /** Milliseconds; `translate` is clang's, 0 for IR. */
  readonly time: { readonly translate: number; readonly compile: number; readonly draw: number };
}

export interface ExploredFunction {
  readonly name: string;
  readonly melds: number;
  readonly refused: number;
  /** The part of a report about it, as markup of ours: src/report/html. The ids in it begin with `f1-`, `f2-` …. */
  readonly html: string;
  /** By picture and block: where the block comes from. The block's element has the id `f1-g0-b3`. */
  readonly blocks: readonly (readonly ExploredBlock[])[];
}

export interface ExploredBlock {
  readonly name: string;
  /** Of the source, ascending. */
  readonly lines: readonly number[];
}

export interface ExploredRemark {
  readonly kind: 'passed' | 'missed' | 'switch' | 'lowered' | 'failure' | 'analysis';
  readonly function: string;
  readonly text: string;
  /** Of the source; null when it is not known. */
  readonly line: number | null;
}

/** Functions as text, a row for each line of it. */
export interface Listing {
  readonly rows: readonly ListingRow[];
  /** Rows that are left out at the end. */
  readonly omitted: number;
}

export interface ListingRow {
  readonly kind: 'function' | 'label' | 'instruction' | 'note';
  readonly text: string;
  /** Of the source, ascending. */
  readonly lines: readonly number[];
  readonly function: string;
  /** The IR block it comes from, as LLVM prints it, or null. */
  readonly block: string | null;
  /** Which instruction of the function it is, from 0; -1 for other rows. */
  readonly position: number;
}

export interface LaunchableKernel extends Pick<KernelInfo, 'name' | 'arguments' | 'wavefrontSize' | 'requiredBlock'> {
  /** A launch specification, as JSON. */
  readonly spec: string;
}

export interface Launched {
  /** The table of counters, as markup of ours. */
  readonly html: string;
  readonly launches: readonly ExploredLaunch[];
  /** Where the memory that both leave differs, in words; empty: nowhere. */
  readonly differences: readonly string[];
  /** Milliseconds of simulation, without and with melding. */
  readonly time: readonly [number, number];
}

export interface ExploredLaunch {
  readonly kernel: string;
  /** Cycles by the estimate, without and with melding. */
  readonly cycles: readonly [number | null, number | null];
  /** Null where nothing was profiled. */
  readonly profiles: readonly [LaunchProfile | null, LaunchProfile | null];
}
