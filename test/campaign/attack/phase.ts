/** A part of the campaign. */
import type { Findings } from './findings.js';

export interface PhaseSetting {
  readonly seed: number;
  /** The first case, and how many, of a phase whose cases are seeded and numbered. */
  readonly first: number;
  readonly cases: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
}

export interface Phase {
  readonly name: string;
  /** Its part of the campaign's time. What a phase does not need is left to those after it. */
  readonly share: number;
  run(setting: PhaseSetting, findings: Findings): Promise<void>;
}
