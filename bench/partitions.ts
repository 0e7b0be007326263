/**
 * Compiles a module of 40 kernels whole and in parts, with one worker and with two, in turn in one run.
 * usage: node dist/bench/partitions.js [--kernels N] [--rounds N]
 */
import { createCompiler, type JobOptions } from '../src/index.js';
import { manyKernels } from './many-kernels.js';
import { kernel, median, ms, option, printTable } from './support.js';

const kernels = option('kernels', 40);
const rounds = option('rounds', 3);
const FORMS: readonly JobOptions['partitions'][] = [1, 'auto'];

const compilers = [1, 2].map((threads) => createCompiler({ threads, tierPolicy: 'short' }));
const { artifacts } = await compilers[0]!.compile(await kernel('pcm.gfx906.O3'), { emit: ['ll'], meld: 'off' });
const module = new TextEncoder().encode(manyKernels(new TextDecoder().decode(artifacts[0]!.bytes), kernels));

const times = compilers.map(() => FORMS.map((): number[] => []));
const hashes = FORMS.map(() => new Set<string>());
for (let round = -1; round < rounds; round++)
  for (const [c, compiler] of compilers.entries())
    for (const [f, partitions] of FORMS.entries()) {
      const start = performance.now();
      const compiled = await compiler.compile(module, { partitions });
      if (round >= 0) times[c]![f]!.push(performance.now() - start); // the first round starts the workers
      hashes[f]!.add(Buffer.from(compiled.artifacts[0]!.bytes).toString('base64'));
    }
for (const compiler of compilers) await compiler.close();

const [one, two] = times.map((forms) => forms.map(median)) as [number[], number[]];
printTable(
  ['--partitions', 'one worker', 'two workers', 'ratio', 'equal bytes'],
  FORMS.map((form, f) => [
    String(form), ms(one[f]!), ms(two[f]!), (one[f]! / two[f]!).toFixed(2), hashes[f]!.size === 1 ? 'yes' : 'NO',
  ]),
); // prettier-ignore
