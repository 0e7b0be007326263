import { analysesOf } from '../../../src/analysis/analyses.js';
import type { BlockId, InstrId } from '../../../src/ir/ids.js';
import { planningContext } from '../../../src/melding/cost/context.js';
import { hoisted } from '../../../src/melding/decide/hoisted-loads.js';
import { Draft } from '../../../src/melding/draft/draft.js';
import { Frame } from '../../../src/melding/draft/frame.js';
import { PairTable } from '../../../src/melding/draft/pair-facts.js';
import { pairedShape } from '../../../src/melding/draft/shape.js';
import { DARM } from '../../support/plan-options.js';
import type { BuiltSnapshot } from '../../support/snapshot-builder.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/hoisted-loads', { tests: 5 });

/**
 * T loads three values in front of its inner branch; F loads two there, and the one between them behind it.
 *
 * @param last the offset of F's second load; the one behind the branch is at 4
 * @param align of the loads in front of F's branch, and of the one behind it, in bytes
 */
function loadsOf(
  behind: string,
  last = 8,
  align: readonly [number, number] = [4, 4],
): { loads: readonly InstrId[] | null; s: BuiltSnapshot; frame: Frame } {
  const s = snapshot(`
    arg %c i1 never
    arg %t0 ptr3 never
    arg %t1 ptr3 never
    arg %t2 ptr3 never
    arg %f0 ptr3 never
    arg %f1 ptr3 never
    arg %f2 ptr3 never
    entry:
      br %c t f
    t:
      %a0 = load %t0 !never
      %a2 = load %t2 !never
      %a1 = load %t1 !never
      %d = icmp slt %a0 %a2 !never
      br %d tt tx
    tt:
      store %a1 %t0
      br tx
    tx:
      %x = phi [%a1 t] [%a0 tt] !never
      br join
    f:
      %b0 = load %f0 !never
      %b2 = load %f2 !never
      %e = icmp slt %b0 %b2 !never
      br %e ff fx
    ff:
      ${behind}
      br fx
    fx:
      br join
    join:
      ret`);
  const { f } = s;
  for (const [name, base, offset] of [
    ['%f0', '%f0', 0],
    ['%f1', '%f0', 4],
    ['%f2', '%f0', last],
  ] as const) {
    f.valueBase[s.value(name)] = s.value(base);
    f.valueOffset[s.value(name)] = offset;
  }
  for (const name of ['%b0', '%b2']) f.instrAlign[s.instr(name)] = align[0];
  f.instrAlign[s.instr('%b1')] = align[1];
  const ctx = planningContext(f, analysesOf(f), DARM, () => true);
  const frame = new Frame({
    ctx,
    branch: 0 as BlockId,
    shape: pairedShape(ctx, [
      { t: s.block('t'), f: s.block('f'), swapped: false },
      { t: s.block('tt'), f: s.block('ff'), swapped: false },
    ]),
    exit: { kind: 'single', t: s.block('tx'), f: s.block('fx') },
    front: false,
    back: true,
    earlier: null,
  });
  const draft = new Draft(new PairTable(frame));
  draft.pair(s.instr('%a0'), s.instr('%b0'), false);
  draft.pair(s.instr('%a2'), s.instr('%b2'), false);
  const found = hoisted(draft);
  if (found) frame.reorder(found.work, found.loads);
  return { loads: found && [...found.loads], s, frame };
}

test('a load moves in front of its branch where one of the other side is alone', () => {
  const { loads, s, frame } = loadsOf('%b1 = load %f1 !never\nstore %b1 %f0');
  assert.equal(loads, [s.instr('%b1')]);
  assert.is(frame.work[0].f.at(-1), s.instr('%b1'));
  assert.not(frame.work[1].f.includes(s.instr('%b1')));
  assert.is(frame.homeOf(s.instr('%b1')), 1);
  assert.is(frame.homeOf(s.instr('%b0')), null);
  assert.equal(frame.standIns(s.instr('%b1')), []);
});

test('it stays where its address is not between addresses that all threads of the side access', () => {
  assert.is(loadsOf('%b1 = load %f1 !never\nstore %b1 %f0', 4).loads?.length, 1);
  assert.is(loadsOf('%b1 = load %f1 !never\nstore %b1 %f0', -8).loads, null);
  // The address is of the block itself.
  assert.is(loadsOf('%z = gep %f1 %b0 !type=ptr3 !never\n%b1 = load %z !never\nstore %b1 %f0').loads, null);
});

test('it stays if only its own threads know how its address is aligned', () => {
  const behind = '%b1 = load %f1 !never\nstore %b1 %f0';
  assert.is(loadsOf(behind, 8, [4, 8]).loads, null);
  // Aligned to 8 bytes like the others, but 4 bytes from them.
  assert.is(loadsOf(behind, 8, [8, 8]).loads, null);
  assert.is(loadsOf(behind, 8, [8, 4]).loads?.length, 1);
});

test('it stays behind what may write, and volatile loads stay', () => {
  assert.is(loadsOf('store %b0 %f0\n%b1 = load %f1 !never').loads, null);
  assert.is(loadsOf('%b1 = load %f1 !never !+Volatile\nstore %b1 %f0').loads, null);
});

test('it stays if it has no match', () => {
  assert.is(loadsOf('%b1 = load %f1 !never !type=float\nstore %b1 %f0').loads, null);
});

test.run();
