/** s_getreg, s_setreg, MODE and what follows from it, clocks, and VGPR indexing. */
import { Fault } from '../../../src/simulator/fault.js';
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/operations/hardware-registers', { tests: 7, timeoutMs: 30_000 });

test('MODE is read and written by fields', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    const code = await assemble(cpu, [
      's_getreg_b32 s0, hwreg(HW_REG_MODE)',
      's_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3',
      's_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s8',
      's_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0',
      's_getreg_b32 s1, hwreg(HW_REG_MODE)',
      's_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)',
      's_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), 0x3f0',
      's_getreg_b32 s3, hwreg(HW_REG_MODE, 0, 10)',
    ]);
    const m = machine(code);
    m.wave.u32[8] = 0xfffffffc;
    const steps = code.steps;
    for (let at = 0; at < 2; at++) steps[at]!(m.wave);
    assert.is(m.wave.u32[0], 0x3f0, cpu);
    assert.is(m.wave.mode.roundF32, 3);
    assert.is(m.wave.plainF32, false);
    assert.is(m.wave.plainF64, true);
    for (let at = 2; at < 6; at++) steps[at]!(m.wave);
    assert.equal(m.wave.mode, {
      roundF32: 3,
      roundF16F64: 0,
      denormF32: 0,
      denormF16F64: 3,
      ieee: false,
      dx10Clamp: true,
    });
    assert.is(m.wave.u32[1], 0x1c3, cpu);
    assert.is(m.wave.u32[2], 0xc, cpu);
    for (let at = 6; at < 8; at++) steps[at]!(m.wave);
    assert.is(m.wave.plainF32, true);
    assert.is(m.wave.u32[3], 0x3f0, cpu);
  }
});

test('s_round_mode and s_denorm_mode', async () => {
  const m = machine(await assemble('gfx1100', ['s_round_mode 0x6', 's_denorm_mode 0x9']));
  execute(m);
  assert.equal(m.wave.mode, {
    roundF32: 2,
    roundF16F64: 1,
    denormF32: 1,
    denormF16F64: 2,
    ieee: true,
    dx10Clamp: true,
  });
});

test('modes that are not simulated are errors', async () => {
  const code = await assemble('gfx906', [
    's_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1',
    's_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 1',
    's_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1',
    's_setreg_imm32_b32 hwreg(HW_REG_LDS_ALLOC), 1',
    's_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)',
    's_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0',
  ]);
  const { wave } = machine(code);
  for (const [at, message] of [
    /FP16_OVFL/,
    /exceptions/,
    /VSKIP/,
    /hardware register 6/,
    /hardware register 5/,
  ].entries())
    assert.throws(
      () => code.steps[at]!(wave),
      (error: unknown) => error instanceof Fault && message.test(error.message),
    );
  code.steps[5]!(wave);
});

test('flat scratch is a register on generation 10', async () => {
  const m = machine(
    await assemble('gfx1030', [
      's_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0',
      's_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s1',
      's_getreg_b32 s2, hwreg(HW_REG_FLAT_SCR_LO, 8, 8)',
      's_getreg_b32 s3, hwreg(HW_REG_FLAT_SCR_HI)',
    ]),
  );
  m.wave.u32.set([0x12345678, 0xfedc]);
  execute(m);
  assert.equal([m.wave.flatScratchLow, m.wave.flatScratchHigh], [0x12345678, 0xfedc]);
  assert.equal([...m.wave.u32.subarray(2, 4)], [0x56, 0xfedc]);
});

test('status, apertures, exception flags', async () => {
  const m = machine(
    await assemble('gfx906', [
      's_cmp_eq_u32 s0, s0',
      's_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)',
      's_getreg_b32 s1, hwreg(HW_REG_STATUS, 9, 2)',
      's_getreg_b32 s2, hwreg(HW_REG_SH_MEM_BASES, 16, 16)',
      's_lshl_b32 s2, s2, 16',
      's_sub_u32 s2, s2, src_shared_base',
      's_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 5), 0x15',
      's_getreg_b32 s3, hwreg(HW_REG_TRAPSTS, 2, 3)',
    ]),
  );
  execute(m);
  // VCC is zero, EXEC is not.
  assert.equal([...m.wave.u32.subarray(0, 4)], [1, 2, 0, 5]);
});

test('time passes', async () => {
  for (const [cpu, lines] of [
    ['gfx906', ['s_memtime s[0:1]', 's_memrealtime s[2:3]']],
    ['gfx1100', ['s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES)', 's_getreg_b32 s2, hwreg(HW_REG_SHADER_CYCLES)']],
  ] as const) {
    const code = await assemble(cpu, lines);
    const read = (): number[] => {
      const m = machine(code);
      m.wave.u32.fill(0xffff, 0, 4);
      execute(m);
      return [m.wave.u32[0]!, m.wave.u32[2]!];
    };
    const [first, second] = read();
    assert.ok(second! > first!);
    assert.equal(read(), [first, second]);
  }
});

test('VGPR indexing of generation 9', async () => {
  const code = await assemble('gfx906', [
    's_set_gpr_idx_on s0, gpr_idx(SRC0)',
    'v_mov_b32_e32 v20, v4',
    's_set_gpr_idx_mode gpr_idx(DST)',
    'v_mov_b32_e32 v20, v4',
    's_set_gpr_idx_idx s1',
    'v_mov_b32_e32 v20, v5',
    's_set_gpr_idx_off',
    'v_mov_b32_e32 v21, v4',
    's_set_gpr_idx_on s2, gpr_idx(SRC0)',
    'v_mov_b32_e32 v22, v4',
  ]);
  const m = machine(code, { exec: [0xfffffffe, 0xffffffff] });
  m.wave.u32.set([0xffffff03, 6, 252]);
  for (let number = 0; number < 16; number++) m.wave.i32.fill(number, m.vgpr(number), m.vgpr(number + 1));
  assert.throws(() => execute(m), /an index in M0 leads to vector register 256/);
  const v = (number: number): number => m.wave.i32[m.vgpr(number) + 1]!;
  assert.equal([v(20), v(23), v(26), v(21), v(22)], [7, 4, 5, 4, 0]);
  // Lane 0 is not active.
  assert.is(m.wave.i32[m.vgpr(23)], 0);
  assert.is(m.wave.i32[m.vgpr(20)], 0);
});

test.run();
