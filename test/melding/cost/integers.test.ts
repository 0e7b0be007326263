/** What instructions on integers cost, as code generation makes them. */
import { divisionCycles, hasLongDivision, integerUnits, variableCycles } from '../../../src/melding/cost/integers.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { snapshot, type BuiltSnapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/integers', { tests: 7 });

const built = (lines: string, cpu = 'gfx906'): BuiltSnapshot =>
  snapshot(`
    func kernel cpu=${cpu}
    arg %b i8 never
    arg %h i16 never
    arg %i i32 never
    arg %j i32 never
    arg %l i64 never
    arg %m i64 never
    arg %d double never
    arg %p ptr1 never
    arg %q ptr1 never
    arg %c i1 never
    entry:
      ${lines}
      ret`);

function units(lines: string, cpu?: string): number | null {
  const s = built(lines, cpu);
  return integerUnits(s.f, s.instr('%r'));
}

/** In full-rate instructions. */
function division(lines: string, cpu = 'gfx906'): number | null {
  const s = built(lines, cpu);
  const target = costsOf(cpu);
  const cycles = divisionCycles(s.f, s.instr('%r'), target);
  return cycles && cycles / target.valu;
}

test('products of few bits are made at the full rate', () => {
  assert.is(units('%r = mul %h 10 !type=i16'), 1);
  assert.is(units('%r = mul %i %j'), null);
  const bytes = '%x = zext %b !type=i32\n %y = lshr %i 8\n';
  assert.is(units(`${bytes} %r = mul %x %y`), 1);
  assert.is(units(`${bytes} %z = lshr %j 7\n %r = mul %x %z`), null);
  assert.is(units('%t = call @llvm.amdgcn.workitem.id.x !source=ThreadX\n %x = and %i 4095\n %r = mul %t %x'), 1);
  assert.is(units('%x = and %i -2\n %r = mul %x 3'), null);
  assert.is(units('%x = sext %h !type=i32\n %y = ashr %i 8\n %r = mul %x %y'), 1);
  assert.is(units('%x = sext %h !type=i32\n %r = mul %x -5'), 1);
  assert.is(units('%x = urem %i 1000\n %y = udiv %x 7\n %r = mul %x %y'), 1);
});

test('products of 64 bits are as many as have words that are not known', () => {
  assert.is(units('%r = mul %l %m'), 13);
  assert.is(units('%x = zext %i !type=i64\n %r = mul %x %l'), 8);
  assert.is(units('%r = mul %l 10:i64'), 8);
  assert.is(units('%x = zext %i !type=i64\n %y = zext %j !type=i64\n %r = mul %x %y'), 4);
  assert.is(units('%x = sext %i !type=i64\n %y = sext %j !type=i64\n %r = mul %x %y'), 4);
  // The upper word of a number with a sign is not nothing.
  assert.is(units('%x = sext %i !type=i64\n %r = mul %x %l'), 13);
});

test('a shift by a word or more moves one word', () => {
  const shift = (how: string, by: string): number | null => units(`%r = ${how} %l ${by}`);
  assert.equal([shift('lshr', '32:i64'), shift('shl', '40:i64'), shift('lshr', '7:i64')], [0, 1, 2]);
  assert.equal([shift('ashr', '32:i64'), shift('ashr', '40:i64'), shift('shl', '%m')], [1, 2, 2]);
  assert.is(units('%r = lshr %i 7'), null);
});

test('compares and selects take all words', () => {
  assert.is(units('%r = icmp slt %l %m'), 2);
  assert.is(units('%r = icmp eq %p %q'), 2);
  assert.is(units('%r = icmp slt %i %j'), null);
  assert.is(units('%r = select %c %l %m'), 2);
  assert.is(units('%r = select %c %d %d'), 2);
  assert.is(units('%r = select %c %i %j'), null);
});

test('rotations and funnel shifts are few instructions', () => {
  const funnel = (by: string, latency = 7): string => `%r = call @llvm.fshl.i32 %i %i ${by} !type=i32 !lat=${latency}`;
  assert.equal([units(funnel('13')), units(funnel('%j'))], [1, 3]);
  // Another intrinsic of three integers, and one of two.
  assert.is(units(funnel('%j', 1)), null);
  assert.is(units('%r = call @llvm.sadd.sat.i32 %i %j !type=i32 !lat=4'), null);
  const long = (by: string): string => `%r = call @llvm.fshl.i64 %l %l ${by} !type=i64 !lat=12`;
  assert.equal([units(long('13:i64')), units(long('%m'))], [2, 5]);
});

test('short operands are divided as floats', () => {
  assert.equal([division('%r = udiv %h %h !type=i16'), division('%r = srem %b %b !type=i8')], [8, 13]);
  assert.equal([division('%r = udiv %h 10:i16'), division('%r = srem %h 10:i16')], [2, 6]);
  const x = '%x = zext %h !type=i32\n %y = lshr %i 9\n';
  assert.equal([division(`${x} %r = udiv %x %y`), division(`${x} %r = urem %x %y`)], [8, 13]);
  assert.is(division(`${x} %r = udiv %x %j`), 36);
  assert.equal([division('%r = sdiv %i %j'), division('%r = udiv %i 10'), division('%r = udiv %i 8')], [42, 6, 1]);
  // What is a constant now becomes a variable.
  const s = built(`${x} %r = udiv %x 10`);
  assert.is(variableCycles(s.f, s.instr('%r'), costsOf('gfx906')), 8 * 4);
  // PTX has no such way.
  assert.is(division(`${x} %r = udiv %x %y`, 'sm_70'), 36);
});

test('threads skip the long way of a division of 64 bits', () => {
  const isLong = (line: string): boolean => {
    const s = built(line);
    return hasLongDivision(s.f, s.instr('%r'));
  };
  assert.equal([division('%r = udiv %l %m'), isLong('%r = udiv %l %m')], [42, true]);
  assert.equal([division('%r = urem %l 10:i64'), isLong('%r = urem %l 10:i64')], [31, false]);
  const short = '%x = zext %i !type=i64\n %r = udiv %x 1000:i64';
  assert.equal([division(short), isLong(short)], [6, false]);
  assert.is(isLong('%r = udiv %i %j'), false);
  assert.is(isLong('%r = mul %l %m'), false);
});

test.run();
