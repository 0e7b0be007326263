/** Sub-dword addressing: selected bytes and words of sources and destinations, on GFX9 and GFX10. */
import { suite } from '../support/suite.js';
import {
  cases,
  checkVector,
  low,
  OLD,
  randomInputs,
  signed,
  type Input,
  type Lane,
} from './operations/vector-cases.js';

const test = suite('simulator/sdwa', { tests: 7 });

/** First bit and number of bits. */
const SELECTS: Readonly<Record<string, readonly [bigint, number]>> = {
  BYTE_0: [0n, 8],
  BYTE_1: [8n, 8],
  BYTE_2: [16n, 8],
  BYTE_3: [24n, 8],
  WORD_0: [0n, 16],
  WORD_1: [16n, 16],
  DWORD: [0n, 32],
};
const part = (word: bigint, select: string): bigint => low(word >> SELECTS[select]![0], SELECTS[select]![1]);
const signedPart = (word: bigint, select: string): bigint => signed(part(word, select), SELECTS[select]![1]);

const HARD: readonly Input[] = [
  [0x0080_7fffn, 0x8000_7f80n, 0n],
  [0xffff_ffffn, 0x0000_0001n, 0n],
  [0x8000_0000n, 0x8000_8000n, 0n],
  [0x0000_8080n, 0x7f7f_7f7fn, 0n],
];
const INPUTS = [...HARD, ...randomInputs(124)];

test('selects of sources, with and without sign', async () => {
  for (const [cpu, add] of [['gfx906', 'v_add_u32_sdwa'], ['gfx1030', 'v_add_nc_u32_sdwa']] as const) {
    const table = Object.keys(SELECTS).flatMap((x) =>
      Object.keys(SELECTS).map((y) => ({
        text: `${add} $d, sext($a), $b dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:${x} src1_sel:${y}`,
        result: ({ a, b }: Lane) => signedPart(a, x) + part(b, y),
      })),
    );
    await checkVector({ cpu, cases: table, inputs: INPUTS });
  }
}); // prettier-ignore

test('selects of destinations', async () => {
  const bits = (select: string): bigint => ((1n << BigInt(SELECTS[select]![1])) - 1n) << SELECTS[select]![0];
  const unused: Record<string, (value: bigint, select: string) => bigint> = {
    UNUSED_PAD: (value, select) => low(value, SELECTS[select]![1]) << SELECTS[select]![0],
    UNUSED_SEXT: (value, select) => signed(value, SELECTS[select]![1]) << SELECTS[select]![0],
    UNUSED_PRESERVE: (value, select) =>
      ((value << SELECTS[select]![0]) & bits(select)) | (OLD & ~bits(select)),
  };
  const table = Object.entries(unused).flatMap(([name, into]) =>
    Object.keys(SELECTS).map((select) => ({
      text: `v_xor_b32_sdwa $d, $a, $b dst_sel:${select} dst_unused:${name} src0_sel:DWORD src1_sel:WORD_1`,
      result: ({ a, b }: Lane) => into(a ^ part(b, 'WORD_1'), select),
    })),
  );
  for (const cpu of ['gfx906', 'gfx1030'])
    for (const exec of [[-1, -1], [0x0f0f_0f0f, 0x8000_0001]] as const)
      await checkVector({ cpu, cases: table, inputs: INPUTS, exec });
}); // prettier-ignore

