/**
 * The memory of one LLVM instance, and of the process, over 1,000 compilations of small kernels.
 * usage: node dist/bench/memory.js [--compiles N]
 */
import { compileLlvm } from '../src/binding/load.js';
import { instantiateLlvm } from '../src/binding/runtime.js';
import { DEFAULT_OPTIONS } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { kernel, KERNELS, option, printTable } from './support.js';

const compiles = option('compiles', 1000);
setTierPolicy('short');
const rt = await instantiateLlvm(await compileLlvm(), { memoryLimitBytes: 2 ** 32 });
const silent = { progress() {}, diagnostic() {} };
const inputs = await Promise.all(KERNELS.map((name) => kernel(`${name}.gfx906.O3`)));
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

const rows: string[][] = [];
for (let done = 1; done <= compiles; done++) {
  compileModule(rt, inputs[done % inputs.length]!, DEFAULT_OPTIONS, silent);
  if (done % (compiles / 10) === 0)
    rows.push([String(done), mib(rt.memory.buffer.byteLength), mib(process.memoryUsage.rss())]);
}
printTable(['compiles', 'wasm memory', 'resident'], rows);
