/**
 * Compares V8's tier policies: several rounds over the kernels, each policy in a process of its own. The choices in
 * src/workers/tier-policy.ts rest on this benchmark.
 * usage: node dist/bench/tiers.js [--rounds N]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { kernel, KERNELS, ms, option, printTable } from './support.js';

const rounds = option('rounds', 40);
const policy = process.env['DARM_BENCH_TIER'];
if (policy === undefined) {
  const rows = ['default', 'short', 'long'].map((name) => {
    const result = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--rounds', String(rounds)], {
      env: { ...process.env, DARM_BENCH_TIER: name },
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(result.stderr);
    return [name, ...(JSON.parse(result.stdout) as (number | null)[]).map((time) => (time === null ? '-' : ms(time)))];
  });
  printTable(['policy', 'first round', '2nd', '10th', 'last', 'whole process'], rows);
} else {
  const start = performance.now();
  const { setTierPolicy } = await import('../src/workers/tier-policy.js');
  if (policy !== 'default') setTierPolicy(policy as 'short' | 'long');
  const { compileLlvm } = await import('../src/binding/load.js');
  const { instantiateLlvm } = await import('../src/binding/runtime.js');
  const { compileModule } = await import('../src/pipeline/compile.js');
  const { NO_EVENTS } = await import('../src/job/events.js');
  const { DEFAULT_OPTIONS } = await import('../src/job/options.js');
  const rt = await instantiateLlvm(await compileLlvm(), { memoryLimitBytes: 2 ** 32 });
  const inputs = await Promise.all(KERNELS.map((name) => kernel(`${name}.gfx906.O3`)));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    for (const bytes of inputs) compileModule(rt, bytes, DEFAULT_OPTIONS, NO_EVENTS);
    times.push(performance.now() - begin);
  }
  process.on('exit', () =>
    console.log(JSON.stringify([times[0], times[1], times[9], times.at(-1), performance.now() - start])),
  );
}
