/** When divergent switches become chains of branches although nothing melds. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { BlockId } from '../../../src/ir/ids.js';
import { CostModel } from '../../../src/melding/cost/cost-model.js';
import { costsOf } from '../../../src/melding/cost/latency.js';
import { leastGainOfLowering, loweredSwitches, loweringGain } from '../../../src/melding/decide/switches.js';
import type { NetUnit } from '../../../src/melding/plan.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/switches', { tests: 7 });

interface Shape {
  readonly cases: number;
  /** What stands in each arm. */
  readonly work?: string;
  readonly head?: string;
  /** Whether nothing gets to the default. */
  readonly isComplete?: boolean;
  readonly unit?: NetUnit;
}

/** A switch over loaded data whose arms meet again. */
function gainOf({ cases, work = '', head = 'func kernel', isComplete = false, unit = 'cycles' }: Shape) {
  const arms = Array.from({ length: cases }, (_, k) => k);
  const { f } = snapshot(`
    ${head}
    arg %p ptr1 never
    entry:
      %data = load %p !as=1 !never
      switch %data rest ${arms.map((k) => `${3 * k} arm${k}`).join(' ')}
    ${arms.map((k) => `arm${k}:\n ${work.replaceAll('%v', `%v${k}`)}\n br join`).join('\n')}
    rest:
      ${isComplete ? 'unreachable' : 'br join'}
    join:
      %x = phi ${arms.map((k) => `[${k} arm${k}]`).join(' ')} ${isComplete ? '' : '[99 rest]'}
      ret`);
  const analyses = analysesOf(f);
  const switches: BlockId[] = loweredSwitches(f, analyses);
  assert.is(switches.length, 1);
  return { gain: loweringGain(f, analyses, switches, unit), least: leastGainOfLowering(f, analyses, unit) };
}

const WORK = '%v = mul %data 7';

test('arms that do nothing become selects, however many there are', () => {
  for (const cases of [4, 8, 15]) {
    const { gain, least } = gainOf({ cases });
    assert.ok(gain > least, `${cases}: ${gain}`);
  }
  assert.ok(gainOf({ cases: 15 }).gain > gainOf({ cases: 8 }).gain);
});

test('a long chain of arms that work is worse than a tree', () => {
  assert.ok(gainOf({ cases: 15, work: WORK }).gain < 0);
  assert.ok(gainOf({ cases: 15, work: WORK }).gain < gainOf({ cases: 4, work: WORK }).gain);
});

test('where the default is unreachable, the tree needs no compares at its leaves', () => {
  assert.ok(gainOf({ cases: 5, isComplete: true }).gain < gainOf({ cases: 4 }).gain);
});

test('masks that other waves hide are not spared', () => {
  const { valu, salu, guard, diamond, hiddenMasks } = costsOf('gfx1030');
  const shown = 1 - hiddenMasks;
  // Eight compares and as many selects, instead of nine leaves below seven branches or, where a wave agrees, five compares.
  const chain = 8 * (valu + salu) + 8 * valu;
  const parted = 15 * (valu + shown * diamond) - chain;
  const agreed = 5 * (valu + shown * guard) - chain;
  const { gain } = gainOf({ cases: 8, head: 'func kernel cpu=gfx1030' });
  assert.is(gain, 0.75 * parted + 0.25 * CostModel.lossAversion * agreed);
});

test('two links are too few to be sure', () => {
  const { gain, least } = gainOf({ cases: 2, work: WORK });
  assert.ok(gain < least, `${gain}`);
  assert.is(least, costsOf('gfx906').diamond);
});

test('a chain of arms that work is smaller than a tree, however long it is', () => {
  for (const cases of [4, 15]) {
    const { gain, least } = gainOf({ cases, work: WORK, unit: 'bytes' });
    assert.ok(gain > least, `${cases}: ${gain}`);
  }
  assert.ok(
    gainOf({ cases: 8, isComplete: true, work: WORK, unit: 'bytes' }).gain <
      gainOf({ cases: 8, work: WORK, unit: 'bytes' }).gain,
  );
});

test('other targets than AMD keep their jump tables', () => {
  assert.is(gainOf({ cases: 8, head: 'func kernel cpu=sm_80 wave=32' }).gain, 0);
});

test.run();
