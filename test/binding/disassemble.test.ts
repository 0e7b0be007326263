/** The disassembler's output compared with the assembly that LLVM prints for the same code. */
import * as assert from 'uvu/assert';
import { disassemble } from '../../src/binding/disassemble.js';
import { OperandKind } from '../../src/formats/disassembly.js';
import { elfSectionBytes, parseElf } from '../../src/formats/elf.js';
import { artifact, compile, kernel, runtime, text } from '../support/llvm.js';
import { suite } from '../support/suite.js';

const test = suite('binding/disassemble', { tests: 4 });

/** The assembly does not contain padding. */
const isReal = (mnemonic: string): boolean => mnemonic !== 's_nop' && mnemonic !== 's_code_end';

async function codeOf(name: string): Promise<{ code: Uint8Array; mnemonics: string[] }> {
  const result = await compile(await kernel(name), { emit: ['obj', 'asm'], meld: 'off' });
  const code = elfSectionBytes(parseElf(artifact(result, 'obj')), '.text');
  assert.ok(code);
  const mnemonics = text(artifact(result, 'asm'))
    .split('\n')
    .filter((line) => /^\t[a-z]/.test(line))
    .map((line) => line.trim().split(/\s/)[0]!);
  return { code: code!, mnemonics };
}

for (const [name, cpu, size] of [
  ['many.gfx906.O3', 'gfx906', 64],
  ['many.gfx1100.O3', 'gfx1100', 32],
] as const)
  test(`every instruction of ${name}`, async () => {
    const { code, mnemonics } = await codeOf(name);
    const llvm = await runtime();
    llvm.reset();
    const found = disassemble(llvm, code, cpu, `+wavefrontsize${size}`);
    const decoded = found.text.map((line) => line.split(' ')[0]!).filter(isReal);
    assert.equal(decoded, mnemonics.filter(isReal));
    assert.is(found.offset.at(-1)! + found.size.at(-1)!, code.length, 'no byte is left over');
    assert.ok(
      found.opcodes.every(({ operands }) => !operands.includes('?')),
      'every operand has a name',
    );
  });

test('operands, immediates and registers', async () => {
  const llvm = await runtime();
  llvm.reset();
  // v_add_f32_e64 v3, -v1, |s2| clamp; s_mov_b64 exec, -1; an illegal word
  const code = Uint8Array.of(
    0x03,
    0x82,
    0x01,
    0xd1,
    0x01,
    0x05,
    0x00,
    0x20,
    0xc1,
    0x01,
    0xfe,
    0xbe,
    0xff,
    0xff,
    0xff,
    0xff,
  );
  const found = disassemble(llvm, code, 'gfx906', '+wavefrontsize64');
  assert.equal(found.text, ['v_add_f32_e64 v3, -v1, |s2| clamp', 's_mov_b64 exec, -1', '']);
  assert.equal([...found.opcode], [0, 1, -1]);
  const operand = (at: number) => ({
    kind: found.operandKind[at],
    width: found.operandWidth[at],
    value: found.operandValue[at],
    high: found.operandHigh[at],
  });
  const first = found.opcodes[0]!.operands;
  assert.is(found.opcodes[0]!.mnemonic, 'v_add_f32');
  assert.equal(operand(first.indexOf('vdst')), { kind: OperandKind.Vgpr, width: 32, value: 3, high: 0 });
  assert.equal(operand(first.indexOf('src1')), { kind: OperandKind.Sgpr, width: 32, value: 2, high: 0 });
  assert.is(operand(first.indexOf('src0_modifiers')).value, 1);
  assert.is(operand(first.indexOf('src1_modifiers')).value, 2);
  assert.is(operand(first.indexOf('clamp')).value, 1);
  const second = found.operandStart[1]!;
  assert.equal(found.opcodes[1]!.operands, ['sdst', 'src0']);
  assert.equal(operand(second), { kind: OperandKind.Sgpr, width: 64, value: 126, high: 0 });
  assert.equal(
    [operand(second + 1).kind, operand(second + 1).value, operand(second + 1).high],
    [OperandKind.Immediate, -1, -1],
  );
});

test('an unknown processor', async () => {
  const llvm = await runtime();
  llvm.reset();
  assert.throws(() => disassemble(llvm, new Uint8Array(4), 'gfx9999', ''), /unknown processor 'gfx9999'/);
});

test.run();
