/** Draws the paper's figures again, with our results beside the paper's. */
import { bars, lines, type Series } from './charts.js';
import { PAPER_ALU, PAPER_COMPILE_TIME, PAPER_MEMORY, PAPER_SWEEP, PAPER_THRESHOLDS } from './paper-figures.js';
import { outcome } from './statistics.js';
import { counterRuns, groupsOf, MEMORY, normalized, PAPER_SPEEDUPS, type Results } from './tables.js';
import { GROUP_TITLES, type Group } from './catalogue.js';

export interface Figure {
  readonly title: string;
  readonly svg: readonly string[];
  readonly caption: string;
}

const PAPER = { O3: 'var(--paper-o3)', fusion: 'var(--paper-bf)', darm: 'var(--paper-darm)' };
const OURS = { O3: 'var(--o3)', fusion: 'var(--bf)', darm: 'var(--darm)' };
/** The colour of a line of the sweep; there is one line per benchmark. */
const hue = (index: number): string => `var(--line-${index % 7})`;

/** Leaves out series without any values: the paper does not have all of them. */
const known = (series: readonly Series[]): Series[] =>
  series.filter(({ values }) => values.some((value) => value !== null));

function speedupFigure(results: Results, group: Group): Figure {
  const all = results.measurements.filter((each) => each.group === group);
  const paper = all.map(({ name, size }) => PAPER_SPEEDUPS[name]?.[size]);
  const ours = (mode: 'darm' | 'branch-fusion') =>
    all.map((each) => outcome(each, mode, 'better', results.points).speedup);
  return {
    title: `Speed-up: ${GROUP_TITLES[group]}`,
    svg: [
      bars({
        categories: all.map(({ name, size }) => `${name} ${size}`),
        unit: 'speed-up',
        reference: 1,
        series: known([
          { name: 'branch fusion, paper', color: PAPER.fusion, values: paper.map((each) => each?.fusion[0] ?? null) },
          { name: 'branch fusion, ours', color: OURS.fusion, values: ours('branch-fusion') },
          { name: 'DARM, paper', color: PAPER.darm, values: paper.map((each) => each?.darm[0] ?? null) },
          { name: 'DARM, ours', color: OURS.darm, values: ours('darm') },
        ]),
      }),
    ],
    caption: 'By kernel and block size, over the better baseline. Ours: estimated cycles, at the better meld point.',
  };
}

function aluFigure(results: Results): Figure {
  const runs = counterRuns(results);
  const fields = [
    ['O3', '-O3'],
    ['fusion', 'branch fusion'],
    ['darm', 'DARM'],
  ] as const;
  const series = fields.flatMap(([field, name]): Series[] => [
    {
      name: `${name}, paper`,
      color: PAPER[field],
      values: runs.map(({ measurement }) => PAPER_ALU[measurement.name]?.[field] ?? null),
    },
    { name: `${name}, ours`, color: OURS[field], values: runs.map((run) => run[field].counters.valuUtilization) },
  ]);
  return {
    title: 'ALU utilisation',
    svg: [bars({ categories: categoriesOf(runs), unit: '%', series: known(series) })],
    caption: 'Active lanes per vector instruction.',
  };
}

const categoriesOf = (runs: ReturnType<typeof counterRuns>): string[] =>
  runs.map(({ measurement: { name, size } }) => `${name} ${size}`);

function memoryFigure(results: Results): Figure {
  const runs = counterRuns(results);
  const svg = MEMORY.map(([kind, title, count]) => {
    const paper = (mode: 'darm' | 'fusion') =>
      runs.map(({ measurement }) => PAPER_MEMORY[measurement.name]?.[kind][mode] ?? null);
    const ours = (mode: 'darm' | 'fusion') =>
      runs.map((run) => normalized(count(run[mode].counters), count(run.O3.counters)));
    return bars({
      categories: categoriesOf(runs),
      unit: `${title} instructions over -O3's`,
      reference: 1,
      height: 260,
      series: known([
        { name: 'branch fusion, paper', color: PAPER.fusion, values: paper('fusion') },
        { name: 'branch fusion, ours', color: OURS.fusion, values: ours('fusion') },
        { name: 'DARM, paper', color: PAPER.darm, values: paper('darm') },
        { name: 'DARM, ours', color: OURS.darm, values: ours('darm') },
      ]),
    });
  });
  return {
    title: 'Memory instructions',
    svg,
    caption: 'Executed instructions over those of -O3; 1 where neither has any.',
  };
}

function sweepFigure({ sweeps }: Results): Figure {
  const all = sweeps.flatMap(({ name, speedups }) => [...(PAPER_SWEEP[name] ?? []), ...speedups]);
  // One scale for both panels, in whole tenths.
  const range = [Math.floor(Math.min(...all) * 10) / 10, Math.ceil(Math.max(...all) * 10) / 10] as const;
  const panel = (title: string, values: (index: number) => readonly number[] | undefined) =>
    lines({
      categories: PAPER_THRESHOLDS.map(String),
      unit: `${title}: speed-up`,
      reference: 1,
      range,
      width: 570,
      series: sweeps.flatMap(({ name }, index) => {
        const some = values(index);
        return some === undefined ? [] : [{ name, color: hue(index), values: some }];
      }),
    });
  return {
    title: 'Melding profitability threshold',
    svg: [
      panel('paper', (index) => PAPER_SWEEP[sweeps[index]!.name]),
      panel('ours', (index) => sweeps[index]!.speedups),
    ],
    caption: 'DARM on the real-world benchmarks, at thresholds from 0.1 to 0.5.',
  };
}

function compileTimeFigure({ compileTimes, points }: Results): Figure {
  const oursAt = (at: number) => compileTimes.map(({ O3, darm }) => darm[points[at]!]! / O3);
  return {
    title: 'Compile time',
    svg: [
      bars({
        categories: compileTimes.map(({ name }) => name),
        unit: 'DARM over -O3',
        reference: 1,
        height: 260,
        series: known([
          {
            name: 'paper',
            color: PAPER.darm,
            values: compileTimes.map(({ name }) => {
              const paper = PAPER_COMPILE_TIME[name];
              return paper === undefined ? null : paper.darm / paper.O3;
            }),
          },
          ...points.map((point, at) => ({
            name: `ours, ${point}`,
            color: at === 0 ? OURS.darm : OURS.fusion,
            values: oursAt(at),
          })),
        ]),
      }),
    ],
    caption: "The paper's includes clang's front end; ours begins at its bitcode.",
  };
}

export function figures(results: Results): Figure[] {
  return [
    ...groupsOf(results).map((group) => speedupFigure(results, group)),
    aluFigure(results),
    memoryFigure(results),
    ...(results.sweeps.length > 0 ? [sweepFigure(results)] : []),
    ...(results.compileTimes.length > 0 ? [compileTimeFigure(results)] : []),
  ];
}
