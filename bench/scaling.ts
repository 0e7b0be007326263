/**
 * Compiles 100 kernels with one worker and with two, in turn in one run.
 * usage: node dist/bench/scaling.js [--jobs N] [--rounds N]
 */
import { createCompiler } from '../src/index.js';
import { kernel, KERNELS, median, ms, option, printTable } from './support.js';

const jobs = option('jobs', 100);
const rounds = option('rounds', 3);
const inputs = await Promise.all(
  ['gfx906', 'gfx1100'].flatMap((cpu) => KERNELS.map((name) => kernel(`${name}.${cpu}.O3`))),
);
const compilers = [1, 2].map((threads) => createCompiler({ threads, tierPolicy: 'short' }));
const times: number[][] = [[], []];
for (let round = -1; round < rounds; round++) {
  for (const [index, compiler] of compilers.entries()) {
    const start = performance.now();
    await Promise.all(Array.from({ length: jobs }, (_, job) => compiler.compile(inputs[job % inputs.length]!)));
    if (round >= 0) times[index]!.push(performance.now() - start); // the first round starts the workers
  }
}
for (const compiler of compilers) await compiler.close();
const [one, two] = times.map(median) as [number, number];
printTable(['workers', `${jobs} kernels`, 'a kernel'], [
  ['1', ms(one), ms(one / jobs)],
  ['2', ms(two), ms(two / jobs)],
]); // prettier-ignore
console.log(`two workers are ${(one / two).toFixed(2)}x faster than one`);
