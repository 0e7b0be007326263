/** Histories say what was done in LLVM's own words, change nothing, and do not depend on the number of workers. */
import { createCompiler } from '../../src/index.js';
import { NONE } from '../../src/ir/ids.js';
import type { JobOptions } from '../../src/job/options.js';
import type { FunctionHistory, FunctionPicture } from '../../src/job/history.js';
import { artifact, compile, heapAfterMelding, kernel, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('record-history', { tests: 9, timeoutMs: 120_000 });
const EARLY = { meldPoint: 'early', optimize: 'O3' } as const;

async function historyOf(name: string, fn: string, options: Partial<JobOptions> = {}): Promise<FunctionHistory> {
  const job = { emit: ['bc'], report: true, functions: [fn], ...options } as const;
  const { histories } = await compile(await kernel(name), job);
  assert.is(histories.length, 1);
  return histories[0]!;
}

/** Instructions of a block. */
function instructions({ blocks, instructions: all }: FunctionPicture, b: number): readonly string[] {
  return all.slice(blocks[b]!.first, blocks[b + 1]?.first ?? all.length);
}

test.long('the same bytes with and without', async () => {
  for (const [name, options] of [
    ['many.gfx906.O3', {}],
    ['many.gfx1100.early', EARLY],
    ['bitonic.gfx906.O3-g', {}],
  ] as const) {
    const bytes = await kernel(name);
    const job = { emit: ['obj', 'bc'] as const, ...options };
    const without = await compile(bytes, job);
    const with_ = await compile(bytes, { ...job, report: true, remarks: true });
    assert.equal(without.histories, []);
    assert.ok(with_.histories.length > 0);
    for (const kind of job.emit) assert.equal(artifact(with_, kind), artifact(without, kind), name);
    assert.equal(with_.functions, without.functions);
  }
});

test('no trace in the memory of LLVM', async () => {
  const bytes = await kernel('pcm.gfx906.O3');
  const without = await heapAfterMelding(bytes, 'pcm_32', { report: false });
  assert.is(await heapAfterMelding(bytes, 'pcm_32', { report: true }), without);
});

test.long('the same with one, two and three workers', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const results = [];
  for (const threads of [1, 2, 3]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    results.push((await compiler.compile(bytes, { emit: ['bc'], report: true })).histories);
  }
  for (const histories of results) assert.equal(histories, results[0]);
});

test('words are those of LLVM', async () => {
  const bytes = await kernel('bitonic.gfx906.O3');
  const module = text(artifact(await compile(bytes, { emit: ['ll'], meld: 'off' }), 'll'));
  const { steps, after } = await historyOf('bitonic.gfx906.O3', 'bitonic');
  const { before } = steps[0]!;
  for (const line of before.instructions) assert.ok(module.includes(`  ${line.split('\n')[0]!}`), line);
  assert.is(before.blocks[0]!.name, '%entry');
  // The clean-up folds some of what a meld makes.
  assert.ok(after.instructions.some((line) => /^%meld\d* = select /.test(line)));
  for (const picture of [before, after])
    for (const [b, { successors }] of picture.blocks.entries()) {
      const last = instructions(picture, b).at(-1)!;
      assert.match(last, /^(br|ret|switch|unreachable)/);
      for (const to of successors) assert.ok(last.includes(picture.blocks[to]!.name));
    }
});

test('every meld is found again', async () => {
  const { steps, after } = await historyOf('bitonic.gfx906.O3', 'bitonic');
  assert.is(steps.length, 1);
  const [{ before, melds }] = steps as [FunctionHistory['steps'][0]];
  assert.is(melds.length, 21);
  for (const meld of melds.keys())
    assert.is(after.blocks.filter(({ holds }) => holds.some((place) => place.meld === meld)).length, 1, `meld ${meld}`);
  // What has melded is gone, what has not is the same.
  const alive = new Set(after.blocks.map(({ identity }) => identity));
  for (const { blocks } of melds)
    for (const { t, f } of blocks) for (const id of [t, f]) assert.not(alive.has(before.blocks[id]!.identity));
  const entry = after.blocks.find(({ name }) => name === '%entry')!;
  assert.is(entry.identity, before.blocks[0]!.identity);
  assert.equal(entry.holds, []);
});

test('through the rounds: a block holds what earlier rounds made', async () => {
  const { steps, after } = await historyOf('pcm.gfx906.O3', 'pcm_32', { profit: 'paper' });
  assert.equal(
    steps.map(({ melds }) => melds.length),
    [1, 1],
  );
  const between = steps[1]!.before.blocks.flatMap(({ holds }) => holds);
  assert.equal(
    between,
    Array.from({ length: 5 }, (_, block) => ({ step: 0, meld: 0, block })),
  );
  const last = after.blocks.find(({ holds }) => holds.length > 1)!;
  assert.equal(last.holds, [{ step: 1, meld: 0, block: 0 }, ...between.slice(1)]);
});

test('selects are those of operands that differ', async () => {
  const { steps } = await historyOf('bitonic.gfx906.O3', 'bitonic');
  const { before, melds, selects } = steps[0]!;
  assert.ok(selects.length >= melds.length);
  for (const { t, f, operands } of selects) {
    assert.ok(operands.length > 0);
    assert.ok(
      melds.some(({ blocks }) => blocks.some(({ alignment }) => alignment.some((a) => a.t === t && a.f === f))),
    );
    const words = [t, f].map((id) => before.instructions[id]!.replace(/^%[\w.]+ = /, ''));
    assert.is.not(words[0], words[1]);
  }
});

test('lowering switches is a step; what was taken back is none', async () => {
  const { histories, functions } = await compile(await kernel('many.gfx906.O3'), {
    emit: ['bc'],
    report: true,
    profit: 'paper',
  });
  const lowering = histories.filter(({ steps }) => steps.some(({ lowered }) => lowered.length > 0));
  assert.equal(
    lowering.map((history) => history.function),
    ['many_switch'],
  );
  assert.is(lowering[0]!.after.blocks.length, 1);
  for (const { name, melds } of functions) {
    const history = histories.find((each) => each.function === name);
    const own = history?.steps.flatMap((step) => step.melds) ?? [];
    assert.equal(
      own.map(({ net }) => net),
      melds.map(({ net }) => net),
    );
  }
  // Nothing to say of straight code.
  assert.not(histories.some((history) => history.function === 'many_stream'));
});

test.long('an analysis has pictures of all functions', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const bytes = await kernel('many.gfx906.O3');
  const { functions } = await compiler.analyze(bytes, { report: true });
  assert.ok(functions.length > 10);
  for (const { picture, blockNames, plan, divergentBranches } of functions) {
    assert.equal(
      picture!.blocks.map(({ name }) => name),
      blockNames,
    );
    // A switch counts as several branches.
    const most = picture!.blocks.map(({ divergent, successors }) =>
      divergent ? Math.max(1, successors.length - 1) : 0,
    );
    assert.ok(most.reduce((sum, count) => sum + count, 0) >= divergentBranches);
    for (const { t, f } of plan.melds.flatMap(({ blocks }) => blocks))
      for (const id of [t, f]) assert.ok(id === NONE || picture!.blocks[id] !== undefined);
  }
  for (const { picture } of (await compiler.analyze(bytes)).functions) assert.is(picture, null);
});

test.run();
