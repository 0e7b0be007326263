import { NONE, type BlockId, type InstrId } from '../../../src/ir/ids.js';
import { analysesOf } from '../../../src/analysis/analyses.js';
import { planningContext } from '../../../src/melding/cost/context.js';
import { evaluate } from '../../../src/melding/draft/evaluate.js';
import { Draft } from '../../../src/melding/draft/draft.js';
import { Frame } from '../../../src/melding/draft/frame.js';
import { cyclesOf, pairGain } from '../../../src/melding/cost/gains.js';
import { lostOffsetCost, lostWidth } from '../../../src/melding/draft/losses.js';
import { PairTable } from '../../../src/melding/draft/pair-facts.js';
import { memoryAccesses } from '../../../src/melding/cost/memory-accesses.js';
import { canSelect, moveCycles } from '../../../src/melding/cost/operands.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { alignBlocks, proposePhis } from '../../../src/melding/decide/pairing.js';
import type { ProfitModel } from '../../../src/melding/plan.js';
import { planFunction } from '../../../src/melding/decide/plan-function.js';
import { pairedShape } from '../../../src/melding/draft/shape.js';
import { prune } from '../../../src/melding/decide/prune.js';
import { breaksUniformDemand, meldedUniformity } from '../../../src/melding/draft/uniformity.js';
import { diamondFrame } from '../../support/diamond-frame.js';
import { DARM } from '../../support/plan-options.js';
import type { BuiltSnapshot } from '../../support/snapshot-builder.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/draft/evaluate', { tests: 15 });

const { valu, salu, diamond, hiddenMasks, ldsStore } = costsOf('gfx906');

/** A draft over the blocks `t` and `f` of a diamond, paired and pruned. */
function drafted(t: string, f: string, profit: ProfitModel = 'net'): { draft: Draft; s: BuiltSnapshot } {
  const s = snapshot(`
    arg %c i1 never
    arg %i i32 never
    arg %j i32 never
    arg %n i32
    arg %m i32
    arg %p ptr3 never
    arg %g ptr1 never
    entry:
      br %c t f
    t:
      ${t}
      br join
    f:
      ${f}
      br join
    join:
      ret`);
  return { draft: pairedDraft(diamondFrame(s), profit), s };
}

function pairedDraft(frame: Frame, profit: ProfitModel = 'net'): Draft {
  const draft = new Draft(new PairTable(frame));
  proposePhis(draft);
  alignBlocks(draft, profit, null);
  prune(draft, profit);
  return draft;
}

test('scalar work is cheap, and stays scalar when it is the same on both sides', () => {
  const { draft, s } = drafted('%a = mul %n 3\nstore %a %p', '%b = mul %n 3\nstore %b %p');
  assert.is(draft.partner[s.instr('%a')], s.instr('%b'));
  assert.is(meldedUniformity(draft).divergent[s.instr('%a')], 0);
  assert.is(cyclesOf(draft.ctx, s.instr('%a'), false), salu);
  assert.is(cyclesOf(draft.ctx, s.instr('%a'), true), valu);
});

test('scalar work that would turn vector is not melded', () => {
  const { draft, s } = drafted('%a = mul %n 3\nstore %i %p', '%b = mul %m 5\nstore %i %p');
  assert.is(draft.partner[s.instr('%a')], -1);
  assert.is(evaluate(draft).guardedRuns, 0);
});

test('a pair that costs two selects goes, unless one between conditions is dearer', () => {
  const t = '%a = xor %i 3\n%u = shl %a %j\nstore %u %p';
  const f = '%b = xor %j 5\n%v = lshr %b %i\nstore %v %p';
  const { draft, s } = drafted(t, f);
  assert.is(draft.partner[s.instr('%a')], -1);
  const { draft: faithful } = drafted(t, f, 'paper');
  assert.ok(faithful.partner[s.instr('%a')] >= 0);
  const { draft: compares } = drafted('%a = icmp slt %i 3\nstore %a %p', '%b = icmp slt %j 5\nstore %b %p');
  assert.ok(compares.partner[s.instr('%a')] >= 0);
});

test('a smaller alignment costs; so does a lost constant offset', () => {
  const { draft, s } = drafted(
    '%a = load %g !type=v4xi32 !align=16 !key=w\n%x = gep @s:ptr3 4 !type=ptr3\n%y = load %x\nstore %y %p',
    '%b = load %g !type=v4xi32 !align=4 !key=w\n%z = gep @s:ptr3 8 !type=ptr3\n%w = load %z\nstore %w %p',
  );
  const { ctx } = draft;
  assert.ok(pairGain(ctx, s.instr('%a'), s.instr('%b'), true) < pairGain(ctx, s.instr('%a'), s.instr('%a'), true));
  assert.ok(lostOffsetCost(draft, ctx, s.instr('%y'), s.instr('%w')) > 0);
});

