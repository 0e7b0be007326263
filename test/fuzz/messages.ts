/** The messages between run.ts and its workers, which are plain data. */
import type { LlvmCode } from '../../src/binding/load.js';
import type { Verdict } from './triage.js';

export interface Setup {
  readonly llvm: LlvmCode;
  /** Seed of the campaign. */
  readonly campaign: number;
  /** Seconds for shrinking one failure. */
  readonly shrink: number;
}

export interface BatchRequest {
  readonly batch: number;
}

export interface Failure {
  readonly kernel: number;
  readonly kind: string;
  readonly class: string;
  readonly how: string;
  readonly variant: string;
  readonly whose: Verdict['whose'];
  readonly notes: readonly string[];
  /** The file or folder; null if enough failures of its class are saved. */
  readonly saved: string | null;
}

export interface Report {
  readonly batch: number;
  readonly kernels: number;
  /** Number of kernels that at least one variant melded. */
  readonly melded: number;
  /** Kernels that LLVM refuses or whose unmelded code faults, with the reason. */
  readonly unusable: readonly string[];
  /** The batch's variants, and how many kernels each melded. */
  readonly variants: readonly { readonly name: string; readonly melded: number }[];
  readonly failures: readonly Failure[];
}
