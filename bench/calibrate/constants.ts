/**
 * The constants of the cost model that may be fitted, by name and with bounds. They are found in the model's own
 * tables, so that a new constant takes part without a word here: `CostModel.NAME` holds for all targets, `TARGET.NAME`
 * for those that share a table of costs.
 *
 * Bounds follow from what a number is. A share (up to 1) stays between 0 and 1; a cost stays between a quarter and four
 * times what it is. What the cycle model has from measurements is not fitted.
 */
import { CostModel } from '../../src/melding/cost/cost-model.js';
import { costsOf } from '../../src/melding/cost/target-costs.js';

export interface Constant {
  readonly name: string;
  /** The processors whose code it decides about. */
  readonly targets: readonly string[];
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** By name. */
export type Values = Readonly<Record<string, number>>;

/** Rates and latencies (docs/cycle-model.md), what only orders equals, and chance. */
const FIXED = [
  'drawing',
  'valu',
  'salu',
  'multiply',
  'lds',
  'global',
  'scalarMemory',
  'scratch',
  'divisionSteps',
  'resultAfter',
  'unskipped',
  'skipping',
  'pairBonus',
  'leastNet',
];

type Table = Record<string, unknown>;

/** The tables that this thread's model reads, each with its name. Targets with the same costs share one. */
function tables(targets: readonly string[]): { name: string; targets: readonly string[]; table: Table }[] {
  const byTable = new Map<Table, string[]>();
  for (const target of targets) {
    const table = costsOf(target) as unknown as Table;
    byTable.set(table, [...(byTable.get(table) ?? []), target]);
  }
  return [
    { name: 'CostModel', targets, table: CostModel as unknown as Table },
    ...[...byTable].map(([table, sharing]) => ({ name: sharing.join('+'), targets: sharing, table })),
  ];
}

export const constants = (targets: readonly string[]): Constant[] =>
  tables(targets).flatMap(({ name, targets: used, table }) =>
    Object.entries(table).flatMap(([field, value]) => {
      if (typeof value !== 'number' || value === 0 || FIXED.includes(field)) return [];
      const [low, high] = value <= 1 ? [0, 1] : [value / 4, value * 4];
      return [{ name: `${name}.${field}`, targets: used, value, low, high }];
    }),
  );

/** Sets constants of this thread's model. Names that are of other targets are passed over. */
export function setConstants(targets: readonly string[], allTargets: readonly string[], values: Values): void {
  for (const { name, targets: used, table } of tables(allTargets))
    if (used.some((target) => targets.includes(target)))
      for (const field of Object.keys(table)) table[field] = values[`${name}.${field}`] ?? table[field];
}
