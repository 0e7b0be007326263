/** Numbers of the rounds of melding. */
import type { HistoryStep } from '../../job/history.js';

/** By step, from 1; null for a step that lowers switches. */
export function roundsOf(steps: readonly HistoryStep[]): (number | null)[] {
  let round = 0;
  return steps.map(({ lowered }) => (lowered.length > 0 ? null : ++round));
}
