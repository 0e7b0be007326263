/**
 * Data-parallel primitives. Where each lane reads from is written out here by moving the elements of a list, as the ISA
 * documents draw it, not by computing lane numbers.
 */
import { assemble, execute, machine, type Machine } from '../support/simulator.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/dpp', { tests: 11 });

/** The lane that is read, or null. */
type Sources = readonly (number | null)[];

const numbers = (count: number, first = 0): number[] => Array.from({ length: count }, (_, at) => first + at);
const nothing = (count: number): null[] => Array.from({ length: count }, () => null);
const ROW = numbers(16);
/** The same in all rows. */
const inRows = (row: Sources, size: number): Sources =>
  numbers(size / 16).flatMap((at) => row.map((lane) => (lane === null ? null : 16 * at + lane)));
const blocks = (list: readonly number[], length: number): number[][] =>
  numbers(list.length / length).map((at) => list.slice(at * length, (at + 1) * length));

/** Every control that all processors have, with what it reads. */
function commonControls(size: number): Map<string, Sources> {
  const controls = new Map<string, Sources>();
  for (const n of numbers(15, 1)) {
    controls.set(`row_shl:${n}`, inRows([...ROW.slice(n), ...nothing(n)], size));
    controls.set(`row_shr:${n}`, inRows([...nothing(n), ...ROW.slice(0, 16 - n)], size));
    controls.set(`row_ror:${n}`, inRows([...ROW.slice(16 - n), ...ROW.slice(0, 16 - n)], size));
  }
  controls.set('row_mirror', inRows([...ROW].reverse(), size));
  controls.set('row_half_mirror', inRows([7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8], size));
  for (const quad of [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 2, 2, 2], [1, 2, 3, 0], [0, 0, 3, 1]])
    controls.set(
      `quad_perm:[${quad.join()}]`,
      blocks(numbers(size), 4).flatMap((lanes) => quad.map((at) => lanes[at]!)),
    );
  return controls;
} // prettier-ignore

function controlsOfGfx9(): Map<string, Sources> {
  const controls = commonControls(64);
  const wave = numbers(64);
  controls.set('wave_shl:1', [...wave.slice(1), null]);
  controls.set('wave_shr:1', [null, ...wave.slice(0, 63)]);
  controls.set('wave_rol:1', [...wave.slice(1), 0]);
  controls.set('wave_ror:1', [63, ...wave.slice(0, 63)]);
  const filled = (lane: number | null, count: number): Sources => Array.from({ length: count }, () => lane);
  controls.set('row_bcast:15', [...nothing(16), ...filled(15, 16), ...filled(31, 16), ...filled(47, 16)]);
  controls.set('row_bcast:31', [...nothing(32), ...filled(31, 32)]);
  return controls;
}

function controlsOfGfx10(size: number): Map<string, Sources> {
  const controls = commonControls(size);
  for (const n of numbers(16)) {
    controls.set(`row_share:${n}`, inRows(numbers(16).fill(n), size));
    let row = [...ROW];
    for (const length of [1, 2, 4, 8])
      if ((n & length) !== 0)
        row = blocks(row, 2 * length).flatMap((pair) => [...pair.slice(length), ...pair.slice(0, length)]);
    controls.set(`row_xmask:${n}`, inRows(row, size));
  }
  return controls;
}

type Exec = readonly [low: number, high: number];
const isActive = ([low, high]: Exec, lane: number): boolean => (((lane < 32 ? low : high) >>> (lane & 31)) & 1) !== 0;

interface Options {
  readonly rowMask: number;
  readonly bankMask: number;
  readonly bound: boolean;
  readonly fetch: boolean;
}
const PLAIN: Options = { rowMask: 15, bankMask: 15, bound: false, fetch: false };

const hasBit = (mask: number, bit: number): boolean => [...mask.toString(2)].reverse()[bit] === '1';

const SOURCE = 1000;
const OLD = 5000;

