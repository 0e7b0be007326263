/**
 * Cold start: the time of `darm compile` for one small optimised kernel from process start to exit, beside that of
 * native `llc-22` and `ld.lld-22`; and the time for one more LLVM instance in a running process.
 * usage: node dist/bench/cold-start.js [--rounds N]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileLlvm } from '../src/binding/load.js';
import { instantiateLlvm } from '../src/binding/runtime.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { kernelPath, median, ms, option, printTable, REPOSITORY, timeProcess } from './support.js';

const rounds = option('rounds', 10);
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const output = path.join(folder, 'kernel.hsaco');
const object = path.join(folder, 'kernel.o');
const input = kernelPath('bitonic.gfx906.O3');
const command = [`${REPOSITORY}dist/src/cli/main.js`, 'compile', input, '-o', output, '--quiet'];

const variants: [string, () => number][] = [
  ['darm compile', () => timeProcess(process.execPath, command)],
  ['darm compile --meld off', () => timeProcess(process.execPath, [...command, '--meld', 'off'])],
  [
    'llc-22 and ld.lld-22',
    () =>
      timeProcess('llc-22', ['-mcpu=gfx906', '-filetype=obj', input, '-o', object]) +
      timeProcess('ld.lld-22', ['-shared', object, '-o', output]),
  ],
  ['node, nothing else', () => timeProcess(process.execPath, ['-e', ''])],
];
const times = new Map(variants.map(([name]) => [name, [] as number[]]));
for (let round = -1; round < rounds; round++)
  for (const [name, run] of variants) {
    const wall = run();
    if (round >= 0) times.get(name)!.push(wall); // the first round may unpack the module
  }
await rm(folder, { recursive: true });

setTierPolicy('short');
const module = await compileLlvm();
const instances: number[] = [];
for (let round = 0; round < rounds; round++) {
  const start = performance.now();
  await instantiateLlvm(module, { memoryLimitBytes: 2 ** 32 });
  instances.push(performance.now() - start);
}
times.set('one more instance of LLVM', instances);
printTable(
  ['process start to exit', 'median', 'least', 'most'],
  [...times].map(([name, all]) => [name, ms(median(all)), ms(Math.min(...all)), ms(Math.max(...all))]),
);
