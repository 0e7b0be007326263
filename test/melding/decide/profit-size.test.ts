/** What melds where code size is the profit: bytes count, and neither how often code runs nor how often waves part. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { FunctionPlan, PlanOptions } from '../../../src/melding/plan.js';
import { planFunction } from '../../../src/melding/decide/plan-function.js';
import { remediesOf } from '../../../src/melding/decide/remedies.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/profit-size', { tests: 6 });

const SIZE: PlanOptions = { ...DARM, profit: 'size', threshold: 0 };

interface Shape {
  readonly condition?: string;
  readonly t: string;
  readonly f: string;
  readonly head?: string;
}

const built = ({ condition = '%c = icmp slt %tid 128', t, f, head = 'func kernel +AsksWaves' }: Shape) =>
  snapshot(`
    ${head}
    arg %p ptr1
    arg %a i32 never
    arg %b i32 never
    arg %n i32
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %at = gep %p %tid
      %to = gep %p %a
      ${condition}
      br %c t f
    t:
      ${t}
      br join
    f:
      ${f}
      br join
    join:
      ret`);

function planned(shape: Shape, options = SIZE): FunctionPlan {
  const { f } = built(shape);
  return planFunction(f, analysesOf(f), options, () => true);
}

/** A product and a store. */
const WORK = { t: '%x = mul %a 7\n store %x %at !as=1', f: '%y = mul %b 7\n store %y %at !as=1' };
/** Two sides that have nothing but a cheap operation in common, of operands that differ. */
const UNLIKE = {
  t: '%x = add %a %n\n %s = fadd 1.0:float 3.0:float !key=one\n store %x %at !as=1 !key=st\n store %s %at !as=1 !key=sf',
  f: '%y = add %b %tid\n atomicrmw %at %y !as=1 !name=old\n fence !name=fence',
};

test('a branch melds at which waves hardly part', () => {
  const { melds, versions } = planned(WORK);
  assert.is(melds.length, 1);
  assert.equal(versions, []);
  assert.equal(planned(WORK, DARM).melds, []);
});

test('a net is bytes: the product, the store and the branch, without the select', () => {
  const { melds, netUnit } = planned(WORK);
  const { net } = melds[0]!;
  assert.is(netUnit, 'bytes');
  assert.ok(net > 8 + 8 && net < 8 + 8 + 24 + 1, `${net}`);
  assert.is(planned(WORK, DARM).netUnit, 'cycles');
});

test('how often a block runs does not matter', () => {
  const inLoop = (branch: string) =>
    snapshot(`
      arg %p ptr1
      arg %a i32 never
      arg %b i32 never
      arg %c i1 never
      entry:
        br head
      head:
        %k = phi [0 entry] [%next join]
        %at = gep %p %a
        br %c t f
      t:
        ${WORK.t}
        br join
      f:
        ${WORK.f}
        br join
      join:
        %next = add %k 1
        %again = icmp slt %next 100
        ${branch}
      out:
        ret`);
  const netOf = (branch: string): number => {
    const { f } = inLoop(branch);
    return planFunction(f, analysesOf(f), SIZE, () => true).melds[0]!.net;
  };
  assert.is(netOf('br %again head out'), netOf('br %again out out'));
});

test('there are no versions, because they copy code', () => {
  const options: PlanOptions = { ...SIZE, versions: 'always' };
  assert.is(planned(WORK, options).melds.length, 1);
  assert.equal(planned(WORK, options).versions, []);
});

test('what would be larger does not meld, and the remedy says how many bytes it lacks', () => {
  const s = built(UNLIKE);
  const plan = planFunction(s.f, analysesOf(s.f), SIZE, () => true);
  assert.equal(plan.melds, []);
  const remedies = remediesOf({ fn: s.f, analyses: analysesOf(s.f), options: SIZE, canPair: () => true }, plan);
  assert.ok(
    remedies.some((remedy) => remedy !== null && /bytes more|fewer operands/.test(remedy)),
    remedies.join('; '),
  );
});

test('a uniform branch stays', () => {
  const { melds, candidates } = planned({ ...WORK, condition: '%c = icmp slt %n 128' });
  assert.equal([melds.length, candidates.length], [0, 0]);
});

test.run();
