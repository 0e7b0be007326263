/**
 * The time that melding itself takes (snapshots, analyses, planning, edits, tidying; without LLVM's verifier), relative
 * to optimisation and code generation of the same kernel without melding, in a warm instance. All kernels of kernels/ir
 * that are there for gfx906, optimised and not.
 * usage: node dist/bench/melding-share.js [--rounds N] [--warm-up N] [KERNEL …]
 */
import { readdirSync } from 'node:fs';
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { freshLlvm } from './llvm.js';
import { geometricMean, kernel, median, ms, operands, option, printTable, REPOSITORY } from './support.js';

const EARLY = '.gfx906.early';
const rounds = option('rounds', 10);
// Rounds that are not measured, in which V8 gets to compile melding's TypeScript, as in a worker after a few hundred
// jobs.
const warmUp = option('warm-up', 30);
const asked = operands('rounds', 'warm-up');
const kernels = readdirSync(`${REPOSITORY}kernels/ir`)
  .flatMap((file) => (file.endsWith(`${EARLY}.bc`) ? [file.slice(0, -`${EARLY}.bc`.length)] : []))
  .filter((short) => asked.length === 0 || asked.includes(short));
setTierPolicy('short');
const rt = await freshLlvm();

const rows: string[][] = [];
const shares: number[] = [];
for (const point of ['late', 'early'] as const) {
  for (const short of kernels) {
    const early = await kernel(short + EARLY);
    const bytes = point === 'early' ? early : await kernel(`${short}.gfx906.O3`);
    const options: JobOptions = {
      ...DEFAULT_OPTIONS,
      meldPoint: point,
      optimize: point === 'early' ? 'O3' : 'none',
    };
    const melding: number[] = [];
    const whole: number[] = [];
    for (let round = -warmUp; round < rounds; round++) {
      const on = compileModule(rt, bytes, options, NO_EVENTS).timings;
      // The time without melding: from unoptimised bitcode through -O3 to machine code.
      const off = compileModule(rt, early, { ...options, optimize: 'O3', meld: 'off' }, NO_EVENTS).timings;
      if (round < 0) continue;
      melding.push(on['meld']!);
      whole.push(off['optimize']! + off['codegen']!);
    }
    const share = median(melding) / median(whole);
    shares.push(share);
    rows.push([short, point, ms(median(melding)), ms(median(whole)), `${(100 * share).toFixed(1)} %`]);
  }
}
printTable(['kernel', 'meld point', 'melding', 'optimise + codegen', 'share'], rows);
console.log(
  `geometric mean ${(100 * geometricMean(shares)).toFixed(1)} %, worst ${(100 * Math.max(...shares)).toFixed(1)} %`,
);
