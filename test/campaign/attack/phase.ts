/** A part of the campaign. */
import type { Findings } from './findings.js';

export interface PhaseSetting {
  readonly seed: number;
  /** The first case, and how many, of a phase whose cases are seeded and numbered. */
  readonly first: number;
  readonly cases: number;
  /** What the names of attacks must contain, in a phase with a list of attacks. */
  readonly only: string;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
}

export interface Phase {
  readonly name: string;
  /** Its part of its lane's time. What a phase does not need is left to those after it. */
  readonly share: number;
  run(setting: PhaseSetting, findings: Findings): Promise<void>;
}
