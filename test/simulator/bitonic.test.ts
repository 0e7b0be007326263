/**
 * The counters of bitonic sort against its assembly. On gfx906 LLVM unrolls all 21 steps and a workgroup is one wave,
 * so the kernel is straight-line code but for branches that skip a side which no lane takes. That happens in the six
 * steps of the last merge, in which all lanes sort upwards: there the other side, a wait, a comparison and an s_and, is
 * skipped. Everything else runs once per wave, so counting lines of the assembly is an independent way to the counters.
 */
import { readFile } from 'node:fs/promises';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { inlineCompiler } from '../support/inline-compiler.js';
import { artifact, compile, kernel, REPOSITORY, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/bitonic', { tests: 2 });

const WAVES = 4;
const STEPS = 21;
/** Steps of the last merge, log2(64). */
const UNIFORM = 6;

async function assemblyLines(): Promise<string[]> {
  const assembly = text(
    artifact(await compile(await kernel('bitonic.gfx906.O3'), { emit: ['asm'], meld: 'off' }), 'asm'),
  );
  return assembly.split('\n').filter((line) => /^\t[a-z]/.test(line)).map((line) => line.trim()); // prettier-ignore
}

async function counters() {
  const compiler = inlineCompiler();
  const { artifacts } = await compiler.compile(await kernel('bitonic.gfx906.O3'), { emit: ['hsaco'], meld: 'off' });
  const spec = parseSpec(await readFile(`${REPOSITORY}kernels/specs/bitonic.json`, 'utf8'), () => new Uint8Array());
  const { launches } = await compiler.simulate(artifacts[0]!.bytes, spec, {});
  return launches[0]!;
}

test('the instructions of the assembly', async () => {
  const lines = await assemblyLines();
  const found = (await counters()).counters;
  const times = (pattern: RegExp, skipped = 0): number =>
    WAVES * (lines.filter((line) => pattern.test(line)).length - UNIFORM * skipped);
  assert.is(found.waves, WAVES);
  assert.is(found.instructions, times(/^/, 3));
  assert.is(found.valu, times(/^v_/, 1));
  assert.is(found.smem, times(/^s_load/));
  assert.is(found.lds, times(/^ds_/));
  assert.is(found.vmemRead, times(/^global_load/));
  assert.is(found.vmemWrite, times(/^global_store/));
  assert.is(found.flat, times(/^global_/));
  assert.is(found.branch, times(/^s_c?branch/));
  assert.is(found.salu, times(/^s_(?!load|c?branch|waitcnt|nop|endpgm|barrier)/, 1));
});

test('what the algorithm says', async () => {
  const { counters: found, instructions } = await counters();
  // One store of the input; two loads and two stores for the exchange of each step; one load of the result.
  assert.is(found.lds, WAVES * (2 + 4 * STEPS));
  assert.is(found.branch, WAVES * 4 * STEPS);
  // 64 words of 4 bytes lie on 4 lines of 64 bytes, read once and written once.
  assert.is(found.cacheLines, WAVES * 2 * 4);
  assert.is(found.ldsBankConflicts, 0);
  // Half of the lanes compare with their partner in each step, upwards or downwards; in the last merge all do so
  // upwards.
  const compares = instructions.filter((each) => /^v_cmp_[lg]t_i32/.test(each.text));
  assert.is(compares.length, 2 * STEPS - UNIFORM);
  assert.is(
    compares.reduce((sum, { lanes }) => sum + lanes, 0),
    WAVES * STEPS * 32,
  );
});

test.run();
