/** How many bytes of machine code instructions take. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { instrSizes, sizesOf } from '../../../src/melding/cost/code-size.js';
import { memoryAccesses } from '../../../src/melding/cost/memory-accesses.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { sum } from '../../../bench/support.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/code-size', { tests: 6 });

/** By the names of the instructions. */
function bytesOf(body: string, cpu = 'gfx906'): Record<string, number> {
  const s = snapshot(`
    func kernel cpu=${cpu}
    arg %a i32 never
    arg %b i32 never
    arg %w i64 never
    arg %d double never
    arg %p ptr1 never
    entry:
      ${body}
      ret`);
  const { vector } = instrSizes(s.f, memoryAccesses(s.f, analysesOf(s.f).divergence));
  const names = (body.match(/%\w+(?= =)/g) ?? []) as string[];
  return Object.fromEntries(names.map((name) => [name.slice(1), vector[s.instr(name)]!]));
}

test('short and long encodings', () => {
  const sizes = bytesOf(`
    %add = add %a %b
    %mul = mul %a %b
    %shift = shl %w %w !type=i64
    %and = and %w %w !type=i64
    %double = fadd %d %d !type=double
    %free = add %a %b !lat=0`);
  assert.equal(sizes, { add: 4, mul: 8, shift: 8, and: 8, double: 8, free: 0 });
});

test('what becomes several instructions', () => {
  const { quotient, long, half, ratio, product } = bytesOf(`
    %quotient = udiv %a %b
    %long = udiv %w %w !type=i64
    %half = udiv %a 2
    %ratio = fdiv %d %d !type=double !lat=30
    %product = mul %w %w !type=i64`);
  assert.ok(quotient! >= 64 && ratio! >= 64 && product! >= 24, `${quotient} ${ratio} ${product}`);
  assert.is(half, 4);
  // The way for shorter operands, and all of 64 bits, whatever threads skip: llc-23 makes 120 instructions.
  assert.is(long, 93 * 4 + 27 * 8);
});

test('what is the same for all threads has short products, and its divisions are as long', () => {
  const s = snapshot(`
    func kernel cpu=gfx906
    arg %a i32
    entry:
      %product = mul %a %a
      %quotient = udiv 100 %a
      ret`);
  const { vector, scalar } = instrSizes(s.f, memoryAccesses(s.f, analysesOf(s.f).divergence));
  assert.equal([vector[s.instr('%product')], scalar[s.instr('%product')]], [8, 4]);
  assert.is(scalar[s.instr('%quotient')], vector[s.instr('%quotient')]);
});

test('accesses, and what waits for loads', () => {
  const { load, old } = bytesOf(`
    %load = load %p !as=1
    %old = atomicrmw %p %a !as=1`);
  assert.equal([load, old], [10, 10]);
  const store = bytesOf('%stored = store %a %p !as=1');
  assert.equal(store, { stored: 8 });
});

test('four accesses side by side are one instruction', () => {
  const loads = [0, 1, 2, 3].map((k) => `%p${k} = gep %p ${k} !lat=0\n %x${k} = load %p${k} !as=1`);
  const joined = snapshot(`
    func kernel cpu=gfx906
    arg %p ptr1 never
    entry:
      ${loads.join('\n')}
      ret`);
  const { vector } = instrSizes(joined.f, { joined: new Int32Array(joined.f.instrCount).fill(4) });
  assert.is(sum([0, 1, 2, 3].map((k) => vector[joined.instr(`%x${k}`)]!)), 10);
});

test('instructions of NVPTX have one length, and nothing has a price for the time that it takes', () => {
  assert.equal(bytesOf('%add = add %a %b\n %mul = mul %a %b', 'sm_80'), { add: 16, mul: 16 });
  for (const cpu of ['gfx906', 'gfx1100', 'sm_80']) {
    const { memoryCredit, exposed, exposedLds, hiddenMasks } = sizesOf(cpu);
    assert.equal([memoryCredit, exposed, exposedLds, hiddenMasks], [0, 0, 0, 0]);
  }
});

test.run();
