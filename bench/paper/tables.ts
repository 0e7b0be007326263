/** The tables of the evaluation, with our results beside the paper's. Both the terminal and the report show them. */
import type { MeldPoint } from '../../src/job/options.js';
import type { Counters } from '../../src/simulator/counters.js';
import { geometricMean } from '../support.js';
import { GROUP_TITLES, type Group } from './catalogue.js';
import type { CompileTime, Sweep } from './experiments.js';
import type { Measurement } from './measure.js';
import {
  PAPER_ALU,
  PAPER_COMPILE_TIME,
  PAPER_MEANS,
  PAPER_MEMORY,
  PAPER_REAL,
  PAPER_SWEEP,
  PAPER_SYNTHETIC,
  PAPER_THRESHOLDS,
  type Speedup,
} from './paper-figures.js';
import { MELDING } from './pipelines.js';
import {
  fastestBaselines,
  largestSpeedups,
  LEAST_SPEEDUP,
  means,
  outcome,
  type Choice,
  type Outcome,
} from './statistics.js';

/** All measurements for one target. */
export interface Results {
  readonly target: string;
  /** The default meld point first. */
  readonly points: readonly MeldPoint[];
  readonly measurements: readonly Measurement[];
  readonly sweeps: readonly Sweep[];
  readonly compileTimes: readonly CompileTime[];
}

export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** An explanation of the columns. */
  readonly note: string;
}

const NONE = '–';
export const PAPER_SPEEDUPS = { ...PAPER_SYNTHETIC, ...PAPER_REAL };
const CHOICES: readonly Choice[] = ['default', 'better'];

const ratio = (value: number | undefined): string => (value === undefined ? NONE : value.toFixed(2));
const whole = (value: number): string => value.toFixed(0);
const withError = (value: Speedup | undefined): string =>
  value === undefined ? NONE : `${value[0].toFixed(2)} ±${value[1].toFixed(2)}`;

const ofGroup = (results: Results, group: string): Measurement[] =>
  results.measurements.filter((each) => each.group === group);
export const groupsOf = ({ measurements }: Results): Group[] => [
  ...new Set(measurements.map(({ group }) => group as Group)),
];
const outcomes = (all: readonly Measurement[], mode: (typeof MELDING)[number], choice: Choice, results: Results) =>
  all.map((each) => outcome(each, mode, choice, results.points));

// --- Means
// ----------------------------------------------------------------------------------------------------------------

function meansTable(results: Results): Table {
  const rows: string[][] = [];
  const add = (title: string, some: readonly Outcome[], paper: number | undefined): void => {
    const { count, speedup, cycles, instructions, least, below } = means(some);
    rows.push([title, String(count), ...[paper, speedup, cycles, instructions, least].map(ratio), String(below)]);
  };
  const paperOf = (group: Group) => (group === 'synthetic' || group === 'real' ? PAPER_MEANS[group] : undefined);
  for (const group of groupsOf(results)) {
    const all = ofGroup(results, group);
    for (const mode of MELDING)
      for (const choice of CHOICES) {
        const paper: Partial<Record<'darm' | 'fusion', number>> = paperOf(group) ?? {};
        const name = `${group}, ${mode}, ${pointName(choice, results)}`;
        add(name, outcomes(all, mode, choice, results), paper[mode === 'darm' ? 'darm' : 'fusion']);
      }
    if (group === 'real')
      for (const choice of CHOICES) {
        const best = fastestBaselines(all, choice, results.points);
        const name = `real, GM-Best, darm, ${pointName(choice, results)}`;
        add(name, outcomes(best, 'darm', choice, results), PAPER_MEANS.real.best);
      }
  }
  for (const choice of CHOICES)
    add(`all, darm, ${pointName(choice, results)}`, outcomes(results.measurements, 'darm', choice, results), undefined);
  return {
    title: 'Geometric means',
    header: ['', 'kernels', 'paper', 'speed-up', 'cycles over -O3', 'instr. over -O3', 'least', `< ${LEAST_SPEEDUP}`],
    rows,
    note:
      'speed-up: cycles of the baseline over those of the melded code; baseline: the better of plain -O3 and the same ' +
      'pipeline without melds. over -O3: against plain -O3 of LLVM, in estimated cycles and in executed instructions. ' +
      'better point: the one whose melded code takes the fewest cycles. The paper gives no mean of branch fusion for the ' +
      'real-world benchmarks; its raw numbers have one of ' +
      `${geometricMean(Object.values(PAPER_REAL).flatMap((sizes) => Object.values(sizes).map(({ fusion }) => fusion[0]))).toFixed(2)}. ` +
      'GM-Best: of each benchmark the block size with the fastest baseline, by cycles per element of the output.',
  };
}

