/** Repairs of which instructions LLVM selects for an expression (../repair.mjs). */
import { NOP } from './nop.mjs';

/** In calculateByteProvider: `return std::nullopt`, and `end`. */
const RETURN_NONE = '200041003a0020' + '200041003a0000' + '0c110b';

/** In calculateByteProvider: `dyn_cast<ConstantSDNode>(Op->getOperand(1))`, or std::nullopt is returned. */
const CONSTANT_MASK = '0240' + '200628021c2203280214220128020c2206' + '410c460d00' + '20064125460d00' + RETURN_NONE;

export const OPERATIONS = [
  {
    // SITargetLowering::performAddCombine (llvm/lib/Target/AMDGPU/SIISelLowering.cpp). For `v_dot4` it follows a chain
    // of operations from a sum upwards, and takes each for a sum that has two operands (`getNumOperands() < 2`): of `a
    // * b + (d | e * f)` it makes `a * b + d + e * f`. The repair goes on with sums only (`getOpcode() != ISD::ADD`).
    file: 'llvm.wasm',
    // local.get 2, i32.load16_u 40, i32.const 2, i32.lt_u, br_if; local.get 2, i32.load 28, local.tee 1, i32.load 20
    faulty: '20022f01284102490d02' + '200228021c2201280214',
    // local.get 2, i32.load 12, i32.const 59, i32.ne, br_if
    right: '200228020c413b470d02' + '200228021c2201280214',
  },
  {
    // calculateByteProvider (llvm/lib/Target/AMDGPU/SIISelLowering.cpp) says which byte a factor of `v_dot4` is. For `x
    // & 1023` it is the lowest byte of x, and the next one is not known, which handleMulOperand lets pass. The repair
    // asks at the root of an expression (Depth 0), where `v_dot4` begins, for a mask without other bits: `(IndexMask |
    // -(Depth == 0)) & BitMask` stands where `IndexMask & BitMask` did. It stands in the place of a check for vectors,
    // whose masks are no ConstantSDNode.
    file: 'llvm.wasm',
    // local.get 7 (IsVec), if, return std::nullopt, end; the mask as a ConstantSDNode, or return std::nullopt;
    // i32.const 255, local.get 2 (Index), i32.const 3, i32.shl, i32.shl, local.tee 6 (IndexMask)
    faulty: '20070440' + RETURN_NONE + CONSTANT_MASK + '41ff012002410374742206',
    // i32.const 0, local.get 3 (Depth), i32.eqz, i32.sub, local.set 7; the same; local.get 7, i32.or
    right: '41002003456b2107' + NOP.repeat(10) + CONSTANT_MASK + '41ff012002410374742206' + '200772',
  },
  {
    // SITargetLowering::performAddCombine makes a `v_dot4`, whose sum has 32 bits, of sums of 64 bits, too
    // (llvm/llvm-project#216015). The repair ends after what it tries for 64 bits.
    file: 'llvm.wasm',
    // VT & 65535, i32.const 8 (MVT::i64), i32.ne, br_if; local.get 11, br_if; call foldAddSub64WithZeroLowBitsTo32; if
    // there is a result, return (br_if); end
    faulty: '41ffff03714108470d00' + '200b0d00' + '200020022003109618' + '20002802000d01' + '0b',
    // The same, and return
    right: '41ffff03714108470d00' + '200b0d00' + '200020022003109618' + NOP.repeat(5) + '0c01' + '0b',
  },
  {
    // SIFoldOperandsImpl::isClamp takes the maximum of a number and of the same with a modifier, as its absolute value,
    // for that of the number and itself (llvm/llvm-project#224517). The repair asks that neither has a modifier, in the
    // place of one of them.
    file: 'llvm.wasm',
    // local.tee 4 (UnsetMods), local.get 3, i32.load 16 (Src0Mods), i32.ne, if; local.get 4, local.get 5, i32.load 16
    // (Src1Mods), i32.ne, br_if (return); end
    faulty: '417d714198d300461b' + '2204200328021047' + '0440' + '2004200528021047' + '0d010b',
    // The same with br_if in the place of if
    right: '417d714198d300461b' + '2204200328021047' + '0d00' + '2004200528021047' + '0d00' + NOP,
  },
  {
    // AMDGPUTargetLowering::LowerFP_TO_INT_SAT (llvm/lib/Target/AMDGPU/AMDGPUISelLowering.cpp) converts halves and
    // bfloats to 64 bits as if they had to saturate at 32: an infinite half became 2^31 - 1. The repair leaves them to
    // the expansion that floats have. It asks for another type than MVT::i64, which there is none of
    // (MVT::INVALID_SIMPLE_VALUE_TYPE).
    file: 'rest.wasm',
    // i32.const 8 (MVT::i64), i32.ne, br_if; local.get 7, br_if; local.get 6, i32.eqz, local.get 5
    faulty: '4108470d0020070d002006452005',
    right: '4100470d0020070d002006452005',
  },
  {
    // computeNumGridDims (llvm/lib/Target/AMDGPU/AMDGPULowerKernelAttributes.cpp) takes the dimensions of a grid for
    // those of the required size of its groups: of groups of 64 x 1 x 1, one, though the grid may have two or three
    // (llvm/llvm-project#211285). So OpenCL's get_work_dim and get_global_linear_id were wrong. The repair says 0, not
    // known, in the place of 1 and 2.
    file: 'rest.wasm',
    // i64.const 1, i64.ne, br_if (3); drop; i32.const 1, i32.const 2, KnownY (for select)
    faulty: '4201520d00' + '1a' + '41014102' + '027f',
    right: '4201520d00' + '1a' + '41004100' + '027f',
  },
  // The pattern of `(h << 16) | s` on GFX11 and GFX12 (llvm/lib/Target/AMDGPU/SIInstructions.td, "Real-true16: high
  // source is a VGPR_16") takes the halves of s, which a scalar register does not have: for a uniform s, the code was
  // refused or wrong (llvm/llvm-project#211102). The repair asks that s is divergent, in the place of asking that the
  // result is; so other patterns are taken. Its room is from constants that were made twice. The pattern is there
  // twice, with s as the second and as the first operand. This is the table of the instruction selector, not code.
  ...[
    // Record s as operand 1; move to child 1, check predicate 5 (isDivergent), move to its parent; move to child 0
    { s: '', moves: '0e', end: '03', s1: '030f351f', rows: ['9101', 'c205', 'c709'] },
    // Record s as operand 0; ...; move to child 1
    { s: '02', moves: '0f', end: '', s1: '020e351f', rows: ['8601', 'c005', 'cc09'] },
  ].map(({ s, moves, end, s1, rows: [low, high, or] }) => {
    // BITCAST, BUILD_VECTOR, 0, i16, record h, i16, v2i16, move to the parent, twice
    const high16 = moves + '39f8000e39a2006c0043060344063b381f1f';
    return {
      file: 'llvm.memory',
      // Predicate 5, i32, the features; VGPR_32, lo16, EXTRACT_SUBREG, lo16, 0, 0, hi16, EXTRACT_SUBREG, 0,
      // V_OR_B16_t16, hi16, REG_SEQUENCE
      faulty: `44${s}${high16}${end}353c256e` + `85108502ac08000602${low}8502850085008501ac08000602${high}8500` +
        `ac57290605${or}8501b613000705cd0c`, // prettier-ignore
      // 0, lo16, VGPR_32, EXTRACT_SUBREG, hi16, EXTRACT_SUBREG, 0, lo16, V_OR_B16_t16, REG_SEQUENCE; what is not read.
      // The last byte, or two, of each is where the rows of operands have what it needs.
      right: `44${s1}${high16}3c256e` + '850085028510ac08000602048501ac080006020f85008502' +
        'ac57290605fd05b613000705bb09' + '00000000', // prettier-ignore
    };
  }),
  // The pattern of llvm.fptosi.sat.i16.f32 before GFX11 (FPToSSatI16Pat in llvm/lib/Target/AMDGPU/VOP3PInstructions.td)
  // clamps at 32768 where -32768 is meant, so what is in range becomes 32767 (llvm/llvm-project#211703). It is there
  // twice, with and without registers of 16 bits; this is the table of the instruction selector, not code.
  // V_MOV_B32 of 32768, S_MOV_B32 of 32767, V_MED3_I32; then a sub-register, or the end
  ...['b6', 'ac'].map((end) => ({
    file: 'llvm.memory',
    faulty: '85808002' + 'acda280601d302' + '85ffff01' + 'ac88140601c105' + end,
    right: '8580807e' + 'acda280601d302' + '85ffff01' + 'ac88140601c105' + end,
  })),
];
