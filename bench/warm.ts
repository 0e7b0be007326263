/**
 * From bitcode to a code object: the time of a warm LLVM instance and of native `llc-23` and `ld.lld-23` processes, for
 * each kernel, in turn in one run. Needs `build.sh --native`.
 * usage: node dist/bench/warm.js [--rounds N] [--long]     (--long: let V8 optimise LLVM's code)
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { freshLlvm } from './llvm.js';
import {
  geometricMean,
  kernel,
  kernelPath,
  KERNELS,
  median,
  ms,
  nativeTool,
  option,
  printTable,
  time,
  timeProcess,
} from './support.js';

const rounds = option('rounds', 30);
setTierPolicy(process.argv.includes('--long') ? 'long' : 'short');
const rt = await freshLlvm();
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const object = path.join(folder, 'kernel.o');

function native(name: string, cpu: string): number {
  const linked = path.join(folder, 'kernel.hsaco');
  return (
    timeProcess(nativeTool('llc-23'), [`-mcpu=${cpu}`, '-filetype=obj', kernelPath(name), '-o', object]) +
    timeProcess(nativeTool('ld.lld-23'), ['-shared', '--no-undefined', object, '-o', linked])
  );
}

const rows: string[][] = [];
const ratios: number[] = [];
for (const cpu of ['gfx906', 'gfx1100']) {
  for (const short of KERNELS) {
    const name = `${short}.${cpu}.O3`;
    const bytes = await kernel(name);
    const plain: JobOptions = { ...DEFAULT_OPTIONS, meld: 'off' };
    const ours: number[] = [];
    const melded: number[] = [];
    const theirs: number[] = [];
    for (let round = -2; round < rounds; round++) {
      const a = time(() => compileModule(rt, bytes, plain, NO_EVENTS));
      const b = time(() => compileModule(rt, bytes, DEFAULT_OPTIONS, NO_EVENTS));
      const c = native(name, cpu);
      if (round < 0) continue; // the first two rounds warm up the caches of both
      ours.push(a);
      melded.push(b);
      theirs.push(c);
    }
    const ratio = median(theirs) / median(ours);
    ratios.push(ratio);
    rows.push([name, ms(median(ours)), ms(median(melded)), ms(median(theirs)), `${ratio.toFixed(2)}x`]);
  }
}
await rm(folder, { recursive: true });
printTable(['kernel', 'darm --meld off', 'darm', 'llc + ld.lld', 'faster (off)'], rows);
console.log(`geometric mean: ${geometricMean(ratios).toFixed(2)}x faster than native processes`);
