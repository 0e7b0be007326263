/**
 * The simulator's speed on one core: every kernel of the plain modules, on a grid that is large enough to measure, with
 * and without the cycle estimate. The resulting memory is compared with the kernel's reference. The measured time is
 * that of `Compiler.simulate`, which includes decoding and setting up workgroups, but not the generation of inputs.
 * usage: node dist/bench/simulate.js [--instructions N] [--rounds N] [--kernel NAME]
 *        (about N wavefront instructions per run; only kernels whose name contains NAME)
 */
import { expectedOutputs } from '../kernels/references/index.js';
import { PLAIN_MODULES, readSpecs } from '../kernels/references/specs.js';
import { createCompiler } from '../src/index.js';
import { ELEMENT_BYTES } from '../src/simulator/launch/elements.js';
import { fillBuffer } from '../src/simulator/launch/fill.js';
import type { BufferSpec, LaunchSpec } from '../src/simulator/launch/spec.js';
import type { SimulationResult } from '../src/simulator/run.js';
import { geometricMean, kernel, median, option, printTable, sum } from './support.js';

const instructions = option('instructions', 3e6);
const rounds = option('rounds', 3);
const only = process.argv.includes('--kernel') ? process.argv[process.argv.indexOf('--kernel') + 1]! : '';
const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });

const specs = readSpecs(PLAIN_MODULES).filter(({ kernel }) => kernel.includes(only));

/** The same launch with `times` as many workgroups and buffers as much longer, whose contents are generated here. */
function enlarged({ buffers, launches }: LaunchSpec, times: number): LaunchSpec {
  return {
    buffers: buffers.map((buffer): BufferSpec => {
      const length = buffer.length * times;
      const bytes = new Uint8Array(length * ELEMENT_BYTES[buffer.element]);
      fillBuffer(bytes, buffer.element, buffer.fill);
      return { ...buffer, length, fill: { kind: 'bytes', bytes } };
    }),
    launches: launches.map((launch) => ({
      ...launch,
      grid: [launch.grid[0] * times, launch.grid[1], launch.grid[2]] as const,
    })),
  };
}

const executed = ({ launches }: SimulationResult): number =>
  sum(launches.flatMap((launch) => launch.instructions.map((row) => row.executed)));

/** Runs a launch; the result is the number of wavefront instructions, in all and per second. */
async function measure(
  code: Uint8Array,
  spec: LaunchSpec,
  expected: ReadonlyMap<string, Uint8Array>,
  cycles: boolean,
): Promise<{ rate: number; count: number }> {
  const start = performance.now();
  const result = await compiler.simulate(code, spec, { cycles });
  const seconds = (performance.now() - start) / 1000;
  for (const [name, bytes] of expected)
    if (Buffer.compare(bytes, result.buffers.find((each) => each.name === name)!.bytes) !== 0)
      throw new Error(`${spec.launches[0]!.kernel}: '${name}' is wrong`);
  const count = executed(result);
  return { rate: count / seconds, count };
}

const millions = (value: number): string => (value / 1e6).toFixed(2);

const rows: string[][] = [];
const means: { plain: number[]; estimated: number[] } = { plain: [], estimated: [] };
for (const cpu of ['gfx906', 'gfx1100']) {
  const rates: typeof means = { plain: [], estimated: [] };
  for (const { kernel: name, module, spec } of specs) {
    const { artifacts } = await compiler.compile(await kernel(`${module}.${cpu}.O3`), { meld: 'off' });
    const code = artifacts[0]!.bytes;
    const small = await measure(code, spec, expectedOutputs(spec), true); // also the warm-up
    const large = enlarged(spec, Math.max(1, Math.round(instructions / small.count)));
    const expected = expectedOutputs(large);
    const plain: number[] = [];
    const estimated: number[] = [];
    let count = 0;
    for (let round = 0; round < rounds; round++) {
      const run = await measure(code, large, expected, false);
      plain.push(run.rate);
      count = run.count;
      estimated.push((await measure(code, large, expected, true)).rate);
    }
    rates.plain.push(median(plain));
    rates.estimated.push(median(estimated));
    rows.push([`${name} ${cpu}`, millions(count), millions(median(plain)), millions(median(estimated))]);
  }
  rows.push([`geometric mean ${cpu}`, '', ...[rates.plain, rates.estimated].map(geometricMean).map(millions)]);
  means.plain.push(...rates.plain);
  means.estimated.push(...rates.estimated);
}
await compiler.close();
printTable(['kernel', 'M instructions', 'M/s', 'M/s with cycles'], rows);
console.log(
  `geometric mean: ${millions(geometricMean(means.plain))} million wavefront instructions per second on one core, ` +
    `${millions(geometricMean(means.estimated))} with the cycle estimate`,
);
