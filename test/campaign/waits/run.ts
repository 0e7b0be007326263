/**
 * Checks the waits for memory in the code of random kernels, of the paper's kernels and of the corpus (check.ts),
 * melded and not, for all families of processors.
 *
 *   node dist/test/campaign/waits/run.js [--seconds N] [--seed S] [--target CPU] [--kernels]
 *
 * `--kernels` checks only those of the repository, `--seed` begins with that module and leaves them out. Assembly with
 * faults is written to build/campaign/. Exit status 1 on any fault.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CORPUS, CORPUS_TARGETS, corpusModule, corpusSource } from '../../../kernels/corpus/index.js';
import type { JobOptions } from '../../../src/job/options.js';
import { drawFor } from '../../support/draw.js';
import { artifact, compile, kernel, REPOSITORY, text } from '../../support/llvm.js';
import { SCRATCH } from '../execute-host.js';
import { FAMILIES } from '../families.js';
import { draw } from '../random-kernel.js';
import { checkWaits } from './check.js';
import { randomModule } from './random-kernels.js';

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string' },
    target: { type: 'string' },
    kernels: { type: 'boolean', default: false },
  },
});

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201'].filter(
  (each) => !args.target || each === args.target,
);

interface Form {
  readonly name: string;
  readonly options: Partial<JobOptions>;
}
const MELDED: Form = { name: 'melded', options: { profit: 'paper', threshold: 0.05 } };
/** Of bitcode that was optimised before. */
const AS_IT_IS: readonly Form[] = [{ name: 'unmelded', options: { meld: 'off' } }, MELDED];
const OF_RANDOM_KERNELS: readonly Form[] = [
  { name: 'O0', options: { meld: 'off', codegenLevel: 0 } },
  { name: 'O3', options: { meld: 'off', optimize: 'O3' } },
  { name: 'melded', options: { ...MELDED.options, optimize: 'O3' } },
];

const totals = { assemblies: 0, faulty: 0, faults: 0, failed: 0 };
const started = performance.now();
const elapsed = (): number => (performance.now() - started) / 1000;

async function check(
  name: string,
  input: Uint8Array | string,
  cpu: string,
  forms: readonly Form[],
  localBarriers = false,
): Promise<void> {
  for (const form of forms) {
    const what = `${name}.${cpu}.${form.name}`;
    try {
      const compiled = await compile(input, { mcpu: cpu, ...form.options, emit: ['asm'] });
      const assembly = text(artifact(compiled, 'asm'));
      totals.assemblies++;
      const faults = checkWaits(assembly, cpu, localBarriers);
      if (faults.length === 0) continue;
      totals.faulty++;
      totals.faults += faults.length;
      const file = path.join(SCRATCH, `waits-${what}.s`);
      await writeFile(file, assembly);
      for (const fault of faults) console.log(`FAULT ${file}:${fault.line} ${fault.function}: ${fault.what}`);
    } catch (error) {
      totals.failed++;
      console.log(`FAIL ${what}: ${(error as Error).message.slice(0, 400)}`);
    }
  }
}

/** Every module of kernels/ir and of the corpus, for the targets that there is bitcode for. */
async function kernelsOfRepository(): Promise<void> {
  for (const file of await readdir(path.join(REPOSITORY, 'kernels/ir'))) {
    const [, cpu] = file.split('.');
    if (TARGETS.includes(cpu!)) await check(file.replace(/\.bc$/, ''), await kernel(file.slice(0, -3)), cpu!, AS_IT_IS);
  }
  const families = [...new Set(CORPUS.map(({ family }) => family))];
  for (const cpu of CORPUS_TARGETS.filter((each) => TARGETS.includes(each)))
    for (const family of families) {
      // All barriers of the corpus in OpenCL are of the LDS only.
      const localBarriers = corpusSource(family).options.language === 'opencl';
      await check(family, corpusModule(family, cpu), cpu, AS_IT_IS, localBarriers);
    }
}

/** One in four has the values and operations of `npm run test:simulate`, with phases between barriers. */
function moduleOf(seed: number, cpu: string): string {
  if (seed % 4 !== 0) return randomModule(drawFor(seed, 0), `k${seed}`, cpu);
  const { body, module } = FAMILIES.wide;
  const kernels = [0, 1].map((index) => draw(`k${seed}_${index}`, body(1), Math.imul(seed, 1009) + index));
  return module(kernels).replaceAll('"gfx906"', `"${cpu}"`);
}

await mkdir(SCRATCH, { recursive: true });
if (args.seed === undefined) await kernelsOfRepository();
const ofRepository = totals.assemblies;
let seed = Number(args.seed ?? 1);
for (const first = seed; !args.kernels && (seed === first || elapsed() < Number(args.seconds)); seed++)
  for (const cpu of TARGETS) await check(`random${seed}`, moduleOf(seed, cpu), cpu, OF_RANDOM_KERNELS);
const { assemblies, faulty, faults, failed } = totals;
const ofRandom = `${assemblies - ofRepository} of ${seed - Number(args.seed ?? 1)} random modules`;
console.log(`${ofRepository} assemblies of the repository's kernels, ${ofRandom}, ${elapsed().toFixed(0)} s`);
console.log(`${faults} faults in ${faulty} of them, ${failed} not compiled`);
process.exitCode = faults + failed > 0 ? 1 : 0;
