/** Coordinate search over the constants of the cost model. */
import type { Measurement, SettingMeasurement } from '../corpus/measure.js';
import { outcome } from '../corpus/statistics.js';
import { sum } from '../support.js';
import type { Constant, Values } from './constants.js';

const LOSS_WEIGHT = 4;
const LARGEST_GAIN = 1.5;

/** 0 where nothing melds; the more, the better. The mean of all settings. */
export const scoreOf = (measurements: readonly Measurement[]): number =>
  sum(measurements.map(({ settings }) => sum(settings.map(scoreIn)) / settings.length));

function scoreIn(setting: SettingMeasurement): number {
  const gain = Math.log(Math.min(LARGEST_GAIN, outcome(setting).speedup));
  return gain < 0 ? LOSS_WEIGHT * gain : gain;
}

export interface Search {
  readonly constants: readonly Constant[];
  /** Of one target, with these constants. */
  readonly score: (target: string, values: Values) => Promise<number>;
  readonly isTimeUp: () => boolean;
  readonly onBetter?: (name: string, from: number, to: number, score: number) => void;
}

/** Sizes of the changes, from coarse to fine: the factor of a cost, and the step of a share. */
const CHANGES = [
  { factor: 2, step: 0.25 },
  { factor: 1.4, step: 0.1 },
  { factor: 1.15, step: 0.04 },
] as const;

/** What a change must win: less is chance. */
const LEAST_GAIN = 0.003;

export async function coordinateSearch({ constants, score, isTimeUp, onBetter }: Search) {
  let values: Values = Object.fromEntries(constants.map(({ name, value }) => [name, value]));
  const targets = [...new Set(constants.flatMap((each) => each.targets))];
  let asked = 1;
  const scores = new Map<string, number>();
  await Promise.all(targets.map(async (target) => scores.set(target, await score(target, values))));
  const total = () => sum([...scores.values()]);

  /** Whether another value is better. It is asked only for the targets that it is for. */
  const improves = async ({ name, targets }: Constant, value: number): Promise<boolean> => {
    const candidate = { ...values, [name]: value };
    asked++;
    const found = await Promise.all(targets.map((target) => score(target, candidate)));
    const gain = sum(targets.map((target, index) => found[index]! - scores.get(target)!));
    if (gain < LEAST_GAIN) return false;
    targets.forEach((target, index) => scores.set(target, found[index]!));
    onBetter?.(name, values[name]!, value, total());
    values = candidate;
    return true;
  };

  for (const change of CHANGES) {
    for (let changed = true; changed && !isTimeUp();) {
      changed = false;
      for (const constant of constants)
        for (const direction of [1, -1]) {
          let better = true;
          while (better && !isTimeUp()) {
            const next = moved(constant, values[constant.name]!, direction, change);
            better = next !== values[constant.name] && (await improves(constant, next));
            changed ||= better;
          }
        }
    }
  }
  return { values, score: total(), asked };
}

function moved(
  { low, high, value }: Constant,
  now: number,
  direction: number,
  change: (typeof CHANGES)[number],
): number {
  const next = value <= 1 ? now + direction * change.step : now * change.factor ** direction;
  return Math.min(high, Math.max(low, next));
}