test('two indices that all threads share become one that they do not share', () => {
  const side = (x: string, index: string): string =>
    `%v${x} = load %g !type=v8xi32 !key=w\n%${x} = extractelement %v${x} ${index} !type=i32 !lat=2\nstore %${x} %p`;
  const { draft, s } = drafted(side('a', '%n'), side('b', '%m'));
  const gain = (other: string): number => pairGain(draft.ctx, s.instr('%a'), s.instr(other), true);
  // A compare and a select for each element, where two instructions were.
  assert.is(gain('%a') - gain('%b'), (8 * 2 - 2) * valu);
});

test('the net of a diamond of equal work: the work and the branch', () => {
  const { draft } = drafted('%a = mul %i %j\nstore %a %p', '%b = mul %i %j\nstore %b %p');
  const { net, vain, realPairs, guardedRuns } = evaluate(draft);
  assert.equal([realPairs, guardedRuns], [2, 0]);
  assert.ok(Math.abs(net - (diamond + valu + ldsStore + 0.1)) < 1e-9, String(net));
  // When only one side runs, the work of the other side is done for nothing, and a part of the mask's handling is none.
  const spared = valu + ldsStore + diamond * hiddenMasks;
  assert.equal(vain, { t: spared, f: spared });
});

test('guards are counted, and a shared diamond is cheaper', () => {
  const one = drafted('store %i %p !key=x', '%b = mul %i %j').draft;
  const two = drafted('store %i %p !key=x', 'store %j %g !key=y').draft;
  assert.ok(evaluate(one).net > evaluate(two).net);
  assert.is(evaluate(two).guardedRuns, 2);
});

test('one select serves all users of the same two values', () => {
  const t = '%a = udiv %i %n\n%x = udiv %i %m\nstore %a %p\nstore %x %p';
  const f = '%b = udiv %j %n\n%y = udiv %j %m\nstore %b %p\nstore %y %p';
  const { draft } = drafted(t, f);
  const { draft: same } = drafted(t, f.replaceAll('%j', '%i'));
  assert.ok(Math.abs(evaluate(same).net - evaluate(draft).net - valu) < 1e-9);
});

test('a uniform demand behind a value that turns divergent refuses the meld', () => {
  const side = (x: string, n: string): string => `%${x} = udiv ${n} 7
    %${x}1 = load %g
    store %${x} %p
    call @llvm.descriptor %${x}^u %i !key=none`;
  const { draft } = drafted(side('a', '%n'), side('b', '%m'), 'paper');
  assert.ok(breaksUniformDemand(draft, meldedUniformity(draft)));
  const text = `arg %c i1 never\narg %i i32 never\narg %n\narg %m\narg %p ptr3 never\narg %g ptr1 never
    entry:\nbr %c t f\nt:\n${side('a', '%n')}\nbr join\nf:\n${side('b', '%m')}\nbr join\njoin:\nret`;
  const s = snapshot(text);
  const plan = planFunction(s.f, analysesOf(s.f), { ...DARM, profit: 'paper', threshold: 0.2 }, () => true);
  assert.equal([plan.melds.length, plan.candidates[0].rule], [0, '2']);
});

test('selects: types and pointers', () => {
  const s = snapshot(`arg %p ptr1\narg %q ptr1\narg %i\narg %t token\narg %u token
    entry:
      %a = alloca 1
      %b = alloca 1
      %a1 = gep %a 1
      %x = addrspacecast %p !type=ptr
      %y = addrspacecast %a !type=ptr
      %z = addrspacecast %q !type=ptr
      ret`);
  const ctx = planningContext(s.f, analysesOf(s.f), DARM, () => true);
  const can = (x: string, y: string): boolean => canSelect(ctx, s.value(x), s.value(y));
  assert.ok(can('%p', '%q') && can('%a', '%a1') && can('%x', '%z'));
  assert.not(can('%a', '%b') || can('%x', '%y') || can('%p', '%i') || can('%t', '%u'));
});