/** What v_mov_b32 leaves in a lane of a register that held OLD + lane; sources hold SOURCE + lane. */
function moved(sources: Sources, exec: Exec, { rowMask, bankMask, bound, fetch }: Options, lane: number): number {
  const old = OLD + lane;
  if (!isActive(exec, lane)) return old;
  if (!hasBit(rowMask, Math.floor(lane / 16)) || !hasBit(bankMask, Math.floor((lane % 16) / 4))) return old;
  const from = sources[lane]!;
  if (from !== null && (fetch || isActive(exec, from))) return SOURCE + from;
  return bound ? 0 : old;
}

const suffix = ({ rowMask, bankMask, bound, fetch }: Options): string =>
  ` row_mask:${rowMask} bank_mask:${bankMask}${bound ? ' bound_ctrl:1' : ''}${fetch ? ' fi:1' : ''}`;

async function prepared(cpu: string, lines: readonly string[], exec: Exec, size?: 32 | 64, results = 240) {
  const m = machine(await assemble(cpu, lines, size), { exec });
  for (let lane = 0; lane < m.wave.size; lane++) {
    m.wave.u32[m.vgpr(0) + lane] = SOURCE + lane;
    for (let at = 1; at < results; at++) m.wave.u32[m.vgpr(at) + lane] = OLD + lane;
  }
  return m;
}
const lanes = ({ wave, vgpr }: Machine, register: number): number[] =>
  Array.from(wave.u32.subarray(vgpr(register), vgpr(register) + wave.size));

/** Each control into a register of its own, from v0. */
async function checkMoves(
  cpu: string,
  controls: Map<string, Sources>,
  exec: Exec,
  options: Options,
  size: 32 | 64,
): Promise<void> {
  const entries = [...controls];
  const lines = entries.map(([control], at) => `v_mov_b32_dpp v${at + 1}, v0 ${control}${suffix(options)}`);
  const m = await prepared(cpu, lines, exec, size);
  execute(m);
  entries.forEach(([control, sources], at) => {
    const expected = numbers(size).map((lane) => moved(sources, exec, options, lane));
    assert.equal(lanes(m, at + 1), expected, `${cpu} ${control}${suffix(options)} exec ${exec.join()}`);
  });
}

const EXECS: readonly Exec[] = [
  [-1, -1],
  [0x7ff3_e0f1, 0x0ff0_8001],
  [0x5555_5555, 0xcccc_cccc],
];

test('every control of generation 9', async () => {
  for (const exec of EXECS)
    for (const bound of [false, true]) await checkMoves('gfx906', controlsOfGfx9(), exec, { ...PLAIN, bound }, 64);
});

test('every control of generations 10 and 11', async () => {
  for (const [cpu, size] of [['gfx1030', 32], ['gfx1100', 32], ['gfx1030', 64]] as const)
    for (const exec of EXECS)
      for (const [bound, fetch] of [[false, false], [true, false], [false, true], [true, true]] as const)
        await checkMoves(cpu, controlsOfGfx10(size), exec, { ...PLAIN, bound, fetch }, size);
}); // prettier-ignore

test('row and bank masks', async () => {
  const all = controlsOfGfx9();
  const few = new Map([...all].filter(([name]) => /^(row_shl:3|row_mirror|row_bcast:15|quad_perm)/.test(name)));
  for (const [rowMask, bankMask] of [[15, 0], [0, 15], [5, 15], [15, 6], [10, 9], [8, 1]] as const)
    for (const bound of [false, true])
      await checkMoves('gfx906', few, EXECS[1]!, { ...PLAIN, rowMask, bankMask, bound }, 64);
}); // prettier-ignore

