/**
 * `npm run test:llvm`: the compiler against LLVM's own test files and native llc-23.
 *
 * 1. Analyses: the dominators, post-dominators, cycles and divergence of every function equal LLVM's.
 * 2. Code generation: with melding off, the object file equals native llc's byte for byte. Differences are classified.
 * 3. Melding, on files that llc accepts: no crash, no hang, no function that is given up. Without the other parts
 *    (`--only meld`) it takes every file that compiles without melding, for one processor each, and melds all that can
 *    be melded (threshold 0).
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus as processors } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  CPUS,
  codegenAnalysisInputs,
  codegenPairs,
  everyCodegenFile,
  uniformityInputs,
  type AnalysisInput,
} from './corpus.js';
import { Crew } from './crew.js';
import { AnalysesReport, EqualityReport, MeldReport } from './report.js';
import type { AnalysesQuestion, MeldQuestion } from './messages.js';

/** Number of pairs that llc must have accepted in a run without --all. */
const SAMPLE = 500;

const USAGE = `usage: npm run test:llvm -- [--seconds N] [--all] [--cpus gfx906,gfx1100] [--only equal,analyses,meld]

  --seconds N   time for all of it (default 900; --all: none)
  --all         every file for every processor (hours), not the default sample of ${SAMPLE} pairs that llc accepts
  --cpus LIST   default ${CPUS.join(',')}
  --only LIST   some of the three parts
  --limit N     seconds for each file (default 180)
  --match TEXT  only files whose name contains TEXT`;

/** The fraction of the time after which a part ends when others follow. */
const [ANALYSES_UNTIL, EQUALITY_UNTIL] = [0.2, 0.75];

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const tests = path.join(repository, 'build', 'llvm-tests');
const differences = path.join(repository, 'build', 'llvm-test-differences');

function options() {
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: 'string' },
        all: { type: 'boolean', default: false },
        cpus: { type: 'string', default: CPUS.join(',') },
        only: { type: 'string', default: 'equal,analyses,meld' },
        limit: { type: 'string', default: '180' },
        match: { type: 'string', default: '' },
        help: { type: 'boolean', default: false },
      },
    });
    const seconds = values.seconds === undefined ? (values.all ? Infinity : 900) : Number(values.seconds);
    const limit = Number(values.limit);
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (seconds > 0 && limit > 0)
      return { ...values, seconds, limit, cpus: values.cpus.split(','), only: new Set(values.only.split(',')) };
  } catch (error) {
    console.error((error as Error).message);
  }
  console.error(USAGE);
  process.exit(2);
}

async function main(): Promise<void> {
  const { seconds, limit, all, cpus, only, match } = options();
  const fetched = spawnSync(path.join(repository, 'test', 'llvm', 'fetch.sh'), { stdio: 'inherit' });
  if (fetched.status !== 0) throw new Error('test/llvm/fetch.sh failed');
  rmSync(differences, { recursive: true, force: true });

  const started = performance.now();
  const until = (fraction: number) => started + seconds * 1000 * fraction;
  using crew = new Crew(processors().length, [tests, differences], limit);
  const wanted = <T extends { file: string }>(items: readonly T[]) =>
    items.filter(({ file }) => path.basename(file).includes(match));
  const reports: { passed: number; failed: number; print(): void }[] = [];

  if (only.has('analyses')) {
    const compare = async (title: string, inputs: readonly AnalysisInput[], deadline: number) => {
      const report = new AnalysesReport(title, inputs.length);
      const questions = wanted(inputs).map((input): AnalysesQuestion => ({ kind: 'analyses', ...input }));
      await crew.run(questions, deadline, Infinity, report.take);
      report.print();
      reports.push(report);
    };
    await compare("the uniformity analysis' own tests", uniformityInputs(tests), Infinity);
    await compare(
      'the code generation tests',
      codegenAnalysisInputs(tests, cpus),
      until(only.size > 1 ? ANALYSES_UNTIL : 1),
    );
  }

  const equality = new EqualityReport(cpus, path.relative(process.cwd(), differences));
  const onlyMelds = only.has('meld') && only.size === 1;
  if (!onlyMelds && (only.has('equal') || only.has('meld'))) {
    const questions = wanted(codegenPairs(tests, cpus)).map((pair) => ({ kind: 'equal', ...pair }) as const);
    await crew.run(questions, until(only.has('meld') ? EQUALITY_UNTIL : 1), all ? Infinity : SAMPLE, equality.take);
    equality.print();
    reports.push(equality);
  }

  if (only.has('meld')) {
    const report = new MeldReport();
    const questions: MeldQuestion[] = onlyMelds
      ? wanted(everyCodegenFile(tests, cpus)).map((input) => {
          return { kind: 'meld', ...input, profit: 'paper', threshold: 0, unmelded: null };
        })
      : equality.identicalOrNot().flatMap(({ file, cpu, sha256 }): MeldQuestion[] => [
          { kind: 'meld', file, cpu, triple: null, profit: 'net', threshold: 0.2, unmelded: sha256 },
          { kind: 'meld', file, cpu, triple: null, profit: 'paper', threshold: 0.05, unmelded: sha256 },
        ]);
    await crew.run(questions, until(1), Infinity, report.take);
    report.print();
    reports.push(report);
  }

  const sum = (key: 'passed' | 'failed') => reports.reduce((total, report) => total + report[key], 0);
  console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
}

await main();
