import { analysesOf } from '../../src/melding/context.js';
import { planFunction } from '../../src/melding/planner.js';
import type { FunctionPlan, PlanOptions } from '../../src/melding/plan.js';
import type { BuiltSnapshot } from '../support/snapshot-builder.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
const test = suite('melding/planner', { tests: 1 });
const NET: PlanOptions = { profit: 'net', threshold: 0.2 };
function plan(text: string, options = NET): [FunctionPlan, BuiltSnapshot] {
  const s = snapshot(text);
  return [planFunction(s.f, analysesOf(s.f), options, () => true), s];
}
test('x', () => {
const A=`
arg %c i1 never
arg %a i32 never
arg %b i32 never
arg %p ptr3
entry:
 br %c bt bf
bt:
 %x = icmp ult %a %b
 br %x swap join
bf:
 %y = icmp ugt %a %b
 br %y swap join
swap:
 store %a %p
 br join
join:
 ret`;
const B=`
arg %c i1 never
arg %p ptr3 never
arg %q ptr3 never
entry:
 br %c t f
t:
 %t1 = load %p
 %t2 = load %q
 %tc = icmp ult %t1 %t2
 br %tc tswap tj
tswap:
 store %t1 %q
 store %t2 %p
 br tj
tj:
 br join
f:
 %f1 = load %p
 %f2 = load %q
 %fc = icmp ugt %f1 %f2
 br %fc fswap fj
fswap:
 store %f1 %q
 store %f2 %p
 br fj
fj:
 br join
join:
 ret`;
const D=`
arg %c i1 never
arg %i i32 never
arg %v i32 never
entry:
 br %c t f
t:
 %tp = gep @a:ptr3 %i !type=ptr3
 %t1 = load %tp
 %t2 = mul %t1 %v
 %t3 = add %t2 %i
 store %t3 %tp
 br join
f:
 %fp = gep @b:ptr3 %i !type=ptr3
 %f1 = load %fp
 %f2 = mul %f1 %v
 %f3 = add %f2 %i
 store %f3 %fp
 br join
join:
 ret`;
for (const x of [A,B,D]) for (const o of [NET, {profit:'paper', threshold:0.2} as PlanOptions]) { const [p]=plan(x,o); console.log(JSON.stringify(p,null,1).replace(/\n\s*/g,' ')); }
assert.ok(true);
});
test.run();
