/** How many words of vector registers are live at once. */
import fc from 'fast-check';
import { analysesOf } from '../../src/analysis/analyses.js';
import { vectorPressure } from '../../src/analysis/pressure.js';
import { Opcode, type FunctionSnapshot } from '../../src/ir/snapshot.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import { arbitraryCfg, randomProgram } from './random-program.js';

const test = suite('analysis/pressure', { tests: 7 });

const pressureOf = (body: string): number => {
  const { f } = snapshot(`
    func kernel
    arg %n i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      ${body}
  `);
  return vectorPressure(f, analysesOf(f));
};

test('values count from their definitions to their last uses', () => {
  // One after the other, a sum and the thread's number are live; all products first, three and the number.
  assert.is(pressureOf('%a = mul %tid 3\n %b = add %a %tid\n %c = add %b %tid\n store %c %p\n ret'), 2);
  assert.is(
    pressureOf(`%a = mul %tid 3
      %b = mul %tid 5
      %c = mul %tid 7
      %d = add %a %b
      %e = add %d %c
      %f = add %e %tid
      store %f %p
      ret`),
    4,
  );
});

test('uniform values and conditions need no vector registers', () => {
  assert.is(pressureOf('%a = mul %n 3\n %b = mul %n 5\n %d = add %a %b\n store %d %p\n ret'), 0);
  assert.is(pressureOf('%c = icmp eq %tid 0\n %d = icmp eq %tid 1\n %e = and %c %d\n br %e x x\n x:\n ret'), 1);
});

test('a value is live on the way to its use, and on no other', () => {
  const two = (inT: string, inF: string): number =>
    pressureOf(`%a = mul %tid 3
      %b = mul %tid 5
      %low = and %n 1
      %c = icmp eq %low 0
      br %c t f
      t:
      ${inT}
      br j
      f:
      ${inF}
      br j
      j:
      ret`);
  assert.is(two('store %a %p', 'store %b %p'), 2);
  assert.is(two('%x = mul %a 3\n %y = mul %a 5\n %z = add %x %y\n %w = add %z %a\n store %w %p', 'store %b %p'), 3);
});

test('what a loop takes along is live all the way round', () => {
  const around = (body: string): number =>
    pressureOf(`%a = mul %tid 3
      br loop
      loop:
      %i = phi [0 entry] [%next loop]
      ${body}
      %next = add %i 1
      %c = icmp slt %next %n
      br %c loop out
      out:
      ret`);
  assert.is(around('%x = mul %tid 7\n store %x %p'), 2);
  // The use comes first, but the next round needs the value again.
  assert.is(around('store %a %p\n %x = mul %tid 7\n store %x %p'), 3);
});

/** By definition, from each instruction back to the one in front: what it uses is live, and what it defines was not. */
function slowPressure(f: FunctionSnapshot, valueDivergent: ArrayLike<number>): number {
  const live = Array.from({ length: f.instrCount + 1 }, () => new Set<number>());
  const usesOf = (i: number): number[] => [...f.operand.subarray(f.operandStart[i], f.operandStart[i + 1])];
  const isPhi = (i: number): boolean => f.instrOpcode[i] === Opcode.Phi;
  const leaving = (b: number): Set<number> => {
    const out = new Set<number>();
    for (const to of f.succ.subarray(f.succStart[b], f.succStart[b + 1])) {
      for (const v of live[f.blockInstrStart[to]!]!) out.add(v);
      for (let i = f.blockInstrStart[to]!; isPhi(i); i++)
        for (let o = f.operandStart[i]!; o < f.operandStart[i + 1]!; o++)
          if (f.operandBlock[o] === b) out.add(f.operand[o]!);
    }
    return out;
  };
  for (let grows = true; grows;) {
    grows = false;
    for (let i = f.instrCount - 1; i >= 0; i--) {
      const b = f.instrBlock[i]!;
      const here = new Set(i + 1 === f.blockInstrStart[b + 1] ? leaving(b) : live[i + 1]);
      here.delete(f.argCount + i);
      if (!isPhi(i)) for (const v of usesOf(i)) here.add(v);
      grows ||= here.size > live[i]!.size;
      live[i] = here;
    }
  }
  const isCounted = (v: number): boolean =>
    v < f.argCount + f.instrCount && valueDivergent[v] === 1 && f.typeBits[f.valueType[v]!]! > 1;
  const wordsOf = (v: number): number => Math.ceil(f.typeBits[f.valueType[v]!]! / 32);
  return Math.max(...live.map((set) => [...set].filter(isCounted).reduce((sum, v) => sum + wordsOf(v), 0)));
}

test('random programs: as by the definition of liveness', () => {
  let most = 0;
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 10 }), fc.nat(), (successors, seed) => {
      const { f } = snapshot(randomProgram(successors, seed));
      const analyses = analysesOf(f);
      const found = vectorPressure(f, analyses);
      assert.is(found, slowPressure(f, analyses.divergence.valueDivergent));
      most = Math.max(most, found);
    }),
    { numRuns: 300, seed: 1 },
  );
  // Some of the programs have something to count.
  assert.ok(most > 3);
});

test('an instruction counts where it is moved to', () => {
  const { f, instr, block } = snapshot(`
    func kernel
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %a = mul %tid 3
      %b = mul %tid 5
      %d = sub %a %b
      %e = mul %d %b
      %c = icmp eq %tid 0
      br %c t j
      t:
      %x = mul %tid 7
      %y = mul %x %x
      store %y %p
      store %e %p
      br j
      j:
      ret
  `);
  const analyses = analysesOf(f);
  const home = Int32Array.from(f.instrBlock);
  assert.is(vectorPressure(f, analyses, home), 3);
  // In the side, the result waits while the other product is stored, and the thread's number has been used up.
  for (const name of ['d', 'e']) home[instr(`%${name}`)] = block('t');
  assert.is(vectorPressure(f, analyses, home), 3);
  // Here three are needed in between, which does not count.
  for (const name of ['a', 'b']) home[instr(`%${name}`)] = block('t');
  assert.is(vectorPressure(f, analyses, home), 2);
});

test('words: a value of 64 bits needs two registers', () => {
  assert.is(pressureOf('%a = mul %tid 3 !type=i64\n store %a %p\n ret'), 2);
});

test.run();
