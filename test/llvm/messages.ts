/** The questions that run.ts asks its worker processes, and their answers. Both are plain data. */
import type { ProfitModel } from '../../src/melding/plan.js';
import type { Difference } from './classify.js';

/** Is our code the same as native llc's? */
export interface EqualQuestion {
  readonly kind: 'equal';
  readonly file: string;
  readonly cpu: string;
}

/** Do our analyses agree with LLVM's, for every function of a file? */
export interface AnalysesQuestion {
  readonly kind: 'analyses';
  readonly file: string;
  readonly cpu: string;
  readonly triple: string | null;
}

/** Does melding work without a crash or a bailout? */
export interface MeldQuestion {
  readonly kind: 'meld';
  readonly file: string;
  readonly cpu: string;
  readonly triple: string | null;
  readonly profit: ProfitModel;
  readonly threshold: number;
  /**
   * SHA-256 of the object without melding, which must be the result when nothing melds; null if it is not known yet.
   */
  readonly unmelded: string | null;
}

export type Question = EqualQuestion | AnalysesQuestion | MeldQuestion;

export interface Identical {
  readonly kind: 'identical' | 'different';
  /** SHA-256 of our object. */
  readonly sha256: string;
  readonly difference: Difference | null;
}

export interface Compared {
  readonly kind: 'compared';
  readonly functions: readonly {
    readonly name: string;
    readonly blocks: number;
    readonly values: number;
    readonly divergentValues: number;
    readonly cycles: number;
    readonly differences: readonly string[];
  }[];
}

export interface Melded {
  readonly kind: 'melded';
  readonly melds: number;
  readonly functions: number;
  /** Descriptions of failures, one line each. */
  readonly complaints: readonly string[];
}

/**
 * `not-accepted` by native llc, or by us without melding. `refused`: a proper error of ours. `trap`: a crash or a hang.
 */
export interface Failed {
  readonly kind: 'not-accepted' | 'refused' | 'trap';
  readonly message: string;
}

export type Answer = Identical | Compared | Melded | Failed;
