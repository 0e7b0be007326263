/** Which work all waves run, also those without a thread for it. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { planningContext } from '../../../src/melding/cost/context.js';
import { idleInstrs } from '../../../src/melding/cost/idle-work.js';
import { busyEffect, evaluate } from '../../../src/melding/draft/evaluate.js';
import { Draft } from '../../../src/melding/draft/draft.js';
import { PairTable } from '../../../src/melding/draft/pair-facts.js';
import { switchCosts, switchShape } from '../../../src/melding/cost/switch-shape.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { diamondFrame } from '../../support/diamond-frame.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot, type BuiltSnapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/idle-work', { tests: 7 });

const chain = (length: number, first = '%i'): string =>
  Array.from({ length }, (_, k) => `%s${k} = xor ${k === 0 ? first : `%s${k - 1}`} %j`).join('\n');

/** A diamond. @param entry in front of the branch @param t the side that is looked at @param of the numbers it uses */
const diamond = (t: string, { entry = '', condition = '%c', behind = 'join', of = 'never' } = {}): BuiltSnapshot =>
  snapshot(`
    arg %c i1 never
    arg %i i32 ${of}
    arg %j i32 ${of}
    arg %p ptr1 never
    entry:
      ${entry}
      br ${condition} t f
    t:
      ${t}
      br ${behind}
    f:
      %b = mul %i %j
      store %b %p !as=1
      br join
    ${behind === 'join' ? '' : `${behind}:\n store %j %p !as=1\n br join`}
    join:
      ret`);

function idle(s: BuiltSnapshot, options = DARM): number {
  const ctx = planningContext(s.f, analysesOf(s.f), options, () => true);
  return idleInstrs(ctx, s.block('entry'), s.block('t')).length;
}

test('a short side is run by all waves, a long one by those that have a thread for it', () => {
  const { unskipped } = costsOf('gfx906');
  assert.is(idle(diamond(chain(3))), 3);
  assert.is(idle(diamond(chain(unskipped))), unskipped);
  assert.is(idle(diamond(chain(unskipped + 1))), 0);
});

test('a short case of a switch too, unless it waits for something', () => {
  const idleCase = (entry: string): number => {
    const s = snapshot(`
      arg %v i32 never
      arg %i i32 never
      arg %j i32 never
      arg %p ptr1 never
      entry:
        ${entry}
        switch %v end 1 one
      one:
        %a = xor %x %j
        br end
      end:
        %r = phi [%i entry] [%a one]
        store %r %p !as=1
        ret`);
    const analyses = analysesOf(s.f);
    const runs = [{ low: 1n, high: 1n, to: s.block('one') }];
    return switchShape(switchCosts(s.f, analyses), analyses, s.block('entry'), {
      runs,
      gaps: [true, true],
      isUnsigned: true,
    }).idle[0]!;
  };
  assert.is(idleCase('%x = xor %i 3'), 4);
  assert.is(idleCase('%x = load %p !as=1'), 0);
});

test('code generation branches around accesses, calls and a part of a side', () => {
  assert.is(idle(diamond('store %j %p !as=1')), 0);
  const call = '%x = call @llvm.f %s1 !+Intrinsic !lat=1';
  assert.is(idle(diamond(`${chain(2)}\n${call}`)), 3);
  assert.is(idle(diamond(`${chain(2)}\n${call} !+Convergent`)), 0);
  assert.is(idle(diamond(chain(3), { behind: 'more' })), 0);
  // A check that may fail divides the side, although all threads that come back go on to the join.
  const checked = snapshot(`
    arg %c i1 never
    arg %d i1 never
    arg %i i32 never
    arg %j i32 never
    entry:
      br %c t f
    t:
      ${chain(3)}
      br %d join fail
    f:
      br join
    fail:
      call @fail !+Call
      unreachable
    join:
      ret`);
  const { liveFlow } = analysesOf(checked.f);
  const { graph, postDominators } = liveFlow!;
  const live = planningContext(checked.f, analysesOf(checked.f), DARM, () => true).with({ graph, postDominators });
  assert.equal(idleInstrs(live, checked.block('entry'), checked.block('t')), []);
});

test('it branches around a wait, too', () => {
  const entry = '%v = load %p !as=1 !lat=80';
  const t = chain(3, '%v');
  assert.is(idle(diamond(t, { entry })), 0);
  // The branch has waited already, or other work in front of it.
  assert.is(idle(diamond(t, { entry: `${entry}\n%d = icmp slt %v 3`, condition: '%d' })), 3);
  assert.is(idle(diamond(t, { entry: `${entry}\n%w = add %v %j\nstore %w %p !as=1` })), 3);
  // What makes no code there has not waited.
  assert.is(idle(diamond(t, { entry: `${entry}\n%w = trunc %v !type=i16 !lat=0\nstore %w %p !as=1` })), 0);
  assert.is(idle(diamond(t, { entry: `${entry}\n%d = icmp slt %v 3\ncall @llvm.assume %d !+Marker` })), 0);
});

test('what sinks into a side is a part of it', () => {
  const entry = '%x = mul %i 3\n%y = mul %x 5';
  assert.is(idle(diamond(chain(3, '%y'), { entry })), 5);
  assert.is(idle(diamond(chain(8, '%y'), { entry })), 0);
});

test("nothing is known in front of LLVM's pipeline", () => {
  assert.is(idle(diamond(chain(3)), { ...DARM, optimizesLater: true }), 0);
});

test('a draft has the work of both sides that all waves run, by how often the branch runs', () => {
  const { idle: work } = evaluate(new Draft(new PairTable(diamondFrame(diamond(chain(3))))));
  assert.equal(work, { t: 3 * costsOf('gfx906').valu, f: 0 });
  // Scalar work costs nothing where other waves hide it.
  const draft = new Draft(new PairTable(diamondFrame(diamond(chain(3), { of: '' }))));
  const outcome = evaluate(draft);
  assert.equal([outcome.idle.t, busyEffect(draft, outcome).idle.t], [3 * costsOf('gfx906').salu, 0]);
});

test.run();