test('moves and scalars', async () => {
  const table = cases({
    'v_mov_b32_sdwa $d, sext($a) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3': ({ a }) =>
      (low(signedPart(a, 'BYTE_3'), 16) << 16n) | low(OLD, 16),
    'v_and_b32_sdwa $d, s2, $a dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD': ({ a }) =>
      0x9669n & a,
    'v_lshlrev_b32_sdwa $d, $a, $b dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_0': ({ a, b }) =>
      part(b, 'WORD_0') << (part(a, 'BYTE_2') % 32n),
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
});

const to16 = (value: bigint): bigint => low(value, 16);

test('16-bit operations', async () => {
  const s = (word: bigint, select: string): bigint => signed(to16(part(word, select)), 16);
  const format = (name: string, x: string, y: string, more = ''): string =>
    `${name} $d, ${more === 'sext' ? 'sext($a)' : '$a'}, $b dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:${x} src1_sel:${y}`;
  const table = ['BYTE_0', 'BYTE_3', 'WORD_1', 'DWORD'].flatMap((x) =>
    ['BYTE_1', 'WORD_0', 'DWORD'].flatMap((y) =>
      cases({
        [format('v_add_u16_sdwa', x, y)]: ({ a, b }) => to16(part(a, x) + part(b, y)),
        [format('v_max_i16_sdwa', x, y)]: ({ a, b }) => to16(s(a, x) > s(b, y) ? s(a, x) : s(b, y)),
        [format('v_max_i16_sdwa', x, y, 'sext')]: ({ a, b }) => {
          const left = signed(signedPart(a, x), 16);
          return to16(left > s(b, y) ? left : s(b, y));
        },
        [format('v_max_u16_sdwa', x, y, 'sext')]: ({ a, b }) => {
          const left = to16(signedPart(a, x));
          const right = to16(part(b, y));
          return left > right ? left : right;
        },
      }),
    ),
  );
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
});

test('16-bit operations into a half', async () => {
  const sum = ({ a, b }: Lane): bigint => to16(part(a, 'BYTE_1') + part(b, 'WORD_1'));
  const table = cases({
    'v_add_u16_sdwa $d, $a, $b dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_1': (lane) =>
      (sum(lane) << 16n) | low(OLD, 16),
    'v_add_u16_sdwa $d, $a, $b dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1': sum,
    'v_add_u16_sdwa $d, $a, $b clamp dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_1': ({
      a,
      b,
    }) => {
      const exact = part(a, 'BYTE_1') + part(b, 'WORD_1');
      return (exact > 0xffffn ? 0xffffn : exact) | (OLD & 0xffff_0000n);
    },
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
});

test('selections and carries by VCC', async () => {
  const more = 'dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1';
  const [x, y] = ['BYTE_0', 'WORD_1'];
  const table = cases({
    [`v_cndmask_b32_sdwa $d, $a, $b, vcc ${more}`]: ({ a, b, carry }) => (carry === 1n ? part(b, y) : part(a, x)),
    'v_cndmask_b32_sdwa $d, -$a, |$b|, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD': (
      lane,
    ) => (lane.carry === 1n ? low(lane.b, 31) : lane.a ^ 0x8000_0000n),
    // Writes VCC, so it comes last.
    [`v_addc_co_u32_sdwa $d, vcc, $a, $b, vcc ${more}`]: ({ a, b, carry }) => part(a, x) + part(b, y) + carry,
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS, exec: [0x7fff_fffe, -1] });
});

test('comparisons', async () => {
  const table = ['BYTE_2', 'WORD_0', 'DWORD'].map((select) => ({
    text: `v_cmp_gt_i32_sdwa $m, sext($a), $b src0_sel:${select} src1_sel:WORD_1`,
    mask: ({ a, b }: Lane) => signedPart(a, select) > part(b, 'WORD_1'),
  }));
  const halves = ['BYTE_2', 'WORD_1', 'DWORD'].map((select) => ({
    text: `v_cmp_lt_u16_sdwa $m, $a, $b src0_sel:${select} src1_sel:DWORD`,
    mask: ({ a, b }: Lane) => to16(part(a, select)) < to16(b),
  }));
  await checkVector({ cpu: 'gfx906', cases: [...table, ...halves], inputs: INPUTS, exec: [-2, 0x7fff_ffff] });
  await checkVector({ cpu: 'gfx1030', cases: [...table, ...halves], inputs: INPUTS });
});

test.run();
