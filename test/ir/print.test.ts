import type { InstrId, TypeId } from '../../src/ir/ids.js';
import { printInstr, printType } from '../../src/ir/print.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('ir/print', { tests: 3 });

const program = `
  func k cpu=gfx1100 wave=32
  arg %tid i32 never
  arg %p ptr1
  entry:
    %c = icmp slt %tid 10
    br %c then join
  then:
    %v = load %p !align=8 !lat=80
    %w = call @llvm.foo %v^u 3^s !type=float !+Convergent
    br join
  join:
    %x = phi [%v then] [undef entry]
    store %x %p
    switch %x done 1 join 2 done
  done:
    ret`;

test('the instructions of a function', () => {
  const s = snapshot(program);
  assert.equal(
    Array.from({ length: s.f.instrCount }, (_, i) => printInstr(s.f, i as InstrId)),
    [
      '%0 = icmp.40 i1 %a0, #11',
      'br %0, b1, b2',
      '%2 = load i32 %a1',
      '%3 = call f32 %2^u, #12^s, @13',
      'br b2',
      '%5 = phi i32 [%2 b1], [undef b0]',
      'store %5, %a1',
      'switch %5, #15, #16, b3, b2, b3',
      'ret',
    ],
  );
});

test('types', () => {
  const s = snapshot(`
    arg %a i64
    arg %b double
    arg %c ptr
    arg %d ptr3
    arg %e v4xfloat
    entry:
      ret`);
  assert.equal(
    [0, 1, 2, 3, 4].map((v) => printType(s.f, s.f.valueType[v] as TypeId)),
    ['i64', 'f64', 'ptr', 'ptr3', 'vec128'],
  );
});

test('an opcode without a name', () => {
  const s = snapshot('entry:\n ret');
  const f = { ...s.f, instrOpcode: Int32Array.of(99) };
  assert.is(printInstr(f, s.term('entry')), 'opcode99');
});

test.run();
