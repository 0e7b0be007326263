/** What instructions cost where LLVM's own numbers do not say it. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { ValueId } from '../../../src/ir/ids.js';
import { instrCosts, reciprocalCycles, type InstrCosts } from '../../../src/melding/cost/latency.js';
import { memoryAccesses } from '../../../src/melding/cost/memory-accesses.js';
import { busyTarget, costsOf } from '../../../src/melding/cost/target-costs.js';
import { snapshot, type BuiltSnapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/latency', { tests: 9 });

/** @param units TargetTransformInfo's, in full-rate instructions */
function division(cpu: string, units: number, type = 'float'): number {
  const s = snapshot(`
    func kernel cpu=${cpu}
    arg %a ${type} never
    arg %b ${type} never
    entry:
      %q = fdiv %a %b !type=${type} !lat=${units}
      ret`);
  return cyclesOf(s, '%q');
}

function costs(s: BuiltSnapshot): InstrCosts {
  const { divergence } = analysesOf(s.f);
  return instrCosts(s.f, memoryAccesses(s.f, divergence), divergence);
}

const cyclesOf = (s: BuiltSnapshot, name: string): number => costs(s).vector[s.instr(name)]!;

test('the steps of an exact division of floats are slow on GCN and CDNA', () => {
  assert.equal([division('gfx906', 14), division('gfx90a', 14)], [14 * 4 + 48, 14 * 4 + 48]);
  assert.is(division('gfx1100', 14), 14 * 2);
  // A reciprocal and a multiplication.
  assert.is(division('gfx906', 5), 5 * 4);
  assert.is(division('gfx906', 30, 'double'), 30 * 4);
});

test('what LLVM takes for one instruction and makes many of', () => {
  const cycles = (cpu: string, lines: string): number =>
    cyclesOf(
      snapshot(`
        func kernel cpu=${cpu}
        arg %d double never
        arg %f float never
        arg %h half never
        arg %l i64 never
        arg %i i32 never
        entry:
          ${lines}
          ret`),
      '%r',
    );
  const root = '%r = call @llvm.sqrt.f64 %d !type=double !+Intrinsic !lat=2';
  assert.equal([cycles('gfx906', root), cycles('gfx90a', root)], [14 * 8 + 6 * 4, 14 * 4 + 6 * 4]);
  assert.equal([cycles('gfx1030', root), cycles('gfx1100', root)], [14 * 16 + 6 * 2, 14 * 32 + 6 * 2]);
  assert.is(cycles('sm_70', root), 4);
  // Other intrinsics, and roots of floats, are what LLVM says.
  assert.is(cycles('gfx906', root.replace('sqrt', 'floor')), 8);
  assert.is(cycles('gfx906', '%r = call @llvm.sqrt.f32 %f !type=float !+Intrinsic !lat=21'), 21 * 4);
  const ofFloat = (name: string, type = 'float', cpu = 'gfx906'): number =>
    cycles(cpu, `%r = call @llvm.${name} ${type === 'half' ? '%h' : '%f'} !type=${type} !+Intrinsic !lat=2`);
  assert.is(ofFloat('amdgcn.rsq.f32'), 4 * 4);
  assert.is(ofFloat('amdgcn.exp2.f32', 'float', 'gfx1030'), 4 * 2);
  assert.is(ofFloat('amdgcn.fract.f32'), 2 * 4);
  assert.is(ofFloat('rint.f32'), 4);
  const least = '%r = call @llvm.minimum.f32 %f %f !type=float !+Intrinsic !lat=';
  assert.equal([cycles('gfx906', `${least}10`), cycles('gfx1250', `${least}1`)], [3 * 4, 2]);
  assert.is(ofFloat('rint.bf16', 'half'), 2 * 4);
  assert.is(ofFloat('round.f32'), 6 * 4);
  assert.equal([ofFloat('exp2.f16', 'half'), ofFloat('exp2.f32')], [4 * 4, 2 * 4]);
  assert.is(cycles('gfx906', root.replace('sqrt', 'round')), 4 * 8 + 3 * 4);
  const two = '%r = call @llvm.pow.f32 %f %f !type=float !+Intrinsic !lat=1';
  assert.is(cycles('gfx906', two), 9 * 4);
  assert.is(cycles('gfx906', '%r = call @llvm.ldexp.f64.i32 %d %i !type=double !+Intrinsic !lat=2'), 8);
  assert.is(cycles('gfx906', '%r = call @llvm.fma.f32 %f %f %f !type=float !+Intrinsic !lat=1'), 4);
  const saturating = '%r = call @llvm.fptoui.sat.i64.f32 %f !type=i64 !+Intrinsic !lat=12';
  assert.is(cycles('gfx906', saturating), 12 * 4);
  assert.is(cycles('gfx90a', saturating.replaceAll(/f32 %f/g, 'f64 %d')), 8 * 4 + 4 * 4);
  assert.is(cycles('gfx906', saturating.replaceAll('i64', 'i32')), 12 * 4);
  assert.is(cycles('gfx906', '%r = fptosi %f !type=i64'), 11 * 4);
  assert.is(cycles('gfx906', '%r = fptoui %d !type=i64'), 2 * 8 + 2 * 16);
  assert.is(cycles('gfx90a', '%r = fptoui %d !type=i64'), 4 * 4);
  assert.is(cycles('gfx906', '%r = sitofp %l !type=float'), 11 * 4);
  assert.is(cycles('gfx906', '%r = uitofp %l !type=double'), 2 * 8 + 2 * 16);
  assert.is(cycles('gfx906', '%r = fptosi %f !type=i32'), 4);
  assert.is(cycles('gfx906', '%r = sitofp %i !type=float'), 4);
  assert.equal(
    [cycles('gfx906', '%r = sitofp %i !type=double'), cycles('gfx90a', '%r = fptosi %d !type=i32')],
    [16, 4],
  );
  assert.equal(
    [cycles('gfx906', '%r = fpext %f !type=double'), cycles('gfx1030', '%r = fptrunc %d !type=float')],
    [16, 16],
  );
  assert.is(cycles('gfx906', '%r = fptrunc %f !type=half'), 4);
  assert.is(cycles('gfx906', '%r = frem %f %f !type=float !lat=14'), 56 * 4);
  assert.is(cycles('gfx906', '%r = frem %d %d !type=double !lat=24'), 34 * 8 + 28 * 4);
});

