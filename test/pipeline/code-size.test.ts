/** `--profit size` never makes a function larger: what does not shrink the code is taken back. */
import { elfFunctionSizes } from '../../src/formats/elf.js';
import type { EditLog } from '../../src/job/edit-log.js';
import type { JobOptions } from '../../src/job/options.js';
import type { CandidateRemark } from '../../src/job/remarks.js';
import { smallestCode } from '../../src/pipeline/code-size.js';
import { compileMelded, meldFunctions } from '../../src/pipeline/compile.js';
import type { Emitted } from '../../src/pipeline/emit.js';
import { settle } from '../../src/pipeline/settle.js';
import { editLog, REMARKS } from '../support/edit-log.js';
import { artifact, compile, kernel, runtime, SILENT, text, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/code-size', { tests: 13, timeoutMs: 120_000 });

/**
 * The rounds that are kept. A function whose size is NaN has no code of its own.
 *
 * @param sizeOf a function's bytes, when so many rounds of each function are carried out
 */
function kept(rounds: Record<string, number>, sizeOf: (name: string, carriedOut: Record<string, number>) => number) {
  const all = Object.entries(rounds).map(([name, count]) => ({ ...editLog(name, 0, count), lastRemarks: REMARKS }));
  const sizesWith = (logs: readonly EditLog[]): Map<string, number> => {
    const counts = Object.fromEntries(logs.map(({ function: name, rounds: made }) => [name, made.length]));
    const sizes = [...Object.keys(rounds), 'other'].map((name) => [name, sizeOf(name, counts)] as const);
    return new Map(sizes.filter(([, size]) => !Number.isNaN(size)));
  };
  const emitWith = (logs: readonly EditLog[]): Emitted => ({
    ...{ artifacts: [], counts: new Map(), target: '', warnings: [] },
    code: { sizes: sizesWith(logs), unit: 'bytes', scratch: new Map() },
  });
  const { logs, emitted } = smallestCode(all, { emitWith, sizesWith });
  assert.equal([...emitted.code!.sizes], [...sizesWith(logs)]);
  return Object.fromEntries(logs.map(({ function: name, rounds: made }) => [name, made.length]));
}

test('each function keeps the rounds that make it smallest, the fewest of them', () => {
  const sizes: Record<string, number[]> = { a: [100, 90, 95], b: [50, 60], c: [10, 9, 8], d: [7, 7], e: [9, 12, 8] };
  const found = kept({ a: 2, b: 1, c: 2, d: 1, e: 2 }, (name, counts) => sizes[name]?.[counts[name]!] ?? 1);
  assert.equal(found, { a: 1, b: 0, c: 2, d: 0, e: 2 });
});

test('where another function gets larger, none keeps any', () => {
  const sizeOf = (name: string, counts: Record<string, number>): number =>
    name === 'other' ? 100 + counts['a']! : 50 - (counts[name] ?? 0);
  assert.equal(kept({ a: 1, b: 1 }, sizeOf), { a: 0, b: 0 });
});

test('what has no code of its own keeps no melds', () => {
  const sizeOf = (name: string, counts: Record<string, number>): number =>
    name === 'inlined' || (name === 'gone' && counts[name] === 1) ? NaN : 50 - (counts[name] ?? 0);
  assert.equal(kept({ inlined: 1, gone: 1, b: 1 }, sizeOf), { inlined: 0, gone: 0, b: 1 });
});

const sizesOf = async (input: Uint8Array, options: Partial<JobOptions>): Promise<Map<string, number>> =>
  elfFunctionSizes(artifact(await compile(input, { ...options, emit: ['obj'] }), 'obj'));

test('bitonic sort gets smaller, on both families', async () => {
  for (const target of ['gfx906', 'gfx1100']) {
    const input = await kernel(`bitonic.${target}.O3`);
    const [before, after] = [await sizesOf(input, { meld: 'off' }), await sizesOf(input, { profit: 'size' })];
    assert.ok(after.get('bitonic')! < 0.8 * before.get('bitonic')!, target);
  }
});

test('melds that the planner likes and that make a kernel larger are taken back', async () => {
  const input = await kernel('sb3r.gfx906.O3');
  const before = await sizesOf(input, { meld: 'off' });
  const result = await compile(input, { profit: 'size', emit: ['obj'], remarks: true, report: true });
  const after = elfFunctionSizes(artifact(result, 'obj'));
  for (const [name, size] of after) assert.ok(size <= before.get(name)!, name);
  const fn = result.functions.find(({ name }) => name === 'sb3r_32')!;
  assert.equal([fn.melds.length, fn.bailout], [0, null]);
  const missed = result.remarks.filter(
    (remark): remark is CandidateRemark => remark.kind === 'missed' && remark.function === 'sb3r_32',
  );
  assert.ok(missed.some(({ rule, reason }) => rule === '7' && /^the code would be no smaller: \d+ bytes/.test(reason)));
  const history = result.histories.find((each) => each.function === 'sb3r_32')!;
  assert.is(history.steps.length, 0);
  assert.ok(history.after.candidates.every(({ verdict }) => verdict === 'refuse'));
});

test('kernels for Mesa, and those whose symbols are not their names, get smaller, too', async () => {
  const bitonic = text(artifact(await compile(await kernel('bitonic.gfx906.O3'), { meld: 'off', emit: ['ll'] }), 'll'));
  for (const changed of [
    bitonic.replace('amdgcn-amd-amdhsa', 'amdgcn--mesa3d'),
    bitonic.replaceAll('@bitonic(', '@"\\01sort it"('),
  ]) {
    assert.is.not(changed, bitonic);
    const { functions } = await compile(new TextEncoder().encode(changed), { profit: 'size', emit: ['obj'] });
    assert.ok(functions[0]!.melds.length > 0, functions[0]!.name);
  }
});

test('every kind of output holds the same melds', async () => {
  const input = await kernel('sb3r.gfx906.O3');
  const ir = async (options: Partial<JobOptions>) =>
    text(artifact(await compile(input, { ...options, emit: ['ll'] }), 'll'));
  assert.is(await ir({ profit: 'size' }), await ir({ meld: 'off' }));
  assert.is.not(await ir({ profit: 'paper' }), await ir({ meld: 'off' }));
});

test.long('workers that meld some functions each make the same code', async () => {
  const rt = await runtime();
  const input = await kernel('many.gfx1100.O3');
  const options = withDefaults({ profit: 'size', emit: ['obj'] });
  const logs = meldFunctions(rt, input, options, {}, SILENT);
  const apart = artifact(compileMelded(rt, input, options, logs, SILENT), 'obj');
  assert.equal(apart, artifact(await compile(input, options), 'obj'));
});

test('early melds make no function larger either', async () => {
  const input = await kernel('sb2.gfx906.early');
  const early = { optimize: 'O3', meldPoint: 'early' } as const;
  const before = await sizesOf(input, { optimize: 'O3', meld: 'off' });
  for (const [name, size] of await sizesOf(input, { ...early, profit: 'size' }))
    assert.ok(size <= before.get(name)!, name);
});

test.long('auto is the meld point with the smaller code', async () => {
  const rt = await runtime();
  const total = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((a, b) => a + b, 0);
  for (const name of ['bitonic', 'sb2', 'pcm']) {
    const input = await kernel(`${name}.gfx906.early`);
    const options = { optimize: 'O3', profit: 'size' } as const;
    const at = async (meldPoint: 'early' | 'late') => total(await sizesOf(input, { ...options, meldPoint }));
    const smaller = (await at('early')) < (await at('late')) ? 'early' : 'late';
    const { options: settled } = settle(rt, input, withDefaults({ ...options, meldPoint: 'auto' }));
    assert.is(settled.meldPoint, smaller, name);
  }
});

test('on NVPTX, instructions of PTX count', async () => {
  const input = await kernel('nvptx-threshold.sm_70.O3');
  const count = async (options: Partial<JobOptions>): Promise<number> => {
    const { functions } = await compile(input, { ...options, emit: ['ptx'] });
    return functions.reduce((sum, { after }) => sum + after.machineInstructions!, 0);
  };
  assert.ok((await count({ profit: 'size' })) <= (await count({ meld: 'off' })));
});

test('where there is no target, there is no code to compare', async () => {
  const input = text(artifact(await compile(await kernel('bitonic.gfx906.O3'), { meld: 'off', emit: ['ll'] }), 'll'));
  const untargeted = new TextEncoder().encode(input.replace(/^target triple = .*$/m, ''));
  const options = { optimize: 'O1', profit: 'size', meldPoint: 'auto', emit: ['ll'] } as const;
  assert.is(settle(await runtime(), untargeted, withDefaults(options)).options.meldPoint, 'late');
  const { artifacts, functions } = await compile(untargeted, { ...options, meldPoint: 'late', stats: true });
  assert.is(artifacts.length, 1);
  assert.is(functions[0]!.after.machineInstructions, null);
});

test('a report says bytes', async () => {
  const { functions, remarks, histories } = await compile(await kernel('bitonic.gfx906.O3'), {
    ...{ profit: 'size', remarks: true, report: true, emit: ['obj'] },
  });
  assert.equal(
    [
      functions[0]!.netUnit,
      histories[0]!.netUnit,
      ...new Set(remarks.map((each) => 'netUnit' in each && each.netUnit)),
    ],
    ['bytes', 'bytes', 'bytes'],
  );
});

test.run();
