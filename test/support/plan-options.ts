import type { PlanOptions } from '../../src/melding/plan.js';

/** The command's defaults, for tests of the planner. */
export const DARM: PlanOptions = {
  mode: 'darm',
  profit: 'net',
  threshold: 0.2,
  regionReplication: true,
  unpredicate: 'profitable',
  versions: 'auto',
  optimizesLater: false,
};
