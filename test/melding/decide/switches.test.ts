/** When divergent switches become chains of branches although nothing melds. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { BlockId } from '../../../src/ir/ids.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { areWeighed, loweredSwitches, worthOfLowering } from '../../../src/melding/decide/switches.js';
import type { NetUnit } from '../../../src/melding/plan.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/switches', { tests: 13 });

interface Shape {
  readonly cases: number;
  /** How many destinations they have, in turn; by default one each. */
  readonly arms?: number;
  /** What the switch asks about; by default it is loaded. */
  readonly number?: string;
  /** What stands in each arm. */
  readonly work?: string;
  readonly head?: string;
  /** The distance between the values of cases; 3 by default. */
  readonly step?: number;
  /** Whether nothing gets to the default. */
  readonly isComplete?: boolean;
  readonly unit?: NetUnit;
}

/** A switch over loaded data whose arms meet again. */
function gainOf(shape: Shape) {
  const { cases, arms: count = cases, number = 'load %p !as=1 !never', work = '', head = 'func kernel' } = shape;
  const { step = 3, isComplete = false, unit = 'cycles' } = shape;
  const values = Array.from({ length: cases }, (_, k) => `${step * k} arm${k % count}`);
  const arms = Array.from({ length: count }, (_, k) => k);
  const { f } = snapshot(`
    ${head}
    arg %p ptr1 never
    entry:
      %id = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %data = ${number}
      switch %data rest ${values.join(' ')}
    ${arms.map((k) => `arm${k}:\n ${work.replaceAll('%v', `%v${k}`)}\n br join`).join('\n')}
    rest:
      ${isComplete ? 'unreachable' : 'br join'}
    join:
      %x = phi ${arms.map((k) => `[${k} arm${k}]`).join(' ')} ${isComplete ? '' : '[99 rest]'}
      ret`);
  const analyses = analysesOf(f);
  const switches: BlockId[] = loweredSwitches(f, analyses);
  assert.is(switches.length, 1);
  return worthOfLowering(f, analyses, switches, unit);
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

test('a tree whose default lies on one side only costs as much as a short chain', () => {
  // In front of what is loaded lie negative numbers; behind what is masked lies the rest of its range.
  const { gain, least } = gainOf({ cases: 3, step: 1, number: 'and %id 7', work: WORK });
  assert.ok(gain < least, `${gain}`);
});

test('a tree collects the threads of a default that lies on both sides, or between the cases', () => {
  for (const shape of [{ cases: 2, step: 1 }, { cases: 3, step: 1 }, { cases: 3 }]) {
    const { gain, least } = gainOf({ ...shape, work: WORK });
    assert.ok(gain > least, `${gain}`);
  }
});

test('what is asked for in a loop and known in front of it is compared once', () => {
  const inLoop = (inside: string, outside: string): number => {
    const { f } = snapshot(`
      func kernel
      arg %p ptr1 never
      entry:
        ${outside}
        br loop
      loop:
        ${inside}
        switch %data back 0 one 1 two
      one:
        %a = mul %data 7
        store %a %p !as=1
        br back
      two:
        %b = mul %data 9
        store %b %p !as=1
        br back
      back:
        %more = load %p !as=1
        %c = icmp eq %more 5
        br %c loop out
      out:
        ret`);
    const analyses = analysesOf(f);
    return worthOfLowering(f, analyses, loweredSwitches(f, analyses), 'cycles').gain;
  };
  const load = '%data = load %p !as=1 !never';
  assert.ok(inLoop('', load) > inLoop(load, ''));
});

test('where one destination has many cases, the tree collects the threads that go there', () => {
  const { gain, least } = gainOf({ cases: 12, arms: 3, work: WORK });
  assert.ok(gain > least, `${gain}`);
  assert.ok(gain > gainOf({ cases: 3, work: WORK }).gain);
});

test('where the number is known, so are the ways that threads take and what does not occur', () => {
  const of = (number: string): number => gainOf({ cases: 4, step: 1, number, work: WORK }).gain;
  // Nothing gets to the default: the tree has no compare at a leaf, and the chain has one at each link.
  assert.ok(of('and %id 3') < 0);
  // All threads but some get to the default, which lies on both sides of the cases.
  assert.ok(of('or %id 3') > 0);
});

test('the least gain is a branch', () => {
  assert.is(gainOf({ cases: 2, work: WORK }).least, costsOf('gfx906').diamond);
});

test('no meld can gain more than what there is to do in the largest divergent region around the switch', () => {
  const work = (name: string, count: number): string =>
    Array.from({ length: count }, (_, k) => `%${name}${k} = mul ${k === 0 ? '%y' : `%${name}${k - 1}`} %y\n`).join('');
  const mostOf = (blocks: string): number => {
    const { f } = snapshot(`
      func kernel
      arg %p ptr1
      arg %y i32 never
      arg %u i1
      entry:
        %data = load %p !as=1 !never
        ${blocks}`);
    const analyses = analysesOf(f);
    return worthOfLowering(f, analyses, loweredSwitches(f, analyses), 'cycles').most;
  };
  const arms = `a:\n br join\n b:\n ${work('b', 100)} br join\n c:\n ${work('c', 100)} br join`;
  const choice = `switch %data c 0 a 1 b\n ${arms}`;
  const alone = mostOf(`br s\n s:\n ${choice}\n join:\n ${work('j', 900)} ret`);
  const { valu } = costsOf('gfx906');
  assert.ok(alone > 200 * valu && alone < 900 * valu, String(alone));
  // What stands in a side of another branch may meld with the other side.
  const other = `t:\n ${work('t', 900)} br end\n s:\n ${choice}\n join:\n br end\n end:\n ret`;
  assert.ok(mostOf(`%d = icmp slt %data 0\n br %d t s\n ${other}`) > 900 * valu);
  assert.ok(mostOf(`br %u t s\n ${other}`) < 900 * valu);
  // In a loop the ways may meet in front of the switch.
  const round = choice.replace('a:\n br join', 'a:\n br head');
  assert.ok(mostOf(`br head\n head:\n br %u s out\n s:\n ${round}\n join:\n br head\n out:\n ret`) > alone);
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

test('a switch is weighed if metadata say so, or nobody knows', () => {
  const { f, block } = snapshot(`
    func kernel
    arg %n i32
    entry:
      switch %n rest 1 one
    one:
      br rest
    rest:
      ret`);
  const [at, values] = [[block('entry')], f.switchValues(block('entry'))!];
  assert.not.ok(areWeighed(f, at));
  assert.ok(areWeighed({ ...f, switchValues: () => ({ ...values, isWeighed: true }) }, at));
  assert.ok(areWeighed({ ...f, switchValues: () => null }, at));
  assert.not.ok(areWeighed({ ...f, switchValues: () => null }, []));
});

test.run();
