/**
 * Every kernel of the plain modules that has a launch spec, on every target: debug build, optimised, and optimised and
 * melded. What the simulator leaves in the output buffers is, byte for byte, what the kernel's reference says.
 */
import { PLAIN_MODULES, readSpecs } from '../../kernels/references/specs.js';
import type { JobOptions } from '../../src/job/options.js';
import { complaints, decoded } from '../support/kernel-launch.js';
import { artifact, compile, kernel, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const TARGETS = ['gfx906', 'gfx1100', 'gfx90a', 'gfx942', 'gfx1030'] as const;

interface Form {
  readonly name: string;
  /** Name of the file in kernels/ir. */
  readonly input: 'O0' | 'O3';
  readonly options: Partial<JobOptions>;
}
const FORMS: readonly Form[] = [
  { name: 'O0', input: 'O0', options: { meld: 'off', codegenLevel: 0 } },
  { name: 'O3', input: 'O3', options: { meld: 'off' } },
  { name: 'O3 melded', input: 'O3', options: { profit: 'paper', threshold: 0.05 } },
];

const test = suite('simulator/kernels', { tests: TARGETS.length * FORMS.length + 1, timeoutMs: 60_000 });

const SPECS = readSpecs(PLAIN_MODULES);

for (const target of TARGETS)
  for (const { name, input, options } of FORMS) {
    const register = input === 'O0' && target !== 'gfx1100' ? test.long : test;
    register(`${target} ${name}`, async () => {
      const failures: string[] = [];
      let launches = 0;
      let melds = 0;
      for (const module of PLAIN_MODULES) {
        const code = await decoded(await kernel(`${module}.${target}.${input}`), options);
        melds += code.melds;
        for (const { spec } of SPECS.filter((each) => each.module === module)) {
          failures.push(...(await complaints(code, spec)));
          launches++;
        }
      }
      assert.equal(failures, []);
      assert.is(launches, SPECS.length);
      assert.ok(options.meld === 'off' ? melds === 0 : melds > 5, `${melds} melds`);
    });
  }

test('a kernel that computes something else is noticed', async () => {
  const { spec } = SPECS.find((each) => each.kernel === 'sb1')!;
  const compiled = await compile(await kernel('sb1.gfx906.O3'), { emit: ['ll'], meld: 'off' });
  const correct = text(artifact(compiled, 'll'));
  // One of the operations, the other way round.
  const wrong = await decoded(new TextEncoder().encode(correct.replace('= sub i32', '= add i32')), { meld: 'off' });
  assert.match((await complaints(wrong, spec)).join(), /^sb1: 'out' differs from its element \d+ on$/);
});

test.run();
