/** What instructions on integers cost, as code generation makes them. */
import { divisionCycles, hasLongDivision, integerUnits, variableCycles } from '../../../src/melding/cost/integers.js';
import { costsOf } from '../../../src/melding/cost/target-costs.js';
import { snapshot, type BuiltSnapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/integers', { tests: 8 });

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
    arg %v v4xi32 never
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
  const thread = '%t = call @llvm.amdgcn.workitem.id.x !source=ThreadX\n';
  assert.is(units(`${thread} %r = mul %t %t`), 1);
  assert.is(units('%x = and %i -2\n %r = mul %x 3'), null);
  assert.is(units('%x = sext %h !type=i32\n %y = ashr %i 8\n %r = mul %x %y'), 1);
  assert.is(units('%x = sext %h !type=i32\n %r = mul %x -5'), 1);
  assert.is(units('%x = urem %i 1000\n %r = mul %x %x'), 1);
});

test('products of 64 bits are as many as have words that are not known', () => {
  assert.is(units('%r = mul %l %m'), 13);
  assert.is(units('%x = zext %i !type=i64\n %r = mul %x %l'), 8);
  assert.is(units('%r = mul %l 10:i64'), 8);
  assert.is(units('%x = zext %i !type=i64\n %y = zext %j !type=i64\n %r = mul %x %y'), 4);
  assert.is(units('%x = sext %i !type=i64\n %y = sext %j !type=i64\n %r = mul %x %y'), 4);
  // The upper word of a number with a sign is not nothing.
  assert.is(units('%x = sext %i !type=i64\n %r = mul %x %l'), 13);
  assert.is(units('%x = zext %l !type=i128\n %r = mul %x %x'), null);
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
  const call = (a: string, b: string, by: string): number | null =>
    units(`%r = call @llvm.fshl.i32 ${a} ${b} ${by} !type=i32 !lat=7`);
  assert.equal([call('%i', '%i', '13'), call('%i', '%i', '%j'), call('%i', '%j', '%i')], [1, 2, 4]);
  // Another intrinsic of three integers, one of other types, one of two, and a function.
  assert.is(units('%r = call @llvm.amdgcn.perm %i %i %j !type=i32 !lat=1'), null);
  assert.is(units('%r = call @llvm.f %i %l %j !type=i32 !lat=7'), null);
  assert.is(units('%r = call @llvm.sadd.sat.i32 %i %j !type=i32 !lat=4'), null);
  assert.is(units('%r = call @f %i %i %j !type=i32 !lat=7'), null);
  const long = (by: string): number | null => units(`%r = call @llvm.fshl.i64 %l %l ${by} !type=i64 !lat=12`);
  assert.equal([long('13:i64'), long('%m')], [2, 5]);
  assert.is(units('%r = call @llvm.fshl.i16 %h %h %h !type=i16 !lat=7'), 3);
});

test('limits of register pairs, and counts of zeros', () => {
  const limit = (type: string): number | null =>
    units(`%r = call @llvm.umin.${type} ${type === 'i64' ? '%l %m' : '%i %j'} !type=${type} !lat=3`);
  assert.equal([limit('i64'), limit('i32')], [4, null]);
  // gfx1250 has an instruction for it.
  assert.is(units('%r = call @llvm.umin.i64 %l %m !type=i64 !lat=1'), null);
  assert.is(units('%r = call @llvm.uadd.sat.i64 %l %m !type=i64 !lat=5'), null);
  const zeros = (ofZero: number, name = 'ctlz'): number | null =>
    units(`%r = call @llvm.${name}.i32 %i ${ofZero}:i1 !type=i32 !lat=1`);
  assert.equal([zeros(0), zeros(1), zeros(0, 'abs')], [2, null, null]);
});

test('short operands are divided as floats', () => {
  assert.equal([division('%r = udiv %h %h !type=i16'), division('%r = srem %b %b !type=i8')], [10, 15]);
  assert.equal([division('%r = udiv %h 10:i16'), division('%r = srem %h 10:i16')], [2, 6]);
  const of = (bits: number): string => `%x = lshr %i ${32 - bits}\n %y = lshr %j ${32 - bits}\n`;
  assert.equal([division(`${of(22)} %r = udiv %x %y`), division(`${of(22)} %r = urem %x %y`)], [10, 15]);
  assert.equal([division(`${of(23)} %r = udiv %x %y`), division(`${of(22)} %r = udiv %x %j`)], [36, 36]);
  const signed = (bits: number): string => of(bits).replaceAll('lshr', 'ashr');
  assert.equal([division(`${signed(23)} %r = sdiv %x %y`), division(`${signed(24)} %r = sdiv %x %y`)], [10, 42]);
  assert.is(division(`${signed(16)} %r = udiv %x %y`), 36);
  assert.equal([division('%r = sdiv %i %j'), division('%r = udiv %i 10'), division('%r = udiv %i 8')], [42, 6, 1]);
  // What is a constant now becomes a variable.
  const s = built('%x = zext %b !type=i32\n %r = udiv %x 10');
  assert.is(variableCycles(s.f, s.instr('%r'), costsOf('gfx906')), 10 * 4);
  // PTX has no such way.
  assert.is(division(`${of(16)} %r = udiv %x %y`, 'sm_70'), 36);
});

test('threads skip the long way of a division of 64 bits', () => {
  const isLong = (line: string): boolean => {
    const s = built(line);
    return hasLongDivision(s.f, s.instr('%r'));
  };
  assert.equal([division('%r = udiv %l %m'), isLong('%r = udiv %l %m')], [42, true]);
  assert.equal([division('%r = urem %l 10:i64'), isLong('%r = urem %l 10:i64')], [31, false]);
  assert.is(division('%r = sdiv %l 10:i64'), 40);
  const short = '%x = zext %i !type=i64\n %y = zext %j !type=i64\n %r = udiv %x %y';
  assert.equal([division(short), isLong(short)], [36, false]);
  assert.is(division('%x = zext %i !type=i64\n %r = udiv %x 1000:i64'), 21);
  assert.is(isLong('%r = udiv %i %j'), false);
  assert.is(isLong('%r = mul %l %m'), false);
  // Vectors and 128 bits have no way around it.
  assert.equal([division('%r = udiv %v %v !type=v4xi32'), isLong('%r = udiv %v %v !type=v4xi32')], [230, false]);
  assert.is(division('%x = zext %l !type=i128\n %r = udiv %x %x'), 230);
});

test.run();
