/** What depends on the drawing of the sampled waves: a row for each drawing, half and kind of data. */
import type { DataKind } from '../../kernels/corpus/coherent.js';
import type { Half } from '../../kernels/corpus/index.js';
import type { Measurement } from '../corpus/measure.js';
import { outcome } from '../corpus/statistics.js';
import { LEAST_SPEEDUP } from '../paper/statistics.js';
import { geometricMean, printTable } from '../support.js';

const HEADER = ['drawing', 'half', 'data', 'mean of all kernels', 'below 0.99', 'least', 'other figures'];

/** Figures that differ by more than this, as a share, are others. */
const SAME = 0.01;

/**
 * @param data the kinds of data, in the order of the settings
 * @param measured by drawing, with the kernels in the same order
 */
export function printDrawings(
  drawings: readonly number[],
  data: readonly DataKind[],
  measured: readonly (readonly Measurement[])[],
): void {
  const halves: readonly Half[] = ['fit', 'unseen'];
  printTable(
    HEADER,
    drawings.flatMap((drawing, k) =>
      halves.flatMap((half) =>
        data.map((kind, setting) => [drawing, half, kind, ...figuresOf(half, setting, measured[k]!, measured[0]!)]),
      ),
    ),
  );
}

/** @param first of the first drawing, to compare with */
function figuresOf(half: Half, setting: number, measurements: readonly Measurement[], first: readonly Measurement[]) {
  const speedups = speedupsOf(half, setting, measurements);
  const before = speedupsOf(half, setting, first);
  return [
    geometricMean(speedups).toFixed(3),
    speedups.filter((each) => each < LEAST_SPEEDUP).length,
    Math.min(...speedups).toFixed(3),
    speedups.filter((each, k) => Math.abs(each / before[k]! - 1) > SAME).length,
  ];
}

const speedupsOf = (half: Half, setting: number, measurements: readonly Measurement[]): number[] =>
  measurements.filter((each) => each.half === half).map(({ settings }) => outcome(settings[setting]!).speedup);
