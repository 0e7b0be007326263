import { analysesOf } from '../../../src/analysis/analyses.js';
import { HopelessBlocks } from '../../../src/melding/decide/hopeless-blocks.js';
import { planFunction } from '../../../src/melding/decide/plan-function.js';
import type { FunctionPlan } from '../../../src/melding/plan.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/hopeless-blocks', { tests: 4 });

/** Enough instructions for a pair of blocks that is remembered. */
const COUNT = 70;

/** Two sides with one instruction in common, about which LLVM is asked. `front` comes in front of them. */
function sides({ front = '', bits = 'i32', operand = '%i' }): string {
  const chain = (x: string, opcode: string): string =>
    Array.from({ length: COUNT }, (_, k) => `%${x}${k + 1} = ${opcode} %${x}${k} ${operand}`).join('\n');
  return `
    arg %c i1 never
    arg %i ${bits} never
    entry:
      ${front}
      br %c t f
    t:
      %t0 = call @llvm.same %i !+NeedsPairCheck !type=${bits}
      ${chain('t', 'add')}
      br join
    f:
      %f0 = call @llvm.same %i !+NeedsPairCheck !type=${bits}
      ${chain('f', 'mul')}
      br join
    join:
      %x = phi [%t${COUNT} t] [%f${COUNT} f]
      ret %x`;
}

/** Plans with a memory. Says how often LLVM was asked about a pair, and so whether the blocks were aligned. */
function plan(text: string, memory: HopelessBlocks): FunctionPlan & { readonly asked: number } {
  const s = snapshot(text);
  let asked = 0;
  const canPair = (): boolean => {
    asked++;
    return false;
  };
  return { ...planFunction(s.f, analysesOf(s.f), { ...DARM, threshold: 0 }, canPair, { hopeless: memory }), asked };
}

test('what never melds is not aligned again', () => {
  const memory = new HopelessBlocks();
  const first = plan(sides({}), memory);
  assert.is(first.candidates[0].rule, '2');
  assert.is(first.asked, 1);
  const second = plan(sides({}), memory);
  assert.is(second.asked, 0);
  assert.equal(second.candidates, first.candidates);
});

test('numbers of other values and blocks do not matter', () => {
  const memory = new HopelessBlocks();
  plan(sides({}), memory);
  assert.is(plan(sides({ front: '%a = add 1 2\n%b = add %a 3' }), memory).asked, 0);
});

test('what is known about operands and results matters', () => {
  const memory = new HopelessBlocks();
  plan(sides({}), memory);
  assert.is(plan(sides({ bits: 'i64' }), memory).asked, 1);
  assert.is(plan(sides({ operand: '7' }), memory).asked, 1);
});

test('small blocks are not remembered', () => {
  const memory = new HopelessBlocks();
  const small = sides({})
    .replaceAll(/%[tf]([6-9]|[1-6]\d) = .*\n/g, '')
    .replaceAll(/%([tf])69/g, '%$15');
  assert.is(plan(small, memory).asked, 1);
  assert.is(plan(small, memory).asked, 1);
});

test.run();
