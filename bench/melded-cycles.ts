/**
 * What melding does to the estimated cycles of every kernel with a launch spec: the same pipeline without and with melding, at
 * the late meld point and, from the front end's output, at the early one. The memory both leave is compared.
 * usage: node dist/bench/melded-cycles.js
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createCompiler, type JobOptions } from '../src/index.js';
import { parseSpec, type LaunchSpec } from '../src/simulator/launch/spec.js';
import { geometricMean, kernel, REPOSITORY, table } from './support.js';

const POINTS: readonly (readonly [form: string, options: Partial<JobOptions>])[] = [
  ['O3', { meldPoint: 'late' }],
  ['early', { meldPoint: 'early', optimize: 'O3' }],
];
const CPUS = ['gfx906', 'gfx90a', 'gfx1100'];

const compiler = createCompiler({ threads: 0, tierPolicy: 'long' });
const specs = readdirSync(`${REPOSITORY}kernels`)
  .filter((name) => name.endsWith('.spec.json'))
  .map((name) => parseSpec(readFileSync(`${REPOSITORY}kernels/${name}`, 'utf8'), (file) => readFileSync(file)));

async function run(module: Uint8Array, options: Partial<JobOptions>, spec: LaunchSpec) {
  const { artifacts } = await compiler.compile(module, { ...options, emit: ['hsaco'] });
  const { launches, buffers } = await compiler.simulate(artifacts[0]!.bytes, spec, { cycles: true });
  return { cycles: launches[0]!.cycles!, buffers };
}

const ratios: number[] = [];
const rows: string[][] = [];
for (const spec of specs) {
  const name = spec.launches[0]!.kernel!;
  const row = [name];
  for (const cpu of CPUS) {
    for (const [form, options] of POINTS) {
      const module = await kernel(`${name.replace(/_.*/, '')}.${cpu}.${form}`);
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
