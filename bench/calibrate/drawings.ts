/** What depends on the drawing of the sampled waves: a row for each drawing and half. */
import type { Half } from '../../kernels/corpus/index.js';
import type { Measurement } from '../corpus/measure.js';
import { outcome } from '../corpus/statistics.js';
import { LEAST_SPEEDUP } from '../paper/statistics.js';
import { geometricMean, printTable } from '../support.js';

const HEADER = ['drawing', 'half', 'mean of all kernels', 'below 0.99', 'least', 'other figures'];

/** Figures that differ by more than this, as a share, are others. */
const SAME = 0.01;

/** @param measured by drawing, with the kernels in the same order */
export function printDrawings(drawings: readonly number[], measured: readonly (readonly Measurement[])[]): void {
  const halves: readonly Half[] = ['fit', 'unseen'];
  printTable(
    HEADER,
    drawings.flatMap((drawing, k) =>
      halves.map((half) => [drawing, half, ...figuresOf(half, measured[k]!, measured[0]!)]),
    ),
  );
}

/** @param first of the first drawing, to compare with */
function figuresOf(half: Half, measurements: readonly Measurement[], first: readonly Measurement[]) {
  const speedups = speedupsOf(half, measurements);
  const before = speedupsOf(half, first);
  return [
    geometricMean(speedups).toFixed(3),
    speedups.filter((each) => each < LEAST_SPEEDUP).length,
    Math.min(...speedups).toFixed(3),
    speedups.filter((each, k) => Math.abs(each / before[k]! - 1) > SAME).length,
  ];
}

const speedupsOf = (half: Half, measurements: readonly Measurement[]): number[] =>
  measurements.filter((each) => each.half === half).map(({ settings }) => outcome(settings[0]!).speedup);
