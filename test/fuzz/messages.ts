/** What run.ts and its workers tell each other: plain data. */
import type { Verdict } from './triage.js';

export interface Setup {
  readonly module: WebAssembly.Module;
  /** Seed of the campaign. */
  readonly campaign: number;
  /** Seconds for shrinking one failure. */
  readonly shrink: number;
}

export interface BatchRequest {
  readonly batch: number;
  /** One kernel of it, or null: all. */
  readonly only: number | null;
}

export interface Failure {
  readonly kernel: number;
  readonly kind: string;
  readonly class: string;
  readonly how: string;
  readonly variant: string;
  readonly whose: Verdict['whose'];
  readonly notes: readonly string[];
  /** The file or folder; null: one of many of its class. */
  readonly saved: string | null;
}

export interface Report {
  readonly batch: number;
  readonly kernels: number;
  /** Kernels that some variant melded. */
  readonly melded: number;
  /** Kernels that LLVM refuses or whose unmelded build faults, and why. */
  readonly unusable: readonly string[];
  /** What the batch's variants are called, and how many kernels each melded. */
  readonly variants: readonly { readonly name: string; readonly melded: number }[];
  readonly failures: readonly Failure[];
}
