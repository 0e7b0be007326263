/** The melds that the paper describes happen, LLVM's verifier accepts them, and nothing else changes. */
import { elfSymbols, parseElf, symbolBytes } from '../../src/formats/elf.js';
import { LlvmModule } from '../../src/binding/module.js';
import { emitModule, meldFunctions } from '../../src/pipeline/compile.js';
import { artifact, compile, kernel, runtime, SILENT, text, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/meld', { tests: 10, timeoutMs: 120_000 });
const EARLY = { meldPoint: 'early', optimize: 'O3' } as const;

/** Kinds of the melds of a kernel, and its report. */
async function melds(name: string, fn: string, options: Parameters<typeof compile>[1] = {}) {
  const result = await compile(await kernel(name), { emit: ['hsaco'], stats: true, ...options });
  const report = result.functions.find((each) => each.name === fn)!;
  assert.is(report.bailout, null);
  return { kinds: report.melds.map((meld) => meld.kind), before: report.before!, after: report.after };
}

test('BIT, late: every stage of the unrolled sort melds its two compares (rule 1.8)', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    const { kinds, before, after } = await melds(`bitonic.${cpu}.O3`, 'bitonic');
    assert.equal(kinds, Array(21).fill('block-block'));
    assert.is(after.divergentBranches! * 2, before.divergentBranches);
    assert.ok(after.machineInstructions! < before.machineInstructions!);
  }
});

test('BIT, early: region with region', async () => {
  const { kinds, before, after } = await melds('bitonic.gfx906.early', 'bitonic', EARLY);
  assert.equal(kinds, ['region-region']);
  assert.ok(after.machineInstructions! < before.machineInstructions!);
});

test('SB1: the diamond becomes one block', async () => {
  const { kinds, after } = await melds('sb1.gfx906.O3', 'sb1');
  assert.equal(kinds, ['block-block']);
  assert.is(after.divergentBranches, 0);
});

test('SB2: region with region', async () => {
  const { kinds } = await melds('sb2.gfx906.O3', 'sb2');
  assert.ok(kinds.includes('region-region'));
});

test('SB3: several pairs', async () => {
  const { kinds, before, after } = await melds('sb3.gfx906.O3', 'sb3');
  assert.ok(kinds.filter((kind) => kind === 'region-region').length >= 2);
  assert.ok(after.divergentBranches! < before.divergentBranches!);
});

test('an NVPTX kernel melds, too', async () => {
  const result = await compile(await kernel('nvptx-threshold.sm_70.O3'), { emit: ['ptx'] });
  assert.ok(result.functions.some((fn) => fn.melds.length > 0));
  assert.match(text(artifact(result, 'ptx')), /\.target sm_70/);
});

test('debug information changes no code', async () => {
  for (const name of ['bitonic.gfx906.O3', 'sb1.gfx906.O3']) {
    const code = async (input: string) => {
      const elf = parseElf(artifact(await compile(await kernel(input), { emit: ['hsaco'] }), 'hsaco'));
      const symbol = elfSymbols(elf).find((each) => each.name === name.split('.')[0])!;
      return symbolBytes(elf, symbol)!;
    };
    assert.equal(await code(`${name}-g`), await code(name));
  }
});

test('replayed edit logs give the bytes of melding in place', async () => {
  const rt = await runtime();
  for (const [name, options] of [
    ['many.gfx906.O3', {}],
    ['many.gfx1100.early', EARLY],
  ] as const) {
    const bytes = await kernel(name);
    const job = withDefaults({ emit: ['obj', 'bc'], ...options });
    rt.reset();
    const functions = LlvmModule.read(rt, bytes, { cpu: '', features: '' }, 2)
      .functions()
      .map((fn) => fn.name);
    // Two workers, each melding every second function, last first.
    const shares = [0, 1].map((worker) => functions.filter((_, index) => index % 2 === worker).reverse());
    const logs = shares.flatMap((share) => meldFunctions(rt, bytes, job, { only: share }, SILENT));
    const replayed = emitModule(rt, bytes, job, structuredClone(logs).reverse(), SILENT);
    const inPlace = await compile(bytes, job);
    for (const kind of ['obj', 'bc'] as const) assert.equal(artifact(replayed, kind), artifact(inPlace, kind));
  }
});

test('asking for figures changes no byte', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const without = await compile(bytes, { emit: ['hsaco', 'bc'] });
  const with_ = await compile(bytes, { emit: ['hsaco', 'bc'], stats: true });
  assert.equal(with_.artifacts, without.artifacts);
  for (const { before, after } of without.functions) assert.equal([before, after.divergentBranches], [null, null]);
  for (const { before, after } of with_.functions)
    for (const { divergentBranches } of [before!, after]) assert.type(divergentBranches, 'number');
});

test('nothing melds: the output is that of --meld off', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const options = { emit: ['obj', 'bc', 'asm'] as const, threshold: 0.5, functions: ['many_stream'] };
  const on = await compile(bytes, options);
  const off = await compile(bytes, { ...options, meld: 'off' });
  for (const kind of options.emit) assert.equal(artifact(on, kind), artifact(off, kind));
});

test.run();