test('a call takes far longer than its operands, unless it does not come back or is inline assembly', () => {
  const s = snapshot(`
    func kernel cpu=gfx906
    arg %a i32
    arg %c i1
    entry:
      %x = call @f %a !+Call !lat=3
      %y = call @llvm.abs %a !+Intrinsic !lat=3
      %w = call @asm %a !+Call !+IdenticalOperandsOnly !lat=3
      br %c low end
    low:
      %z = call @fail %a !+Call !lat=3
      unreachable
    end:
      ret`);
  const { vector, scalar } = costs(s);
  const of = (name: string): number[] => [vector, scalar].map((cycles) => cycles[s.instr(name)]!);
  assert.equal(
    [of('%x'), of('%y'), of('%z'), of('%w')],
    [
      [256, 256],
      [12, 12],
      [12, 12],
      [12, 12],
    ],
  );
});

test('RDNA takes longer for doubles than TargetTransformInfo says', () => {
  const cycles = (cpu: string, units: number): number[] => {
    const s = snapshot(`
      func kernel cpu=${cpu}
      arg %a double never
      arg %b double never
      entry:
        %x = fmul %a %b !type=double !lat=${units}
        %c = fcmp olt %a %b !type=i1
        %y = select %c %a %b !type=double
        ret`);
    return ['%x', '%c', '%y'].map((name) => cyclesOf(s, name));
  };
  assert.equal(cycles('gfx906', 2), [8, 8, 8]);
  assert.equal(cycles('gfx90a', 1), [4, 4, 8]);
  assert.equal(cycles('gfx1030', 4), [16, 16, 4]);
  assert.equal(cycles('gfx1100', 4), [32, 32, 4]);
  assert.is(division('gfx1100', 38, 'double'), 10 * 32);
});

test('where waves are busy, RDNA has no turns to spare beside doubles', () => {
  const cycles = (cpu: string, units: number): number => {
    const s = snapshot(`
      func kernel cpu=${cpu}
      arg %a double never
      entry:
        %x = fmul %a %a !type=double !lat=${units}
        ret`);
    const { divergence } = analysesOf(s.f);
    return instrCosts(s.f, memoryAccesses(s.f, divergence), divergence, busyTarget(costsOf(cpu))).vector[
      s.instr('%x')
    ]!;
  };
  assert.equal([cycles('gfx906', 2), cycles('gfx90a', 1)], [8, 4]);
  assert.equal([cycles('gfx1030', 4), cycles('gfx1100', 4)], [32, 64]);
});

