/** `Compiler.tune`: a plan for a kernel, and what it is worth. */
import { compileKey } from '../../../src/compiler/compile-key.js';
import { createCompiler, DarmError, DEFAULT_OPTIONS, type Compiler, type LaunchSpec } from '../../../src/index.js';
import { parsePlan } from '../../../src/job/tuned-plan.js';
import { readSpecs } from '../../../kernels/references/specs.js';
import { kernel } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('compiler/tune/tune', { tests: 5, timeoutMs: 120_000 });

const specOf = (name: string): LaunchSpec => readSpecs(['srad', 'dct']).find((each) => each.kernel === name)!.spec;

async function withCompiler<T>(threads: number, use: (compiler: Compiler) => Promise<T>): Promise<T> {
  await using compiler = createCompiler({ threads, tierPolicy: 'short' });
  return await use(compiler);
}

test.long('finds a plan that the compiler repeats, the same for any number of workers', async () => {
  const module = await kernel('srad.gfx906.O3');
  const spec = specOf('srad_16x16');
  const tuning = { specs: [spec], budget: 14 };
  const shown: number[] = [];
  const [one, two] = await Promise.all([
    withCompiler(0, (compiler) => compiler.tune(module, {}, tuning)),
    withCompiler(2, (compiler) => compiler.tune(module, {}, tuning, { onTrial: ({ best }) => shown.push(best) })),
  ]);
  assert.equal(two, one);
  assert.is(shown.length, one.trials);
  assert.ok(shown.every((best, at) => best <= (shown[at - 1] ?? one.kernels[0]!.cycles.unmelded)));
  assert.ok(one.trials > 12 && one.trials <= 14);
  const [{ kernel: name, cycles }] = one.kernels as [(typeof one.kernels)[0]];
  assert.is(name, 'srad_16x16');
  assert.ok(cycles.tuned <= cycles.model && cycles.tuned < cycles.unmelded);

  await withCompiler(2, async (compiler) => {
    const { artifacts, diagnostics } = await compiler.compile(module, { plan: one.plan });
    assert.equal(diagnostics, []);
    const { launches } = await compiler.simulate(artifacts[0]!.bytes, spec, { cycles: true });
    assert.is(launches[0]!.cycles, cycles.tuned);
    const parts = await compiler.compile(module, { plan: one.plan, partitions: 2 });
    assert.is((await compiler.simulate(parts.artifacts[0]!.bytes, spec, { cycles: true })).launches[0]!.cycles, cycles.tuned); // prettier-ignore
  });
  const plan = parsePlan(one.plan);
  assert.ok('functions' in plan && plan.meldPoint === 'late' && plan.target === 'gfx906');
  assert.match(plan.functions[0]!.reason, new RegExp(`^${cycles.tuned} cycles in the simulator`));
});

test.long('several kernels, both meld points', async () => {
  const module = await kernel('dct.gfx906.early');
  const specs = ['dct_4x4', 'dct_8x8'].map(specOf);
  const tuning = { specs, budget: 3 };
  const result = await withCompiler(2, (compiler) => compiler.tune(module, { optimize: 'O3', meldPoint: 'auto' }, tuning)); // prettier-ignore
  assert.equal(result.kernels.map((each) => each.kernel), ['dct_4x4', 'dct_8x8']); // prettier-ignore
  assert.ok(result.trials <= 3 * 2 * 2);
  for (const { cycles } of result.kernels) assert.ok(cycles.tuned < cycles.unmelded);
});

test('what a plan promises is what the compiled kernel takes, also of a full compute unit', async () => {
  const module = await kernel('dct.gfx906.O3');
  const spec = specOf('dct_4x4');
  await withCompiler(0, async (compiler) => {
    for (const fullUnit of [false, true]) {
      const { plan, trials, kernels } = await compiler.tune(module, {}, { specs: [spec], budget: 2, fullUnit });
      assert.is(trials, 2);
      const { cycles } = kernels[0]!;
      assert.ok(cycles.tuned < cycles.unmelded);
      const { artifacts } = await compiler.compile(module, { plan });
      const { launches } = await compiler.simulate(artifacts[0]!.bytes, spec, { cycles: true, fullUnit });
      assert.is(launches[0]!.cycles, cycles.tuned);
    }
  });
});

test('a plan is part of the key of a compilation', async () => {
  const module = await kernel('dct.gfx906.O3');
  const keys = await Promise.all([null, 'a', 'b'].map((plan) => compileKey(module, { ...DEFAULT_OPTIONS, plan })));
  assert.is(new Set(keys).size, 3);
});

test('what is no plan is the fault of the input', async () => {
  const module = await kernel('dct.gfx906.O3');
  await withCompiler(0, async (compiler) => {
    await compiler.compile(module, { plan: '{"format":"darm-plan"' }).then(
      () => assert.unreachable(),
      (error: unknown) => assert.ok(error instanceof DarmError && error.code === 'bad-input'),
    );
    const lines: string[] = [];
    const plan = '{"format":"darm-plan","version":9}';
    const { diagnostics, artifacts } = await compiler.compile(module, { plan }, { onDiagnostic: (line) => lines.push(line) }); // prettier-ignore
    assert.equal(lines, diagnostics);
    assert.match(lines[0]!, /the plan is ignored: it has version 9/);
    const angry = (): never => Promise.reject(new Error('no warnings, please')) as never;
    await compiler.compile(module, { plan }, { onDiagnostic: angry }).then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'no warnings, please'),
    );
    assert.equal(artifacts, (await compiler.compile(module)).artifacts);
    const off = await compiler.compile(module, { plan, meld: 'off' });
    assert.equal(off.diagnostics, ['the plan is ignored: the job melds nothing']);
  });
});

test.run();
