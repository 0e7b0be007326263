import fc from 'fast-check';
import type { BlockId, InstrId } from '../../../src/ir/ids.js';
import { analysesOf } from '../../../src/analysis/analyses.js';
import { planningContext } from '../../../src/melding/cost/context.js';
import { swappedPredicate } from '../../../src/ir/predicates.js';
import { Matcher, OperandOrder } from '../../../src/melding/cost/matching.js';
import { type BlockProfiles, subgraphProfit } from '../../../src/melding/cost/profitability.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/matching', { tests: 8 });

/** The meaning of LLVM's predicates, written independently of the code. */
const fcmp = (p: number, a: number, b: number): boolean =>
  Number.isNaN(a) || Number.isNaN(b) ? (p & 8) !== 0 : a === b ? (p & 1) !== 0 : a > b ? (p & 2) !== 0 : (p & 4) !== 0;
const icmp = (p: number, a: number, b: number): boolean => {
  const [x, y] = p >= 38 || p < 34 ? [a, b] : [a >>> 0, b >>> 0];
  return [x === y, x !== y, x > y, x >= y, x < y, x <= y, x > y, x >= y, x < y, x <= y][p - 32];
};

test('swapped predicates mean the same with operands exchanged', () => {
  const value = fc.constantFrom(-3, -1, 0, 1, 2, NaN);
  fc.assert(
    fc.property(fc.nat(15), value, value, (p, a, b) => assert.is(fcmp(p, a, b), fcmp(swappedPredicate(p), b, a))),
    { numRuns: 500 },
  );
  const int = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(fc.integer({ min: 32, max: 41 }), int, int, (p, a, b) =>
      assert.is(icmp(p, a, b), icmp(swappedPredicate(p), b, a)),
    ),
    { numRuns: 500 },
  );
});

const pairOf = (t: string, f: string, canPair = (): boolean => true): number => {
  const s = snapshot(`arg %a\narg %b\narg %p ptr3\nentry:\n%t = ${t}\n%f = ${f}\nret`);
  return new Matcher(s.f, canPair).orders(s.instr('%t'), s.instr('%f'));
};

test('orders of operands', () => {
  assert.is(pairOf('sub %a %b', 'sub %b %a'), OperandOrder.Straight);
  assert.is(pairOf('add %a %b', 'add %b %a'), OperandOrder.Either);
  assert.is(pairOf('add %a %b', 'sub %b %a'), OperandOrder.None);
  assert.is(pairOf('icmp slt %a %b', 'icmp slt %a %b'), OperandOrder.Straight);
  assert.is(pairOf('icmp slt %a %b', 'icmp sgt %a %b'), OperandOrder.Swapped);
  assert.is(pairOf('icmp slt %a %b', 'icmp ugt %a %b'), OperandOrder.None);
  assert.is(pairOf('icmp ne %a %b', 'icmp ne %a %b'), OperandOrder.Either);
  assert.is(pairOf('fcmp olt %a %b', 'fcmp ogt %a %b'), OperandOrder.Swapped);
});

test('what never pairs', () => {
  assert.is(pairOf('call @f %a !+Convergent', 'call @f %a !+Convergent'), OperandOrder.None);
  assert.is(pairOf('add %a %b !key=none', 'add %a %b !key=none'), OperandOrder.None);
  assert.is(pairOf('alloca 1 !key=x', 'alloca 1 !key=x'), OperandOrder.None);
  assert.is(pairOf('add %a %b !+NeverMelds', 'add %a %b'), OperandOrder.None);
});

test('the pair check is asked once per pair', () => {
  const s = snapshot('arg %a\nentry:\n%t = call @f %a\n%f = call @f %a\nret');
  let asked = 0;
  const matcher = new Matcher(s.f, (t: InstrId, f: InstrId) => (asked++, t > f));
  for (let k = 0; k < 3; k++) assert.is(matcher.orders(s.instr('%t'), s.instr('%f')), OperandOrder.None);
  assert.is(asked, 1);
});

/** MP_B of two blocks. */
const blockProfit = (profiles: BlockProfiles, a: BlockId, b: BlockId): number => subgraphProfit(profiles, [[a, b]]);

const profiles = (text: string) => {
  const s = snapshot(text);
  return { s, ctx: planningContext(s.f, analysesOf(s.f), DARM, () => true) };
};

test('MP_B: half for equal profiles in any order, nothing without common opcodes', () => {
  const { s, ctx } = profiles(`arg %a
    x:
      %1 = add %a 1
      %2 = mul %1 3
      br y
    y:
      %3 = mul %a 3
      %4 = add %a 3
      br z
    z:
      %5 = sub %a 3
      br w
    w:
      ret`);
  const p = ctx.profiles;
  assert.is(blockProfit(p, s.block('x'), s.block('y')), 0.5);
  assert.is(blockProfit(p, s.block('x'), s.block('z')), 0);
  assert.is(blockProfit(p, s.block('w'), s.block('w')), 0);
});

test('MP_B weighs by latency; loads from different memories are different types', () => {
  const { s, ctx } = profiles(`arg %p ptr3
    arg %g ptr1
    x:
      %1 = load %p
      %2 = load %g
      br y
    y:
      %3 = load %p
      br z
    z:
      ret`);
  const { lds, global } = costsOf('gfx906');
  assert.is(blockProfit(ctx.profiles, s.block('x'), s.block('y')), lds / (2 * lds + global));
});

test('MP_S is the latency-weighted mean of MP_B', () => {
  const body = fc.array(fc.constantFrom('add', 'mul', 'xor', 'udiv'), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(body, body), { minLength: 1, maxLength: 4 }), (pairs) => {
      const blocks = pairs.flat();
      const text = blocks
        .map((ops, b) => `b${b}:\n${ops.map((o, i) => `%v${b}_${i} = ${o} %a 3`).join('\n')}\nbr b${b + 1}`)
        .join('\n');
      const { s, ctx } = profiles(`arg %a\n${text}\nb${blocks.length}:\nret`);
      const named = pairs.map((_, k) => [s.block(`b${2 * k}`), s.block(`b${2 * k + 1}`)] as const);
      const lat = ([a, b]: (typeof named)[number]): number => ctx.profiles.latency(a) + ctx.profiles.latency(b);
      const total = named.reduce((sum, p) => sum + lat(p), 0);
      const mean =
        total === 0 ? 0 : named.reduce((sum, p) => sum + blockProfit(ctx.profiles, ...p) * lat(p), 0) / total;
      const value = subgraphProfit(ctx.profiles, named);
      assert.ok(Math.abs(value - mean) < 1e-12);
      assert.ok(value >= 0 && value <= 0.5);
    }),
  );
});

test('every target has costs', () => {
  for (const cpu of ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1151', 'gfx803', 'sm_90']) {
    const c = costsOf(cpu);
    assert.ok(c.lds < c.global && c.salu <= c.valu && c.exposed > 0 && c.exposed <= 1, cpu);
  }
});

test.run();
