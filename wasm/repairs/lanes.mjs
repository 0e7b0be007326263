/**
 * Repairs of instructions that read other lanes (DPP: data parallel primitives), which GCNDPPCombine makes of a move
 * and of what uses it (llvm/lib/Target/AMDGPU/GCNDPPCombine.cpp, ../repair.mjs). Most are in tables of opcodes.
 */
import { NOP } from './nop.mjs';

/** Numbers of 32 bits, the lowest byte first. */
const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer).toString('hex');

/**
 * In the tables of opcodes and what they are with DPP (getDPPOp32, getDPPOp64), which are searched by bisection: rows
 * to leave out, behind one that stays and takes their places. If these rows are somewhere else as well, `next` is the row
 * behind them.
 */
const withoutRows = (stays, leave, next = []) => ({
  file: 'llvm.memory',
  faulty: words(...stays, ...leave.flat(), ...next),
  right: words(...stays, ...leave.flatMap(() => stays), ...next),
});

/** In the table of machine opcodes (getMCOpcodeGen): what stands for "no such instruction". */
const NONE = 55722;

/** A row of that table: the opcode, and its machine opcodes, by processor. */
const row = (opcode, { gfx8 = NONE, gfx10 = NONE, gfx11 = NONE, gfx12 = NONE, gfx13 = NONE }) =>
  words(opcode, NONE, gfx8, NONE, NONE, NONE, NONE, gfx10, NONE, NONE, NONE, gfx11, NONE, gfx12, NONE, gfx13);