test('row_newbcast of gfx90a and gfx942, also of 64 bits', async () => {
  const controls = new Map(ROW.map((n) => [`row_newbcast:${n}`, inRows(numbers(16).fill(n), 64)]));
  await checkMoves('gfx90a', controls, EXECS[1]!, PLAIN, 64);
  const m = await prepared('gfx942', ['v_mov_b64_dpp v[4:5], v[0:1] row_newbcast:6'], [-2, -1]);
  execute(m);
  const row = (lane: number): number => Math.floor(lane / 16) * 16;
  assert.equal(lanes(m, 4), numbers(64).map((lane) => (lane === 0 ? OLD : SOURCE + row(lane) + 6)));
  assert.equal(lanes(m, 5), numbers(64).map((lane) => OLD + (lane === 0 ? 0 : row(lane) + 6)));
}); // prettier-ignore

test('DPP8', async () => {
  const selects = [[7, 6, 5, 4, 3, 2, 1, 0], [1, 1, 0, 7, 5, 5, 2, 6]];
  for (const [cpu, size] of [['gfx1030', 32], ['gfx1100', 32], ['gfx1030', 64]] as const)
    for (const exec of EXECS) {
      const lines = selects.flatMap((select, at) => [
        `v_mov_b32_dpp v${2 * at + 1}, v0 dpp8:[${select.join()}]`,
        `v_mov_b32_dpp v${2 * at + 2}, v0 dpp8:[${select.join()}] fi:1`,
      ]);
      const m = await prepared(cpu, lines, exec, size);
      execute(m);
      selects.forEach((select, at) => {
        const sources = blocks(numbers(size), 8).flatMap((eight) => select.map((from) => eight[from]!));
        for (const fetch of [false, true]) {
          const expected = numbers(size).map((lane) => moved(sources, exec, { ...PLAIN, bound: true, fetch }, lane));
          assert.equal(lanes(m, 2 * at + (fetch ? 2 : 1)), expected, `${cpu} ${select.join()} fi ${fetch}`);
        }
      });
    }
}); // prettier-ignore

test('arithmetic: only src0 comes from elsewhere; the destination may be a source', async () => {
  const lines = [
    'v_add_u32_dpp v1, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf',
    'v_add_u32_dpp v2, v0, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1',
    'v_mov_b32_dpp v0, v0 row_shl:1 row_mask:0xf bank_mask:0xf',
  ];
  const m = await prepared('gfx906', lines, [-1, -1]);
  execute(m);
  const first = (lane: number): boolean => lane % 16 === 0;
  const sum = (lane: number): number => SOURCE + lane - 1 + OLD + lane;
  assert.equal(lanes(m, 1), numbers(64).map((lane) => (first(lane) ? OLD + lane : sum(lane))));
  assert.equal(lanes(m, 2), numbers(64).map((lane) => (first(lane) ? OLD + lane : sum(lane))));
  assert.equal(lanes(m, 0), numbers(64).map((lane) => SOURCE + (lane % 16 === 15 ? lane : lane + 1)));
}); // prettier-ignore

test('integers in reverse order: the second operand comes from elsewhere, of shifts before gfx11', async () => {
  const neighbour = (lane: number): number => (lane % 2 === 0 ? lane + 1 : lane - 1);
  for (const [cpu, nc] of [['gfx906', ''], ['gfx1030', '_nc'], ['gfx1100', '_nc']] as const) {
    const from = 'quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf';
    const lines = [
      `v_subrev${nc}_u32_dpp v2, v0, v1 ${from}`,
      `v_lshlrev_b32_dpp v3, v0, v1 ${from}`,
      `v_ashrrev_i32_dpp v4, v0, v1 ${from}`,
      `v_subrev_f32_dpp v5, v0, v1 ${from}`,
    ];
    const m = await prepared(cpu, lines, [-1, -1]);
    const { size, f32 } = m.wave;
    execute(m);
    const [first, second] = [0, 1].map((register) => (lane: number) => m.wave.u32[m.vgpr(register) + lane]!);
    assert.equal(lanes(m, 2), numbers(size).map((lane) => second!(neighbour(lane)) - first!(lane)), cpu);
    const [count, value] = cpu === 'gfx1100' ? [neighbour, (lane: number) => lane] : [(lane: number) => lane, neighbour];
    const shifted = numbers(size).map((lane) => [second!(value(lane)), first!(count(lane))] as const);
    assert.equal(lanes(m, 3), shifted.map(([number, by]) => (number << by) >>> 0), cpu);
    assert.equal(lanes(m, 4), shifted.map(([number, by]) => number >> by), cpu);
    const float = (register: number, lane: number): number => f32[m.vgpr(register) + lane]!;
    for (const lane of numbers(size)) assert.is(float(5, lane), Math.fround(float(1, lane) - float(0, neighbour(lane))));
  }
}); // prettier-ignore

