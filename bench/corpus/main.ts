/**
 * `npm run bench:corpus`: compiles the kernels of kernels/corpus/ with and without melding, executes both on the
 * simulator and prints what melding gains or loses. The exit status is 1 if any code leaves other memory than -O3's.
 *
 * usage: node dist/bench/corpus/main.js [--targets gfx906,gfx1100] [--half fit|unseen|all] [--kernels csr,bfs]
 *   [--seeds 1,2,3] [--sizes 1,0.5,2] [--data usual,runs,records] [--full-unit] [--from-source] [--all]
 *   [--json FILE] [--from FILE] [--doc] [-j 2] [options of melding, as of darm check]
 *
 * Figures are of the first seed, size and kind of data (kernels/corpus/coherent.ts). With several, kernels are counted
 * that melding makes faster with some and slower with others. `--kernels` takes families and parts of names.
 * `--full-unit` estimates cycles as if there were enough workgroups to fill a compute unit all the time. `--all` lists
 * kernels in which nothing melds, too. `--doc` writes the table of docs/evaluation.md, and does not go with
 * `--full-unit`. `--from` measures nothing and takes what `--json` has written.
 */
import { availableParallelism } from 'node:os';
import { readFile, writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import pLimit from 'p-limit';
import { dataKinds, DATA_KINDS } from '../../kernels/corpus/coherent.js';
import { CORPUS, CORPUS_TARGETS } from '../../kernels/corpus/index.js';
import { addJobOptions, jobOptions } from '../../src/cli/option-groups.js';
import { createCompiler } from '../../src/index.js';
import { compileFamily, measureKernel, type Bench, type Measurement } from './measure.js';
import { checkPlain, printMeasurements, printUnmelded, writeDocument, type CorpusDocument } from './report.js';
import { freshLlvm } from '../llvm.js';
import { REPOSITORY } from '../support.js';

interface Flags {
  readonly targets: string;
  readonly half: 'fit' | 'unseen' | 'all';
  readonly kernels?: string;
  readonly seeds: string;
  readonly sizes: string;
  readonly data: string;
  readonly fullUnit: boolean;
  readonly fromSource: boolean;
  readonly all: boolean;
  readonly json?: string;
  readonly from?: string;
  readonly doc: boolean;
  readonly jobs: string;
}

// The options of melding are those that `darm check` takes.
const command = addJobOptions(
  new Command('check')
    .option('--targets <names>', 'processors', CORPUS_TARGETS.join())
    .addOption(new Option('--half <name>').choices(['fit', 'unseen', 'all']).default('all'))
    .option('--kernels <families, parts of names>')
    .option('--seeds <numbers>', 'of the data', '1')
    .option('--sizes <numbers>', 'of the data', '1')
    .option('--data <kinds>', `of ${DATA_KINDS.join()}`, 'usual')
    .option('--full-unit', 'cycles of launches that fill a compute unit all the time', false)
    .option('--from-source', 'compile the source instead of bitcode', false)
    .option('--all', 'also list kernels in which nothing melds', false)
    .option('--json <file>', 'write all measurements')
    .option('--from <file>', 'measure nothing, take these measurements')
    .option('--doc', 'write the table of docs/evaluation.md', false)
    .option('-j, --jobs <n>', 'worker threads', String(availableParallelism())),
).parse();
const flags = command.opts<Flags>();

const parts = flags.kernels?.split(',') ?? [''];
const kernels = CORPUS.filter(
  ({ name, family, half }) =>
    (flags.half === 'all' || half === flags.half) && parts.some((part) => family === part || name.includes(part)),
);
const settings = numbers(flags.seeds).flatMap((seed) =>
  numbers(flags.sizes).flatMap((size) => dataKinds(flags.data).map((data) => ({ seed, size, data }))),
);

function numbers(text: string): number[] {
  const values = text.split(',').map(Number);
  if (!values.every((value) => value > 0)) throw new Error(`'${text}' is no list of positive numbers`);
  return values;
}

/** What was not asked for is left to the defaults, which are others for source. */
const asked = Object.entries(flags).filter(([name]) => command.getOptionValueSource(name) === 'cli');
const options = jobOptions(Object.fromEntries(asked));

// Refused before the kernels are measured, which takes minutes.
if (flags.doc) checkPlain(flags);
const document =
  flags.from === undefined ? await measureAll() : (JSON.parse(await readFile(flags.from, 'utf8')) as CorpusDocument);

async function measureAll(): Promise<CorpusDocument> {
  const failures: string[] = [];
  // The process lives for minutes, so it pays off that V8 optimises LLVM's code in the background.
  const compiler = createCompiler({ threads: Number(flags.jobs), tierPolicy: 'long' });
  const rt = await freshLlvm();
  const bench: Bench = { rt, compiler, settings, fullUnit: flags.fullUnit, cache: new Map() };

  const families = [...new Set(kernels.map(({ family }) => family))];
  const work = flags.targets.split(',').flatMap((target) => families.map((family) => ({ target, family })));
  const complain = (what: string) => (error: unknown) => {
    failures.push(`${what}: ${(error as Error).message}`);
    return null;
  };
  const measure = async ({ target, family }: (typeof work)[number]): Promise<Measurement[]> => {
    const all: Measurement[] = [];
    const versions = await compileFamily(bench, family, target, options, flags.fromSource).catch(
      complain(`${target}, ${family}`),
    );
    if (versions === null) return all;
    for (const kernel of kernels.filter((each) => each.family === family)) {
      const failed = complain(`${target}, ${kernel.name}`);
      const measurement = await measureKernel(bench, kernel, target, versions).catch(failed);
      if (measurement !== null) all.push(measurement);
    }
    return all;
  };
  // One more than there are threads keeps them busy.
  const limit = pLimit(Number(flags.jobs) + 1);
  const measured = await Promise.all(work.map((each) => limit(measure, each)));
  await compiler.close();
  const { fullUnit } = flags;
  return { schema: 1, fullUnit, settings, measurements: measured.flat(), failures: failures.sort() };
}

printMeasurements(document.measurements, flags.all);
printUnmelded(document.measurements);
for (const failure of document.failures) console.log(`Failed: ${failure}`);
if (flags.json !== undefined) await writeFile(flags.json, JSON.stringify(document, null, 1) + '\n');
if (flags.doc) await writeDocument(document, `${REPOSITORY}docs/evaluation.md`);
if (document.failures.length > 0) process.exitCode = 1;