const pointName = (choice: Choice, { points }: Results): string =>
  choice === 'default' ? `default point (${points[0]})` : 'better point';

/** The kernels and block sizes that are too slow at the default meld point or at the better one. It should be empty. */
function belowTable(results: Results): Table {
  const rows = results.measurements
    .map((each) => [each, ...CHOICES.map((choice) => outcome(each, 'darm', choice, results.points).speedup)] as const)
    .filter(([, ...speedups]) => Math.min(...speedups) < LEAST_SPEEDUP)
    .sort((a, b) => Math.min(a[1]!, a[2]!) - Math.min(b[1]!, b[2]!))
    .map(([{ name, size }, ...speedups]) => [name, size, ...speedups.map((value) => value.toFixed(3))]);
  return {
    title: `DARM below ${LEAST_SPEEDUP}`,
    header: ['kernel', 'size', ...CHOICES.map((choice) => pointName(choice, results))],
    rows,
    note: 'Speed-ups over the baseline.',
  };
}

// --- Speed-ups
// ------------------------------------------------------------------------------------------------------------

function speedupTable(results: Results, group: Group): Table {
  const { points } = results;
  const rows = ofGroup(results, group).map((each) => {
    const darm = CHOICES.map((choice) => outcome(each, 'darm', choice, points));
    const fusion = CHOICES.map((choice) => outcome(each, 'branch-fusion', choice, points));
    const paper = PAPER_SPEEDUPS[each.name]?.[each.size];
    const better = darm[1]!;
    return [
      each.name,
      each.size,
      whole(each.runs.O3!.cycles),
      ...points.map((point) => whole(each.runs[`plain.${point}`]!.cycles)),
      whole(better.run.cycles),
      withError(paper?.fusion),
      ...fusion.map(({ speedup }) => ratio(speedup)),
      withError(paper?.darm),
      ...darm.map(({ speedup }) => ratio(speedup)),
      better.point,
      ratio(better.overO3.instructions),
      meldsText(better),
    ];
  });
  return {
    title: `Speed-up: ${GROUP_TITLES[group]}`,
    header: [
      'kernel',
      'size',
      '-O3 cycles',
      ...points.map((point) => `${point}, no melds`),
      'darm cycles',
      'BF paper',
      `BF ${points[0]}`,
      'BF better',
      'DARM paper',
      `DARM ${points[0]}`,
      'DARM better',
      'point',
      'instr.',
      'melds',
    ],
    rows,
    note:
      'BF: branch fusion. instr.: executed instructions of -O3 over those of darm. Melds at the better point: bb block-block, ' +
      'rr region-region, br block-region (region replication), hs hoisted side.',
  };
}

const SHORT: Readonly<Record<string, string>> = {
  'block-block': 'bb',
  'region-region': 'rr',
  'block-region': 'br',
  hoisted: 'hs',
};

const meldsText = ({ run }: Outcome): string =>
  Object.entries(run.melds)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, count]) => `${count} ${SHORT[kind] ?? kind}`)
    .join(' ') || 'none';

// --- Counters
// -------------------------------------------------------------------------------------------------------------

/** The runs whose counters the paper shows: one block size per benchmark. */
export function counterRuns(results: Results) {
  const benchmarks = results.measurements.filter(({ group }) => group !== 'shapes');
  return largestSpeedups(benchmarks, results.points).map((measurement) => ({
    measurement,
    O3: measurement.runs.O3!,
    darm: outcome(measurement, 'darm', 'better', results.points).run,
    fusion: outcome(measurement, 'branch-fusion', 'better', results.points).run,
  }));
}

const LARGEST = "Of each benchmark the block size with darm's largest speed-up, at the better meld point.";

function aluTable(results: Results): Table {
  const rows = counterRuns(results).map(({ measurement: { name, size }, O3, darm, fusion }) => {
    const paper = PAPER_ALU[name];
    const percent = (value: number | undefined) => value?.toFixed(0) ?? NONE;
    const used = [O3, fusion, darm].map(({ counters }) => percent(counters.valuUtilization));
    return [name, size, ...[paper?.O3, paper?.fusion, paper?.darm].map(percent), ...used];
  });
  return {
    title: 'ALU utilisation (%)',
    header: ['kernel', 'size', 'paper -O3', 'paper BF', 'paper DARM', '-O3', 'BF', 'DARM'],
    rows,
    note: `Active lanes per vector instruction. ${LARGEST}`,
  };
}

