/**
 * What melding does to the estimated cycles of every kernel of the plain modules: the same pipeline without and with melding, at
 * the late meld point and, from the front end's output, at the early one. The memory both leave is compared.
 * usage: node dist/bench/melded-cycles.js
 */
import { PLAIN_MODULES, readSpecs } from '../kernels/references/specs.js';
import { createCompiler, type JobOptions } from '../src/index.js';
import type { LaunchSpec } from '../src/simulator/launch/spec.js';
import { geometricMean, kernel, table } from './support.js';

const POINTS: readonly (readonly [form: string, options: Partial<JobOptions>])[] = [
  ['O3', { meldPoint: 'late' }],
  ['early', { meldPoint: 'early', optimize: 'O3' }],
];
const CPUS = ['gfx906', 'gfx90a', 'gfx1100'];

const compiler = createCompiler({ threads: 0, tierPolicy: 'long' });
const specs = readSpecs(PLAIN_MODULES);

async function run(module: Uint8Array, options: Partial<JobOptions>, spec: LaunchSpec) {
  const { artifacts } = await compiler.compile(module, { ...options, emit: ['hsaco'] });
  const { launches, buffers } = await compiler.simulate(artifacts[0]!.bytes, spec, { cycles: true });
  return { cycles: launches[0]!.cycles!, buffers };
}

const ratios: number[] = [];
const rows: string[][] = [];
for (const { kernel: name, module: file, spec } of specs) {
  const row = [name];
  for (const cpu of CPUS) {
    for (const [form, options] of POINTS) {
      const module = await kernel(`${file}.${cpu}.${form}`);
      const before = await run(module, { ...options, meld: 'off' }, spec);
      const after = await run(module, { ...options, meld: 'darm' }, spec);
      before.buffers.forEach(({ bytes }, at) => {
        if (Buffer.compare(bytes, after.buffers[at]!.bytes) !== 0)
          throw new Error(`${name}, ${cpu}: melding changed the result`);
      });
      ratios.push(before.cycles / after.cycles);
      row.push(ratios.at(-1)!.toFixed(2));
    }
  }
  rows.push(row);
}
await compiler.close();
table(['cycles without / with melding', ...CPUS.flatMap((cpu) => POINTS.map(([form]) => `${cpu} ${form}`))], rows);
console.log(
  `geometric mean ${geometricMean(ratios).toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}, ` +
    `${ratios.filter((ratio) => ratio < 0.995).length} of ${ratios.length} slower`,
);
