/**
 * The memory of one LLVM instance, and of the process, over 1,000 compilations of small kernels.
 * usage: node dist/bench/memory.js [--compiles N]
 */
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { freshLlvm } from './llvm.js';
import { kernel, KERNELS, option, printTable } from './support.js';

const compiles = option('compiles', 1000);
setTierPolicy('short');
const rt = await freshLlvm();
const inputs = await Promise.all(KERNELS.map((name) => kernel(`${name}.gfx906.O3`)));
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

const rows: string[][] = [];
for (let done = 1; done <= compiles; done++) {
  compileModule(rt, inputs[done % inputs.length]!, DEFAULT_OPTIONS, NO_EVENTS);
  if (done % (compiles / 10) === 0)
    rows.push([String(done), mib(rt.memory.buffer.byteLength), mib(process.memoryUsage.rss())]);
}
printTable(['compiles', 'wasm memory', 'resident'], rows);