test('a byte whose sign is compared is extended for a select, where instructions can name bytes', () => {
  const cost = (cpu: string, compare: string, type = 'i8'): number => {
    const s = snapshot(`
      func kernel cpu=${cpu}
      arg %c i1 never
      arg %p ptr1 never
      entry:
        %a = load %p !as=1 !type=${type} !never
        %b = load %p !as=1 !type=${type} !never
        %sign = icmp ${compare} %a 0:${type}
        br %c t f
      t:
        br join
      f:
        br join
      join:
        ret`);
    return moveCycles(
      planningContext(s.f, analysesOf(s.f), DARM, () => true),
      s.value('%a'),
      s.value('%b'),
    );
  };
  assert.is(cost('gfx906', 'slt'), valu);
  assert.equal([cost('gfx906', 'ult'), cost('gfx906', 'slt', 'i16'), cost('gfx1100', 'slt')], [0, 0, 0]);
  assert.ok(cost('gfx1030', 'sgt') > 0);
});

test('work in front of the branch for one side alone is done in vain where a wave agrees', () => {
  const evaluated = (user: string) => {
    const s = snapshot(`
      arg %c i1 never
      arg %i i32 never
      arg %p ptr3 never
      entry:
        %x = mul %i 3
        %y = mul %i 5
        br %c t f
      t:
        %a = add %i ${user}
        store %a %p !as=3
        br join
      f:
        %b = add %i %y
        store %b %p !as=3
        br join
      join:
        ret`);
    return evaluate(pairedDraft(diamondFrame(s)));
  };
  const both = evaluated('%x');
  // What both sides use stays in front of both.
  const shared = evaluated('%y');
  assert.is(both.vain.t - shared.vain.t, valu);
});

/** Two sides with a condition each, which the first block of each side asks. */
const nested = (front: string, [t, f]: readonly [string, string], values: string): BuiltSnapshot =>
  snapshot(`
    arg %c i1 never
    arg %d i1 never
    arg %i i32 never
    arg %j i32 never
    arg %p ptr1 never
    arg %q ptr1 never
    entry:
      ${front}
      br %c t f
    t:
      %x = add %l 1
      br %d t1 join
    t1:
      ${t}
      br join
    f:
      %y = add %l 1
      br %d f1 join
    f1:
      ${f}
      br join
    join:
      %z = phi ${values}
      ret %z`);

function draftOfNested(s: BuiltSnapshot): Draft {
  const ctx = planningContext(s.f, analysesOf(s.f), DARM, () => true);
  const join = s.block('join');
  const pairs = [
    { t: s.block('t'), f: s.block('f'), swapped: false },
    { t: s.block('t1'), f: s.block('f1'), swapped: false },
  ];
  const exit = { kind: 'single', t: join, f: join } as const;
  const shape = pairedShape(ctx, pairs);
  const frame = new Frame({ ctx, branch: 0 as BlockId, shape, exit, front: false, back: false, earlier: null });
  return pairedDraft(frame);
}

test('behind several exits, one select chooses between the phis of both sides, and what they share is copied', () => {
  const net = (values: string): number => {
    const s = nested('%l = load %p !as=1', ['%v = add %l 3', '%u = add %l 3'], values);
    return evaluate(draftOfNested(s)).net;
  };
  const alike = net('[%x t] [%v t1] [%y f] [%u f1]');
  const apart = net('[%i t] [%v t1] [%j f] [%u f1]');
  assert.is(alike - apart, 2 * valu);
});

test('parts of a wide load that a border was compared with', () => {
  const joined = (index: string): number => {
    const s = snapshot(`
      arg %p ptr1 never
      arg %x i32 never
      arg %n i32
      entry:
        %next = ${index}
        %border = icmp slt %next %n
        %wide = sext %x !type=i64
        %far = sext %next !type=i64
        %here = gep %p %wide
        %there = gep %p %far
        %a = load %here !as=1
        %b = load %there !as=1
        ret`);
    return memoryAccesses(s.f, analysesOf(s.f).divergence).joined[s.instr('%a')]!;
  };
  assert.is(joined('add %x 1'), 2);
  assert.is(joined('add %x -1'), 2);
  assert.equal([joined('add %x 2'), joined('add %x %n'), joined('mul %x 1')], [1, 1, 1]);
});

test('parts of a wide store in different guarded runs are stores of their own', () => {
  const { draft, s } = drafted(
    `%next = add %i 1
     %wide = sext %i !type=i64
     %far = sext %next !type=i64
     %here = gep %g %wide
     %there = gep %g %far
     store %j %here !as=1 !name=first
     store %j %there !as=1 !name=second`,
    '%b = mul %i %j',
  );
  const [first, second] = [s.instr('first'), s.instr('second')];
  const lost = (guarded: readonly InstrId[] | null): number => lostWidth(draft, draft.ctx, first, NONE, guarded);
  assert.equal([lost(null), lost([first, second])], [0, 0]);
  assert.ok(lost([first]) > 0);
});

test.run();