test('the scalar unit takes pairs of registers', () => {
  const { vector, scalar } = costs(
    snapshot(`
      func kernel cpu=gfx906
      arg %a i64
      entry:
        %c = icmp eq %a 7:i64
        ret`),
  );
  assert.equal([vector[0], scalar[0]], [8, 4]);
});

test('a division by a constant is cheaper if it need not be rounded correctly', () => {
  const divisions = (words: string, type = 'float', units = 14): number[] => {
    const s = snapshot(`
      func kernel ${words}
      arg %a ${type} never
      entry:
        %p = fdiv %a 3 !type=${type} !lat=${units}
        %q = fdiv %a 5 !type=${type} !lat=${units}
        %r = fdiv %p %q !type=${type} !lat=${units}
        %s = fdiv %r %q !type=${type} !lat=${units}
        ret`);
    const [ofP, ofQ] = ['%p', '%q'].map((name) => s.f.operand[s.f.operandStart[s.instr(name)]! + 1] as ValueId);
    const selecting = reciprocalCycles(costs(s), ofP!, ofQ!);
    return [...['%p', '%q', '%r', '%s'].map((name) => cyclesOf(s, name)), selecting];
  };
  const exact = 14 * 4 + 48;
  assert.equal(divisions('cpu=gfx906'), [exact, exact, exact, exact, 0]);
  // Counts of llc-23, a reciprocal for four.
  assert.equal(divisions('cpu=gfx906 rough'), [5 * 4, 5 * 4, 11 * 4, 5 * 4, 6 * 4]);
  assert.equal(divisions('cpu=gfx1100 rough'), [5 * 2, 5 * 2, 11 * 2, 5 * 2, 6 * 2]);
  assert.equal(divisions('cpu=gfx906 rough', 'v4xfloat', 56), [4 * 5 * 4, 4 * 5 * 4, 4 * 11 * 4, 4 * 5 * 4, 6 * 4]);
  // So much are two doubles on gfx906, gfx90a and gfx1030.
  for (const units of [48, 34, 76]) assert.is(divisions('cpu=gfx906 rough', 'v4xfloat', units)[4], 0);
  // Approximate ones are what LLVM says.
  assert.equal(divisions('cpu=gfx906 rough', 'v4xfloat', 20), [80, 80, 80, 80, 0]);
});

test('an element is compared with every index, once in a block, where threads have indices of their own', () => {
  const cycles = (cpu: string, type: string, index: string): number[] => {
    const s = snapshot(`
      func kernel cpu=${cpu}
      arg %v ${type} never
      arg %k i32 never
      arg %shared i32
      entry:
        %a = extractelement %v ${index} !type=${type.split('x')[1]!} !lat=2
        %b = extractelement %v ${index} !type=${type.split('x')[1]!} !lat=2
        ret`);
    return ['%a', '%b'].map((name) => cyclesOf(s, name) / costsOf(cpu).valu);
  };
  // Counts of llc-23: a compare and a select for each word.
  assert.equal(cycles('gfx906', 'v8xi32', '%k'), [16, 8]);
  assert.equal(cycles('gfx1100', 'v8xi64', '%k'), [24, 16]);
  assert.equal(cycles('gfx906', 'v16xi8', '%k'), [48, 32]);
  // What LLVM says is right for a vector of one word, for an index that all threads share, and elsewhere not known
  // better.
  assert.equal(cycles('gfx906', 'v4xi8', '%k'), [2, 2]);
  assert.equal(cycles('gfx906', 'v8xi32', '%shared'), [2, 2]);
  assert.equal(cycles('sm_70', 'v8xi32', '%k'), [2, 2]);
});

test('nobody waits for an atomic operation whose result is not used, unless LLVM makes a reduction first', () => {
  const atomic = (operands: string, user: string): number =>
    cyclesOf(
      snapshot(`
        func kernel cpu=gfx906
        arg %p ptr1 never
        arg %q ptr1
        arg %x i32 never
        entry:
          %old = atomicrmw ${operands} !as=1 +MayWriteMemory
          ${user}
          ret`),
      '%old',
    );
  const { store, global } = costsOf('gfx906');
  assert.is(atomic('%p %x', ''), store);
  assert.ok(atomic('%p %x', 'store %old %p !as=1') > global / 4);
  assert.ok(atomic('%q %x', '') > global / 4);
  assert.is(atomic('%q 1', ''), store);
});

test.run();
