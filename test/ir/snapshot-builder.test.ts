import { NONE } from '../../src/ir/ids.js';
import { InstrFlag, Opcode, TypeKind, ValueKind, hasFlag, isConditionalBranch } from '../../src/ir/snapshot.js';
import { graphSnapshot, snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('ir/snapshot-builder', { tests: 6 });

test('numbers blocks, instructions and values as the snapshot wants them', () => {
  const s = snapshot(`
    arg %a
    entry:
      %x = add %a 7
      %y = add %x 7      # the same constant
      br next
    next:
      %z = phi [%y entry]
      ret %z`);
  const { f } = s;
  assert.equal([f.blockCount, f.argCount, f.instrCount, f.valueCount], [2, 1, 5, 7]);
  assert.equal([...f.blockInstrStart], [0, 3, 5]);
  assert.equal([...f.operand], [0, 6, 1, 6, 2, 4]);
  assert.equal([...f.operandBlock], [NONE, NONE, NONE, NONE, 0, NONE]);
  assert.equal([...f.succ], [1]);
  assert.equal(
    [...f.valueKind],
    [ValueKind.Argument, ...Array<number>(5).fill(ValueKind.Instruction), ValueKind.Constant],
  );
  assert.is(f.valueKind.length, f.valueCount);
  assert.is(s.value('%z'), 4);
  assert.is(s.instr('%z'), 3);
  assert.is(s.term('next'), 4);
});

test('successors of branches and switches', () => {
  const s = snapshot(`
    arg %a
    entry:
      br %a A B
    A:
      switch %a B 1 A 2 C
    B:
      br C
    C:
      unreachable`);
  assert.equal([...s.f.succStart], [0, 2, 5, 6, 6]);
  assert.equal([...s.f.succ], [1, 2, 2, 1, 3, 3]);
  assert.ok(isConditionalBranch(s.f, s.block('entry')));
  assert.not(isConditionalBranch(s.f, s.block('B')));
});

test('keys: equal where instructions could meld', () => {
  const { f, instr } = snapshot(`
    arg %a
    arg %b i64
    entry:
      %1 = add %a 1
      %2 = add 5 %a
      %3 = add %b 1:i64
      %4 = icmp slt %a 1
      %5 = icmp sgt %a 1
      %6 = icmp eq %a 1
      %7 = sub %a 1 !key=k
      %8 = mul %a 1 !key=k
      %9 = alloca 1
      ret`);
  const key = (name: string): number => f.instrKey[instr(name)];
  assert.is(key('%1'), key('%2'));
  assert.is.not(key('%1'), key('%3'));
  assert.is(key('%4'), key('%5'), 'predicates up to swapping');
  assert.is.not(key('%4'), key('%6'));
  assert.is(key('%7'), key('%8'));
  assert.is(key('%9'), NONE);
  assert.is(f.instrKey[f.instrCount - 1], NONE);
});

test('types, flags and attributes', () => {
  const { f, instr, value } = snapshot(`
    arg %p ptr3
    entry:
      %l = load %p !type=float !lat=64 !align=16
      %g = gep %p 4
      %s = select %l %g %p
      %c = call @f %l !name=callee !-MaySync !always
      %b = call @llvm.barrier !+Convergent !-Speculatable
      ret`);
  assert.is(f.instrAddressSpace[instr('%l')], 3);
  assert.equal([f.instrLatency[instr('%l')], f.instrAlign[instr('%l')]], [64, 16]);
  assert.is(f.typeKind[f.instrType[instr('%l')]], TypeKind.Float);
  assert.is(f.typeAddressSpace[f.valueType[value('%s')]], 3);
  assert.is(f.instrUniformity[instr('callee')], 1);
  assert.ok(hasFlag(f, instr('callee'), InstrFlag.Call));
  assert.not(hasFlag(f, instr('callee'), InstrFlag.MaySync));
  assert.ok(hasFlag(f, instr('%b'), InstrFlag.Convergent));
  assert.not(hasFlag(f, instr('%b'), InstrFlag.Speculatable));
});

test('allocas behind pointers', () => {
  const { f, value } = snapshot(`
    arg %p ptr
    entry:
      %x = alloca 1
      %y = alloca 1
      br loop
    loop:
      %i = phi [%x entry] [%next loop]
      %next = gep %i 1
      %sel = select %p %x %y
      %cast = addrspacecast %x !type=ptr
      %mix = select %p %cast %p
      br %p loop end
    end:
      ret`);
  assert.is(f.valueAlloca[value('%next')], value('%x'));
  assert.is(f.valueAlloca[value('%sel')], -2);
  assert.is(f.valueAlloca[value('%mix')], -2);
  assert.is(f.valueAlloca[value('%p')], NONE);
  assert.is(f.valueCastFrom[value('%cast')], 5);
  assert.is(f.valueCastFrom[value('%mix')], -2);
});

test('bare graphs, and complaints', () => {
  const { f } = graphSnapshot([[1, 2], [2], [3, 1, 2], []], [0]);
  assert.equal([...f.succ], [1, 2, 2, 3, 1, 2]);
  assert.equal([...f.instrOpcode], [Opcode.CondBr, Opcode.UncondBr, Opcode.Switch, Opcode.Ret]);
  assert.equal([...f.argUniformity], [2, 0, 0, 0]);
  assert.throws(() => snapshot('entry:\n br nowhere'), /no block 'nowhere'/);
  assert.throws(() => snapshot('entry:\n %x = add %y 1\n ret'), /'%y' is not defined/);
  assert.throws(() => snapshot('entry:\n frobnicate'), /unknown opcode/);
  assert.throws(() => snapshot('entry:\n %x = add 1 2'), /no terminator/);
});

test.run();