test('an inclusive scan as compilers write it', async () => {
  const lines = [
    ...[1, 2, 4, 8].map((n) => `v_add_u32_dpp v0, v0, v0 row_shr:${n} row_mask:0xf bank_mask:0xf`),
    'v_add_u32_dpp v0, v0, v0 row_bcast:15 row_mask:0xa bank_mask:0xf',
    'v_add_u32_dpp v0, v0, v0 row_bcast:31 row_mask:0xc bank_mask:0xf',
  ];
  const m = await prepared('gfx906', lines, [-1, -1]);
  execute(m);
  let total = 0;
  assert.equal(lanes(m, 0), numbers(64).map((lane) => (total += SOURCE + lane)));
}); // prettier-ignore

test('carries, halves and signs', async () => {
  const lines = [
    'v_add_co_ci_u32_e64_dpp v1, s4, v0, v0, s6 row_shl:1 row_mask:0xf bank_mask:0xf',
    'v_add_nc_u16_e64_dpp v2.h, v0.l, v0.l row_mirror row_mask:0xf bank_mask:0xf',
    'v_cndmask_b32_e64_dpp v3, -v0, v0, s6 row_xmask:1 row_mask:0xf bank_mask:0xf',
  ];
  const m = await prepared('gfx1100', lines, [-1, 0]);
  m.wave.u32[6] = 0x0000_00ff;
  m.wave.u32[4] = -1;
  execute(m);
  const last = (lane: number): boolean => lane % 16 === 15;
  const twice = (lane: number): number => 2 * (SOURCE + lane) + 1 + (lane < 8 ? 1 : 0);
  assert.equal(lanes(m, 1), numbers(32).map((lane) => (last(lane) ? OLD + lane : twice(lane))));
  assert.is(m.wave.u32[4], 0);
  const mirrored = (lane: number): number => 2 * SOURCE + 32 * Math.floor(lane / 16) + 15;
  assert.equal(lanes(m, 2), numbers(32).map((lane) => mirrored(lane) * 2 ** 16 + OLD + lane));
  const pair = (lane: number): number => (lane % 2 === 0 ? lane + 1 : lane - 1);
  const selected = (lane: number): number => (lane < 8 ? SOURCE + lane : SOURCE + pair(lane) + 2 ** 31);
  assert.equal(lanes(m, 3), numbers(32).map(selected));
}); // prettier-ignore

test('comparisons: lanes that are not written have 0', async () => {
  const m = await prepared('gfx1100', ['v_cmp_le_u32_e64_dpp s4, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf'], [-1, 0]);
  execute(m);
  assert.is(m.wave.u32[4], 0xfffe_fffe);
}); // prettier-ignore

test('a comparison that writes EXEC', async () => {
  const lines = ['v_cmpx_lt_u32_e64_dpp v0, v0 row_ror:1 row_mask:0xf bank_mask:0x7', 'v_mov_b32 v1, 1'];
  const m = await prepared('gfx1100', lines, [0x7fff_ffff, 0]);
  execute(m);
  // Lane 0 of each row compares lane 15 with itself: not less. Bank 3 is masked. Lane 31 is not active.
  assert.is(m.wave.u32[126], 0x0ffe_0ffe);
  assert.is(m.wave.active, 22);
  const expected = (lane: number): number => (lane % 16 >= 1 && lane % 16 <= 11 ? 1 : OLD + lane);
  assert.equal(lanes(m, 1), numbers(32).map(expected));
}); // prettier-ignore

test.run();
