/**
 * What is unknown about data, drawn by chance (wave-samples.ts): whether a compare of them holds, in which lanes, and
 * what range they have.
 *
 * Every random number is a hash of what it is for, so the estimate is deterministic.
 */
import type { ValueId } from '../../ir/ids.js';
import type { LaneMemory } from './lane-memory.js';
import { drawnBelow, hashedBelow } from './lane-sets.js';
import { LAUNCHES, WAVES, WAVES_PER_LAUNCH, seedOf, uniform, uniformOf, type Lanes } from './lanes.js';
import type { Roots } from './roots.js';
import { Outcomes, Scale, type Sampled } from './sampled.js';
import type { Threshold } from './thresholds.js';

/** From two uniform numbers of a launch: the rate of an event, and the share of waves whose lanes are all alike. */
export type Rates = (x: number, y: number) => readonly [rate: number, alike: number];

export const COIN: Rates = (x) => [x < 0.5 ? 0 : 1, 1];
/** In a quarter of the launches data are sorted or coherent. */
export const ORDER: Rates = (x, y) => [0.1 + 0.8 * y, x < 0.25 ? 0.95 : 0];
/**
 * Gathered data (gathered.ts) are sorted or coherent in fewer launches, but some programs sort by what they look up.
 */
export const GATHERED_ORDER: Rates = (x, y) => [0.1 + 0.8 * y, x < 3 / 16 ? 0.95 : 0];
/** Of numbers that differ little between neighbours: few waves lie on the border. */
export const BORDER: Rates = (_, y) => [0.1 + 0.8 * y, 15 / 16];
/** Neighbours often choose alike: the largest of three colours, the cheapest of three ways. */
export const CHOICE: Rates = (x, y) => [0.1 + 0.8 * y, x < 0.5 ? 0.95 : 0];
export const EQUALITY: Rates = (x, y) => [x < 0.5 ? 0 : x < 0.75 ? 1 / 64 : 0.05 + 0.3 * y, 0];
/** What is not a number, and what only its exponent makes special. */
export const RARE: Rates = (x) => [x < 0.9 ? 0 : 1 / 256, 0];
/**
 * Of leaving early (early-exits.ts): in a quarter of the launches it is rare, in a quarter as likely as not, and
 * usually few do. In a quarter those that do lie together. Set by hand.
 */
export const EXIT: Rates = (x, y) => [
  x < 0.25 ? 1 / 64 : x < 0.75 ? 0.05 + 0.3 * y : 0.1 + 0.8 * y,
  x >= 0.625 && x < 0.875 ? 0.95 : 0,
];
export const UNPREDICTABLE: Rates = () => [0.5, 0];

/**
 * An event per lane. `rates` says how likely it is in a launch, and how alike the lanes of a wave are. Lanes with the
 * same numbers in all of `roots` have the same luck.
 */
export const event = (memory: LaneMemory, v: ValueId, rates: Rates, waveSize: number, roots: Roots | null): Outcomes =>
  below(memory, v, rates, (launch) => rates(...strata(v, launch))[0], waveSize, roots);

/**
 * Whether a compare holds, by where its number lies among the thresholds that are asked for. Those of a launch are
 * drawn like rates of events, each from its own part of the range. Lanes with the same numbers in all of `roots` have
 * the same number.
 *
 * @param order rates of the thresholds, and how alike the lanes of a wave are
 */
export function placed(
  memory: LaneMemory,
  { number, first, index, count, holdsBelow }: Threshold,
  order: Rates,
  waveSize: number,
  roots: Roots,
): Outcomes {
  const limitOf = (launch: number): number => {
    const [x, y] = strata(first, launch);
    return order(x, (index + y) / count)[0];
  };
  const found = below(memory, number, order, limitOf, waveSize, roots);
  return holdsBelow ? found : found.negated();
}

/** The lanes in which a number from 0 up to 1, which is drawn for `v`, is below the limit of the launch. */
function below(
  memory: LaneMemory,
  v: ValueId,
  order: Rates,
  limitOf: (launch: number) => number,
  waveSize: number,
  roots: Roots | null,
): Outcomes {
  const keys = roots && roots.keys(v);
  const seed = seedOf(v, 7);
  const wordsOfWave = waveSize / 32;
  const set = new Int32Array(WAVES * wordsOfWave);
  for (let launch = 0; launch < LAUNCHES; launch++) {
    const limit = limitOf(launch);
    if (limit <= 0) continue;
    const [, alike] = order(...strata(v, launch));
    for (let wave = launch * WAVES_PER_LAUNCH; wave < (launch + 1) * WAVES_PER_LAUNCH; wave++) {
      const [first, end] = [wave * wordsOfWave, (wave + 1) * wordsOfWave];
      if (isOfAlike(v, wave, alike)) set.fill(ofWave(v, wave) < limit ? -1 : 0, first, end);
      else
        for (let w = first; w < end; w++)
          set[w] =
            keys === null
              ? drawnBelow(seed, w * 32, limit * 2 ** 32)
              : hashedBelow(keys.sums, keys.start, keys.shift, w * 32, limit * 2 ** 32);
    }
  }
  return new Outcomes(set, Math.min(keys?.shift ?? 0, Math.log2(waveSize)), Scale.Bounded, memory);
}

