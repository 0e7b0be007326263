/**
 * EXEC: the saveexec and wrexec families, writes of whole and half of EXEC, and the list of active lanes that follows.
 */
import { EXEC, VCC } from '../../../src/simulator/wave.js';
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/operations/scalar-exec', { tests: 4, timeoutMs: 30_000 });

type Mask = (a: bigint, exec: bigint) => bigint;
/** Name on GFX9, name on GFX11, the new EXEC, and whether the old one is saved. */
const FAMILIES: readonly (readonly [string, string, Mask, boolean])[] = [
  ['s_and_saveexec', 's_and_saveexec', (a, exec) => a & exec, true],
  ['s_or_saveexec', 's_or_saveexec', (a, exec) => a | exec, true],
  ['s_xor_saveexec', 's_xor_saveexec', (a, exec) => a ^ exec, true],
  ['s_nand_saveexec', 's_nand_saveexec', (a, exec) => ~(a & exec), true],
  ['s_nor_saveexec', 's_nor_saveexec', (a, exec) => ~(a | exec), true],
  ['s_xnor_saveexec', 's_xnor_saveexec', (a, exec) => ~(a ^ exec), true],
  ['s_andn2_saveexec', 's_and_not1_saveexec', (a, exec) => a & ~exec, true],
  ['s_orn2_saveexec', 's_or_not1_saveexec', (a, exec) => a | ~exec, true],
  ['s_andn1_saveexec', 's_and_not0_saveexec', (a, exec) => ~a & exec, true],
  ['s_orn1_saveexec', 's_or_not0_saveexec', (a, exec) => ~a | exec, true],
  ['s_andn1_wrexec', 's_and_not0_wrexec', (a, exec) => ~a & exec, false],
  ['s_andn2_wrexec', 's_and_not1_wrexec', (a, exec) => a & ~exec, false],
];

const MASKS = [
  0n,
  1n,
  0x8000000000000001n,
  0xffffffffffffffffn,
  0x00000000ffffffffn,
  0xfedcba9800000000n,
  0x5555aaaa3333ccccn,
];

const lanesOf = (mask: bigint): number[] =>
  Array.from({ length: 64 }, (_, lane) => lane).filter((lane) => ((mask >> BigInt(lane)) & 1n) === 1n);

async function checkFamilies(cpu: string, nameAt: 0 | 1, bits: 32 | 64): Promise<void> {
  const register = bits === 64 ? ['s[2:3]', 's[0:1]'] : ['s2', 's0'];
  const code = await assemble(
    cpu,
    FAMILIES.map((each) => `${each[nameAt]}_b${bits} ${register.join(', ')}`),
  );
  const full = (1n << BigInt(bits)) - 1n;
  FAMILIES.forEach(([, , mask, savesOld], at) => {
    for (const a of MASKS)
      for (const exec of MASKS) {
        const { wave } = machine(code, { exec: [Number(exec & 0xffffffffn), Number(exec >> 32n)] });
        wave.u32.set([Number(a & 0xffffffffn), Number(a >> 32n), 0, 0]);
        code.steps[at]!(wave);
        const low = (index: number): bigint => BigInt(wave.u32[index]!);
        const read = (index: number): bigint => (low(index) | (low(index + 1) << 32n)) & full;
        const result = mask(a, exec) & full;
        const what = `${cpu} ${FAMILIES[at]![nameAt]}_b${bits} ${a.toString(16)} ${exec.toString(16)}`;
        assert.is(read(EXEC), result, what);
        assert.is(read(2), savesOld ? exec & full : result, what);
        assert.is(wave.scc, result === 0n ? 0 : 1, what);
        assert.equal([...wave.lanes.subarray(0, wave.active)], lanesOf(result), what);
      }
  });
}

test('64 lanes', () => checkFamilies('gfx906', 0, 64));
test('32 lanes', () => checkFamilies('gfx1100', 1, 32));

test('halves of EXEC', async () => {
  const code = await assemble('gfx906', [
    's_mov_b32 exec_lo, 5',
    's_mov_b32 exec_hi, 1',
    's_lshl_b64 exec, exec, 1',
    's_bitset1_b64 exec, s0',
    's_cmov_b64 exec, -1',
    's_movk_i32 exec_hi, 0',
  ]);
  const { wave } = machine(code, { exec: [0, 0] });
  const lanes = (): number[] => [...wave.lanes.subarray(0, wave.active)];
  wave.u32[0] = 63;
  const expected = [[0, 2], [0, 2, 32], [1, 3, 33], [1, 3, 33, 63]]; // prettier-ignore
  expected.forEach((list, at) => {
    code.steps[at]!(wave);
    assert.equal(lanes(), list);
  });
  wave.scc = 1;
  code.steps[4]!(wave);
  assert.is(wave.active, 64);
  code.steps[5]!(wave);
  assert.is(wave.active, 32);
});

test('zero tests of masks look at the lanes that there are', async () => {
  const lines = (label: string): string[] => [
    `s_cbranch_vccz ${label}`,
    's_movk_i32 s0, 1',
    `${label}:`,
    's_cbranch_execnz 1',
    's_movk_i32 s1, 1',
    's_cbranch_vccnz 1',
    's_movk_i32 s2, 1',
  ];
  const run = async (cpu: string): Promise<number[]> => {
    const m = machine(await assemble(cpu, lines('past')), { exec: [0, 8] });
    m.wave.u32.set([0, 4], VCC);
    execute(m);
    return [...m.wave.u32.subarray(0, 3)];
  };
  const vega = machine(await assemble('gfx906', ['s_mov_b32 s0, src_vccz', 's_mov_b32 s1, src_execz']), {
    exec: [0, 0],
  });
  execute(vega);
  assert.equal([...vega.wave.u32.subarray(0, 2)], [1, 1]);
  assert.equal(await run('gfx906'), [1, 0, 0]);
  assert.equal(await run('gfx1100'), [0, 1, 1]);
});

test.run();
