/** The options of a compile or analyze job, as every layer from the command to the worker passes them (plain data). */
import type { MeldMode, ProfitModel, Unpredication } from '../melding/plan.js';

export type Emit = 'bc' | 'll' | 'asm' | 'obj' | 'hsaco' | 'ptx';
export type OptimizeLevel = 'none' | 'O1' | 'O2' | 'O3' | 'Os';
export type MeldPoint = 'early' | 'late';

export interface JobOptions {
  /** Several outputs of one compilation are allowed (`darm compile` asks for one, the demo for two). */
  readonly emit: readonly Emit[];
  /** Target id (`gfx90a:sramecc+:xnack-`), or null: the functions' own `target-cpu`. */
  readonly mcpu: string | null;
  /** Code generation level 0 to 3. */
  readonly codegenLevel: 0 | 1 | 2 | 3;
  readonly optimize: OptimizeLevel;
  readonly meld: MeldMode | 'off';
  readonly meldPoint: MeldPoint;
  readonly profit: ProfitModel;
  /** 0 to 0.5. */
  readonly threshold: number;
  readonly regionReplication: boolean;
  readonly unpredicate: Unpredication;
  /** Only these functions are melded; empty means all. */
  readonly functions: readonly string[];
  /** One round of melding instead of the fixpoint. */
  readonly once: boolean;
  /** Also compile without melding and report `before` figures. */
  readonly stats: boolean;
  /** Say what melded, what did not, and why. */
  readonly remarks: boolean;
  /** Say what functions looked like before, between and after the rounds: what a report shows. */
  readonly report: boolean;
  /** Compare every analysis with LLVM's own; a difference is an internal error. */
  readonly verifyAnalyses: boolean;
}

/** The values of the options that are a choice: whoever checks, parses or describes them takes them from here. */
export const CHOICES = {
  emit: ['bc', 'll', 'asm', 'obj', 'hsaco', 'ptx'],
  codegenLevel: [0, 1, 2, 3],
  optimize: ['none', 'O1', 'O2', 'O3', 'Os'],
  meld: ['darm', 'branch-fusion', 'tail-merge', 'off'],
  meldPoint: ['early', 'late'],
  profit: ['net', 'paper'],
  unpredicate: ['always', 'profitable', 'never'],
} as const satisfies { [K in keyof JobOptions]?: JobOptions[K] extends readonly (infer V)[] ? V[] : JobOptions[K][] };

export const DEFAULT_OPTIONS: JobOptions = {
  emit: ['hsaco'],
  mcpu: null,
  codegenLevel: 2,
  optimize: 'none',
  meld: 'darm',
  meldPoint: 'late',
  profit: 'net',
  threshold: 0.2,
  regionReplication: true,
  unpredicate: 'profitable',
  functions: [],
  once: false,
  stats: false,
  remarks: false,
  report: false,
  verifyAnalyses: false,
};