/**
 * Data of which a function asks whether they are one of several numbers: a kind, an opcode, a letter. In half of the
 * launches they mostly are one of these numbers, in a quarter sometimes, and in a quarter hardly ever. Neighbours are
 * often of one kind. Lanes with the same numbers in all of `roots` are of one kind.
 *
 * @param constants the numbers that are asked for, in any order; none of them is `OTHER`
 * @param order says how alike the lanes of a wave are; its rate does not matter
 */
export function kinds(
  memory: LaneMemory,
  v: ValueId,
  constants: readonly number[],
  waveSize: number,
  roots: Roots,
  order: Rates,
): Sampled {
  const keys = roots.keys(v);
  const perWave = waveSize >> keys.shift;
  const numbers = memory.take((WAVES * waveSize) >> keys.shift);
  // What is the same for a wave or more is drawn once.
  const ofAlike = Array.from({ length: WAVES }, (_, wave) =>
    perWave > 1 && areAlike(v, wave, order) ? ofWave(v, wave) : null,
  );
  const most = constants.length;
  const drawn = Array.from({ length: LAUNCHES }, (_, launch) => strata(v, launch));
  for (let k = 0; k < numbers.length; k++) {
    const wave = Math.floor((k << keys.shift) / waveSize);
    const [, x] = drawn[launchOf(wave)]!;
    const named = x < 0.25 ? 1 / 64 : x < 0.5 ? 0.5 : 0.95;
    const u = ofAlike[wave] ?? uniformOf(keys.start + keys.sums[k]!);
    numbers[k] = u < named ? constants[Math.floor((u / named) * most)]! : OTHER;
  }
  return { numbers, shift: keys.shift, scale: Scale.Bounded };
}

/** None of the numbers that are asked for. */
export const OTHER = -1;

const launchOf = (wave: number): number => Math.floor(wave / WAVES_PER_LAUNCH);

/**
 * Data that have got a range. Kinds and classes are often the same for all threads of a wave.
 *
 * @param order says how alike the lanes of a wave are; its rate does not matter
 */
export function bounded(v: ValueId, { numbers, shift }: Lanes, waveSize: number, order: Rates): Sampled {
  const perWave = waveSize >> shift;
  for (let wave = 0; perWave > 1 && wave < WAVES; wave++)
    if (areAlike(v, wave, order)) numbers.fill(numbers[wave * perWave]!, wave * perWave, (wave + 1) * perWave);
  return { numbers, shift, scale: Scale.Bounded };
}

function areAlike(v: ValueId, wave: number, order: Rates): boolean {
  const [, alike] = order(...strata(v, launchOf(wave)));
  return isOfAlike(v, wave, alike);
}

/** @param alike the share of such waves in the launch */
const isOfAlike = (v: ValueId, wave: number, alike: number): boolean => alike > 0 && uniform(v, wave, 5) < alike;

/**
 * Two numbers from 0 up to 1 for each launch. The launches of one value share out the range of both evenly, and so do
 * those of which one number is alike: else it would be luck whether sorted data are mostly large or mostly small.
 */
function strata(v: ValueId, launch: number): readonly [x: number, y: number] {
  const first = shifted(v, launch * 5, 3);
  const second = shifted(v, first * 4 + (first >> 2), 4);
  return [(first + 0.5) / LAUNCHES, (second + 0.5) / LAUNCHES];
}

const shifted = (v: ValueId, k: number, c: number): number => (k + Math.floor(uniform(v, 0, c) * LAUNCHES)) % LAUNCHES;

/** A number from 0 up to 1 for a wave whose lanes are alike. The waves of a launch share out the range evenly. */
function ofWave(v: ValueId, wave: number): number {
  const turn = wave + Math.floor(uniform(v, launchOf(wave), 8) * WAVES_PER_LAUNCH);
  return ((turn % WAVES_PER_LAUNCH) + uniform(v, wave, 6)) / WAVES_PER_LAUNCH;
}
