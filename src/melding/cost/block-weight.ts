/** A guess at how often a block runs: by the loops that it is in. */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';

const PER_LOOP = 8;
const DEEPEST_LOOP = 4;

export const blockWeight = (analyses: Analyses, b: BlockId): number =>
  PER_LOOP ** Math.min(DEEPEST_LOOP, analyses.cycles.depthOf(b));
