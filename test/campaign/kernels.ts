/**
 * Runs every kernel of kernels/ that has several block sizes on the simulator and compares it with its reference: each
 * size for each target, at both meld points, without and with melding, also by the cost model's own judgement.
 *
 *   node dist/test/campaign/kernels.js [MODULE...]
 *
 * Exit code 1 on any failure.
 */
import { readSizedSpecs, SIZED_TARGETS } from '../../kernels/references/specs.js';
import type { JobOptions } from '../../src/job/options.js';
import { complaints, decoded } from '../support/kernel-launch.js';
import { kernel as bitcode } from '../support/llvm.js';

const MELD: Partial<JobOptions> = { profit: 'paper', threshold: 0.05 };
const FORMS: readonly (readonly [name: string, input: string, options: Partial<JobOptions>])[] = [
  ['O3', 'O3', { meld: 'off' }],
  ['O3 melded', 'O3', MELD],
  ['O3 melded by default', 'O3', {}],
  ['early', 'early', { meld: 'off', optimize: 'O3' }],
  ['early melded', 'early', { ...MELD, optimize: 'O3', meldPoint: 'early' }],
];

const only = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };
for (const [module, launches] of readSizedSpecs()) {
  if (only.length > 0 && !only.includes(module)) continue;
  for (const target of SIZED_TARGETS)
    for (const [name, input, options] of FORMS) {
      const code = await decoded(await bitcode(`${module}.${target}.${input}`), options);
      for (const { spec } of launches) {
        const found = await complaints(code, spec);
        totals[found.length === 0 ? 'passed' : 'failed']++;
        for (const complaint of found) console.log(`FAIL ${target} ${name}: ${complaint}`);
      }
    }
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