export const LANES = [
  {
    // SIInstrInfo::findCommutedOpIndices (llvm/lib/Target/AMDGPU/SIInstrInfo.cpp) does not ask whether the first operand
    // comes from other lanes. So MachineCSE took `x ^ dpp(y)` for `y ^ dpp(x)`, if both have the same value for lanes
    // that are not written (llvm/llvm-project#218393). With the repair, nothing with DPP commutes.
    file: 'llvm.wasm',
    // The description of the instruction (local.tee 1), i32.load8_u 19, i32.const 2 (commutable), i32.and, i32.eqz, br_if
    faulty:
      '200128020822012d0013410271450d00' +
      // Its opcode (local.tee 1); its row in the table of operands: that of src0 (local.tee 4), if it has one
      '20012802002201' + '4101742f0190dd9610418c016c' + '41016a' + '2c00b09ac30f' + '2204417f460d00' +
      // The row again: that of src1 (local.tee 1), if it has one
      '2001' + '4101742f0190dd9610418c016c' + '41196a' + '2c00b09ac30f' + '2201417f460d00', // prettier-ignore
    // The same; local.get 1, i32.load8_s 25, i32.const 0, i32.lt_s (DPP), br_if; the row stays in local 1
    right:
      '200128020822012d0013410271450d00' + '20012c00194100480d00' +
      '2001280200' + '4101742f0190dd9610418c016c' + '220141016a' + '2c00b09ac30f' + '2204417f460d00' +
      NOP.repeat(3) + '2001' + '41196a' + '2c00b09ac30f' + '2201417f460d00', // prettier-ignore
  },
  // What subtracts or shifts with its operands in reverse order takes the second operand from other lanes, not the
  // first (llvm/llvm-project#216835): `x - dpp(y)` was `dpp(x) - y`. The repair leaves V_SUBREV, V_SUBREV_CO and
  // V_SUBBREV of integers as they are, on all processors,
  ...[
    // V_SQRT_F64_e32; V_SUBBREV_U32_e32
    withoutRows([11025, 11023], [[11028, 11027]]),
    // V_SUBB_U32_e32; V_SUBREV_CO_U32_e32
    withoutRows([11033, 11032], [[11038, 11037]]),
    // V_SUBREV_F32_e32; V_SUBREV_U16_e32, V_SUBREV_U32_e32
    withoutRows([11058, 11057], [[11063, 11062], [11068, 11067]]), // prettier-ignore
    // V_SQRT_F32_e64; V_SUBBREV_U32_e64
    withoutRows([11020, 11021], [[11029, 11030]]),
    // V_SUBB_U32_e64; V_SUBREV_CO_U32_e64
    withoutRows([11034, 11035], [[11039, 11040]]),
    // V_SUBREV_F32_e64; V_SUBREV_U16_e64, V_SUBREV_U32_e64
    withoutRows([11059, 11060], [[11064, 11065], [11069, 11070]]), // prettier-ignore
  ],
  // and shifts of up to 32 bits before gfx11: V_ASHRREV_I16, V_LSHLREV_B16, V_LSHRREV_B16, V_ASHRREV_I32,
  // V_LSHLREV_B32, V_LSHRREV_B32.
  ...[
    [5976, { gfx8: 40309 }],
    [9741, { gfx8: 51617 }],
    [9775, { gfx8: 51712 }],
    [5986, { gfx8: 40341, gfx10: 40337, gfx11: 40338, gfx12: 40339, gfx13: 40340 }],
    [9751, { gfx8: 51649, gfx10: 51645, gfx11: 51646, gfx12: 51647, gfx13: 51648 }],
    [9785, { gfx8: 51744, gfx10: 51740, gfx11: 51741, gfx12: 51742, gfx13: 51743 }],
  ].map(([opcode, { gfx8, gfx10, ...later }]) => ({
    file: 'llvm.memory',
    faulty: row(opcode, { gfx8, gfx10, ...later }),
    right: row(opcode, later),
  })),
  // A move of 32 bits was put into instructions with operands of 64 bits, which have no DPP (llvm/llvm-project#222216):
  // a shift of 64 bits was refused on gfx11, and had an encoding that does not exist on gfx12. Where they have it, as
  // on gfx90a, they keep the move now, too.
  // V_CVT_F32_UBYTE3_e32; V_CVT_F64_F32_e32, V_CVT_F64_I32_e32, V_CVT_F64_U32_e32
  withoutRows([8857, 8855], [[8863, 8861], [8868, 8866], [8873, 8871]]), // prettier-ignore
  // V_LSHLREV_B32_e32; V_LSHLREV_B64_pseudo_e32
  withoutRows([9752, 9751], [[9759, 9758]]),
  // V_ASHRREV_I32_e64; V_ASHRREV_I64_e64
  withoutRows([5988, 5989], [[5991, 5992]]),
  // V_CVT_F32_UBYTE3_e64; V_CVT_F64_F32_e64, V_CVT_F64_I32_e64, V_CVT_F64_U32_e64
  withoutRows([8858, 8859], [[8864, 8865], [8869, 8870], [8874, 8875]]), // prettier-ignore
  // V_LDEXP_F32_e64; V_LDEXP_F64_e64
  withoutRows([9680, 9681], [[9683, 9684]]),
  // V_LSHLREV_B32_e64; V_LSHLREV_B64_e64, V_LSHLREV_B64_pseudo_e64
  withoutRows([9753, 9754], [[9756, 9757], [9760, 9761]]), // prettier-ignore
  // V_LSHL_ADD_U32_e64; V_LSHL_ADD_U64_e64; V_LSHL_B32_e64
  withoutRows([9762, 9763], [[9764, 9765]], [9768, 9769]),
  // V_LSHRREV_B32_e64; V_LSHRREV_B64_e64
  withoutRows([9787, 9788], [[9790, 9791]]),
  // V_MAD_I32_I24_e64; V_MAD_I64_I32_e64, V_MAD_I64_I32_gfx11_e64
  withoutRows([9837, 9838], [[9839, 9840], [9841, 9840]]), // prettier-ignore
  // V_MAD_U32_e64; V_MAD_U64_U32_e64, V_MAD_U64_U32_gfx11_e64
  withoutRows([9870, 9871], [[9872, 9873], [9874, 9873]]), // prettier-ignore
  // V_TANH_F32_e64; V_TRIG_PREOP_F64_e64
  withoutRows([11214, 11215], [[11217, 11218]]),
];