export const MEMORY: readonly (readonly ['lds' | 'vmem' | 'flat', string, (counters: Counters) => number])[] = [
  ['lds', 'LDS', ({ lds }) => lds],
  ['vmem', 'VMEM', ({ vmemRead, vmemWrite }) => vmemRead + vmemWrite],
  ['flat', 'FLAT', ({ flat }) => flat],
];

/** A number of instructions divided by that of -O3; 1 if both are 0. */
export const normalized = (count: number, O3: number): number => (count === O3 ? 1 : count / O3);

function memoryTable(results: Results): Table {
  const rows = counterRuns(results).map(({ measurement: { name, size }, O3, darm, fusion }) => [
    name,
    size,
    ...MEMORY.flatMap(([kind, , count]) => {
      const [before, fused, after] = [O3, fusion, darm].map(({ counters }) => count(counters));
      const paper = PAPER_MEMORY[name]?.[kind];
      return [
        `${before} → ${after}`,
        `${ratio(paper?.fusion)} ${ratio(paper?.darm)}`,
        `${ratio(normalized(fused!, before!))} ${ratio(normalized(after!, before!))}`,
      ];
    }),
  ]);
  return {
    title: 'Memory instructions, normalised to -O3',
    header: ['kernel', 'size', ...MEMORY.flatMap(([, title]) => [`${title} -O3 → DARM`, 'paper BF DARM', 'BF DARM'])],
    rows,
    note: `VMEM: vector memory reads and writes; FLAT: FLAT-encoded, global ones included. ${LARGEST}`,
  };
}

// --- Threshold, compile time, inputs
// --------------------------------------------------------------------------------------

function sweepTable({ sweeps }: Results): Table {
  return {
    title: "Melding profitability threshold: darm's speed-up",
    header: ['kernel', 'size', 'point', ...PAPER_THRESHOLDS.flatMap((value) => [`paper ${value}`, `ours ${value}`])],
    rows: sweeps.map(({ name, size, point, speedups }) => [
      name,
      size,
      point,
      ...speedups.flatMap((value, index) => [ratio(PAPER_SWEEP[name]?.[index]), ratio(value)]),
    ]),
    note: `The default is 0.2. ${LARGEST}`,
  };
}

function compileTimeTable({ compileTimes, points }: Results): Table {
  const rows = compileTimes.map(({ name, O3, darm }) => {
    const paper = PAPER_COMPILE_TIME[name];
    return [
      name,
      paper === undefined ? NONE : `${paper.O3.toFixed(3)} s`,
      paper === undefined ? NONE : (paper.darm / paper.O3).toFixed(3),
      `${(O3 / 1000).toFixed(3)} s`,
      ...points.map((point) => (darm[point]! / O3).toFixed(3)),
    ];
  });
  const mean = points.map((point) => geometricMean(compileTimes.map(({ O3, darm }) => darm[point]! / O3)).toFixed(3));
  rows.push(['geometric mean', '', '', '', ...mean]);
  return {
    title: 'Compile time against -O3',
    header: ['kernel', 'paper -O3', 'paper DARM / -O3', '-O3', ...points.map((point) => `DARM ${point} / -O3`)],
    rows,
    note:
      "The paper's is clang's device compilation of one kernel; ours goes from the front end's bitcode to a linked code " +
      "object, in a warm worker, for a module with all block sizes of a kernel. Without the time of clang's front end the ratio is larger.",
  };
}

const inputTable = ({ measurements }: Results): Table => ({
  title: 'Inputs',
  header: ['kernel and size: launch; arguments'],
  rows: measurements.map(({ name, size, input }) => [`${name} ${size}: ${input}`]),
  note:
    'Scaled down from the paper (2^20 to 2^30 elements on a GPU) to what a simulator executes in seconds. Every pipeline has ' +
    "left the same memory as -O3, and the outputs of the kernel's reference.",
});

export function tables(results: Results): Table[] {
  const below = belowTable(results);
  return [
    meansTable(results),
    ...(below.rows.length > 0 ? [below] : []),
    ...groupsOf(results).map((group) => speedupTable(results, group)),
    aluTable(results),
    memoryTable(results),
    ...(results.sweeps.length > 0 ? [sweepTable(results)] : []),
    ...(results.compileTimes.length > 0 ? [compileTimeTable(results)] : []),
    inputTable(results),
  ];
}
