/** The tables of the corpus, on the terminal and in docs/evaluation.md. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Setting } from '../../kernels/corpus/index.js';
import { printTable } from '../support.js';
import { LEAST_SPEEDUP } from '../paper/statistics.js';
import type { Measurement } from './measure.js';
import { flips, outcome, summarize } from './statistics.js';

const SUMMARY = [
  '',
  'kernels',
  'melded',
  'speed-up of these',
  'instructions',
  'faster',
  'slower',
  'worst',
  'grown',
  'flips',
];

const ratio = (value: number): string => value.toFixed(2);

const targetsOf = (measurements: readonly Measurement[]): string[] => [
  ...new Set(measurements.map(({ target }) => target)),
];

/** A row for each target and half, and one for each target. */
function summaryRows(measurements: readonly Measurement[]): (string | number)[][] {
  return targetsOf(measurements).flatMap((target) =>
    [null, 'fit', 'unseen'].flatMap((half) => {
      const some = measurements.filter((each) => each.target === target && (half === null || each.half === half));
      if (some.length === 0) return [];
      const summary = summarize(some);
      const { worst } = summary;
      return [
        [
          half === null ? target : `${target}, ${half} half`,
          summary.kernels,
          summary.melded,
          ratio(summary.speedup),
          ratio(summary.instructions),
          summary.faster,
          summary.slower,
          worst === null ? '' : `${ratio(worst.speedup)} (${worst.kernel})`,
          summary.grown,
          some.some(({ settings }) => settings.length > 1) ? summary.flips : '',
        ],
      ];
    }),
  );
}

export function printMeasurements(measurements: readonly Measurement[], all: boolean): void {
  for (const target of targetsOf(measurements)) {
    const some = measurements.filter((each) => each.target === target && (all || each.melds.length > 0));
    console.log(`\n${target}\n`);
    printTable(
      ['kernel', 'family', 'half', 'melds', 'cycles', 'speed-up', 'instructions', 'verdict', 'covered', 'flips'],
      some.map((each) => {
        const { speedup, instructions, verdict } = outcome(each.settings[0]!);
        return [
          each.kernel,
          each.family,
          each.half,
          each.melds.length,
          Math.round(each.settings[0]!.O3.cycles),
          ratio(speedup),
          ratio(instructions),
          each.melds.length === 0 ? '' : verdict,
          `${Math.round(100 * each.covered)} %`,
          flips(each) ? 'yes' : '',
        ];
      }),
    );
  }
  console.log();
  printSummaries(measurements);
}

/** Kernels without melds whose code is not that of -O3, because another kernel of their module melds early. */
export function printUnmelded(measurements: readonly Measurement[]): void {
  const rows = measurements
    .filter(({ melds }) => melds.length === 0)
    .map((each) => ({ ...each, speedup: each.settings[0]!.O3.cycles / each.settings[0]!.melded.cycles }))
    .filter(({ speedup }) => speedup < LEAST_SPEEDUP || speedup > 1 / LEAST_SPEEDUP)
    .toSorted((a, b) => a.speedup - b.speedup)
    .map(({ kernel, target, speedup }) => [kernel, target, ratio(speedup)]);
  if (rows.length === 0) return;
  console.log('\nKernels without melds that are not as fast as with -O3\n');
  printTable(['kernel', 'target', 'speed-up'], rows);
}

export const printSummaries = (measurements: readonly Measurement[]): void =>
  printTable(SUMMARY, summaryRows(measurements));

const BEGIN = '<!-- npm run bench:corpus -- --doc -->';
const END = '<!-- end -->';

/** What `--json` writes and `--from` reads. */
export interface CorpusDocument {
  readonly schema: 1;
  /** Whether cycles are of launches that fill a compute unit. */
  readonly fullUnit: boolean;
  readonly settings: readonly Setting[];
  readonly measurements: readonly Measurement[];
  readonly failures: readonly string[];
}

/** @throws Error for figures that docs/evaluation.md is not about */
export function checkPlain({ fullUnit }: Pick<CorpusDocument, 'fullUnit'>): void {
  if (fullUnit) throw new Error('--doc writes the figures of plain launches; these are those of --full-unit');
}

/** Replaces what stands between the marks in docs/evaluation.md. */
export async function writeDocument(document: CorpusDocument, file: string): Promise<void> {
  checkPlain(document);
  const { measurements } = document;
  const text = await readFile(file, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for the table`);
  const table = `${markdown(SUMMARY, summaryRows(measurements))}\n${kernelTable(measurements)}`;
  await writeFile(file, `${text.slice(0, begin)}${BEGIN}\n\n${table}\n${text.slice(end)}`);
}

/** The speed-up of every kernel on every target; empty where nothing melds. */
function kernelTable(measurements: readonly Measurement[]): string {
  const targets = targetsOf(measurements);
  const names = [...new Set(measurements.map(({ kernel }) => kernel))];
  const rows = names.flatMap((name) => {
    const all = targets.map((target) => measurements.find((each) => each.kernel === name && each.target === target));
    const found = all.find((each) => each !== undefined && each.melds.length > 0);
    if (found === undefined) return [];
    const cells = all.map((each) =>
      each === undefined || each.melds.length === 0 ? '' : ratio(outcome(each.settings[0]!).speedup),
    );
    return [[`\`${name}\``, found.half, ...cells]];
  });
  return markdown(['kernel', 'half', ...targets], rows);
}

function markdown(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
