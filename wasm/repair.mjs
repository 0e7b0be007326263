/**
 * Repairs faults of LLVM in the code that was compiled of it. What is shipped compressed stays as it was built; it is
 * repaired where it is unpacked (src/platform/repair.ts). So a repair adds nothing to the repository.
 *
 *   node repair.mjs FOLDER
 *
 * Repairs the files in the folder, and writes beside each, for the manifest, what was done (`*.wasm.repairs`). A repair
 * that does not fit exactly one place is an error: another compiler, or another LLVM, has made other code. Then the
 * function has to be looked at again (`wasm-dis`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NOP = '01';

/** In calculateByteProvider: `return std::nullopt`, and `end`. */
const RETURN_NONE = '200041003a0020' + '200041003a0000' + '0c110b';

/** In calculateByteProvider: `dyn_cast<ConstantSDNode>(Op->getOperand(1))`, or std::nullopt is returned. */
const CONSTANT_MASK = '0240' + '200628021c2203280214220128020c2206' + '410c460d00' + '20064125460d00' + RETURN_NONE;

/** In handleLoopCondition: the terminator of the condition's block; the loop's, if the loop contains that block. */
const CONDITION_OR_LOOP =
  '0440' + '200228021c41106b0c020b' + '024020082d002841014604402008280224' + '2204450d01200828021c22032004410274' +
  '6a21040340200220032802004704402004200341046a2203470d010c030b0b20070c030b20072008411c6a200210400d021a0b'; // prettier-ignore

/** In handleLoopCondition: the first instruction of the loop. */
const LOOP_START = '200141a8026a' + '2008280210280200' + '41b912110001' + '20012802a80241106b0c01';

/**
 * Instructions, in hexadecimal, and as many bytes in their place. A function that is called there has another number
 * wherever the module has other functions; then `behind`, a call of the same function a little later, is not found.
 */
const REPAIRS = [
  {
    // LiveRangeCalc::isDefOnEntry (llvm/lib/CodeGen/LiveRangeCalc.cpp), in front of "No segment overlaps with this
    // block". A block that undefines a part of a register, by setting another part of it, counts as one in front of
    // which the part is undefined already (`UndefOnEntry[N] = true`). If the block itself uses the part before that, the
    // use gets no value (docs/simulator.md). The assignment is left out. Without it, the function asks again next time.
    file: 'rest.wasm',
    // local.get 2, local.get 15, local.get 18, i32.or, i32.store; end; local.get 23
    faulty: '2002200f2012723602000b2017',
    right: NOP.repeat(10) + '0b2017',
  },
  {
    // StructurizeCFG::hoistZeroCostElseBlockPhiValues (llvm/lib/Transforms/Scalar/StructurizeCFG.cpp). What it moves in
    // front of a branch, simplifyHoistedPhis passes on along one edge into the block that it comes from. Where several
    // ways lead into that block, threads that come by another one get nothing. The repair moves nothing then. It stands
    // in the place of a shortcut in DominatorTree::findNearestCommonDominator: whether one of the two blocks is the
    // function's first. The walk up the tree that follows finds the same.
    file: 'llvm.wasm',
    // local.get 22 (ElseBB), i32.load 40, i32.load 52, i32.const 16, i32.sub, local.tee 17, local.get 22, i32.eq, br_if;
    // local.get 7 (ThenBB), local.get 17 (CommonDominator), i32.eq, br_if
    faulty: '201628022828023441106b22112016460d002007201146' + '0d00',
    // i32.const 0, local.set 17; local.get 22, i32.const 1, call BasicBlock::hasNPredecessors, i32.eqz, br_if
    right: '41002111' + '2016410110e50a450d00' + NOP.repeat(11),
    // local.get 13 (ElseSucc), i32.const 2, call BasicBlock::hasNPredecessors, i32.eqz, br_if
    behind: '200d410210e50a450d00',
  },
  {
    // SITargetLowering::performAddCombine (llvm/lib/Target/AMDGPU/SIISelLowering.cpp). For `v_dot4` it follows a chain of
    // operations from a sum upwards, and takes each for a sum that has two operands (`getNumOperands() < 2`): of
    // `a * b + (d | e * f)` it makes `a * b + d + e * f`. The repair goes on with sums only (`getOpcode() != ISD::ADD`).
    file: 'llvm.wasm',
    // local.get 2, i32.load16_u 40, i32.const 2, i32.lt_u, br_if; local.get 2, i32.load 28, local.tee 1, i32.load 20
    faulty: '20022f01284102490d02' + '200228021c2201280214',
    // local.get 2, i32.load 12, i32.const 59, i32.ne, br_if
    right: '200228020c413b470d02' + '200228021c2201280214',
  },
  {
    // isCrossCopy (llvm/lib/CodeGen/DetectDeadLanes.cpp) takes each copy within one class for one whose parts stay where
    // they are. The half of a register that a REG_SEQUENCE of the same class is put into is not: on targets with 16-bit
    // registers it asked for the upper half of a value whose lower one is used, and the value was gone. The repair leaves
    // the answer to what follows, findCommonRegClass, in each case.
    file: 'llvm.wasm',
    // i32.and, local.tee 6 (SrcRC), local.get 2 (DstRC), i32.ne, if; local.get 3, i32.load, i32.const 8, i32.shr_u
    faulty: '712206200247047f' + '2003280200410876',
    // i32.and, local.set 6, i32.const 1, if
    right: '71210641' + '0101047f' + '2003280200410876',
  },
  {
    // calculateByteProvider (llvm/lib/Target/AMDGPU/SIISelLowering.cpp) says which byte a factor of `v_dot4` is. For
    // `x & 1023` it is the lowest byte of x, and the next one is not known, which handleMulOperand lets pass. The repair
    // asks at the root of an expression (Depth 0), where `v_dot4` begins, for a mask without other bits:
    // `(IndexMask | -(Depth == 0)) & BitMask` stands where `IndexMask & BitMask` did. It stands in the place of a check
    // for vectors, whose masks are no ConstantSDNode.
    file: 'llvm.wasm',
    // local.get 7 (IsVec), if, return std::nullopt, end; the mask as a ConstantSDNode, or return std::nullopt;
    // i32.const 255, local.get 2 (Index), i32.const 3, i32.shl, i32.shl, local.tee 6 (IndexMask)
    faulty: '20070440' + RETURN_NONE + CONSTANT_MASK + '41ff012002410374742206',
    // i32.const 0, local.get 3 (Depth), i32.eqz, i32.sub, local.set 7; the same; local.get 7, i32.or
    right: '41002003456b2107' + NOP.repeat(10) + CONSTANT_MASK + '41ff012002410374742206' + '200772',
  },
  {
    // SIAnnotateControlFlow::handleLoopCondition (llvm/lib/Target/AMDGPU/SIAnnotateControlFlow.cpp) puts `if.break` into
    // the block of the loop's condition. Loops that share a header are one loop to LoopInfo. So that block may be in an
    // inner loop that threads leave at different times, and then it is that of the last ones. The repair puts it in front
    // of the branch, as for conditions of an inner loop, where the loop has no single latch. It stands in the place of
    // code that is there a second time behind it (for conditions from outside of the loop).
    file: 'llvm.wasm',
    // local.get 8 (L), i32.eq, if
    faulty: '200846' + CONDITION_OR_LOOP + LOOP_START + '0b' + '200341164d',
    // local.get 8, i32.eq, local.get 8, call LoopBase::getLoopLatch, i32.eqz, i32.gt_u, if
    right: '200846' + '200810e901454b' + CONDITION_OR_LOOP + NOP.repeat(24) + '0b' + '200341164d',
  },
];

const folder = process.argv[2];
const done = new Map();
for (const { file, faulty, right, behind = '' } of REPAIRS) {
  const place = path.join(folder, file);
  const bytes = await readFile(place);
  const wanted = Buffer.from(faulty, 'hex');
  const at = bytes.indexOf(wanted);
  if (at < 0 || bytes.includes(wanted, at + 1)) throw new Error(`${place}: not exactly one ${faulty}`);
  if (!bytes.subarray(at, at + 512).includes(Buffer.from(behind, 'hex'))) throw new Error(`${place}: no ${behind}`);
  Buffer.from(right, 'hex').copy(bytes, at);
  await writeFile(place, bytes);
  done.set(place, [...(done.get(place) ?? []), { at, bytes: right }]);
}
for (const [place, repairs] of done) await writeFile(`${place}.repairs`, JSON.stringify(repairs));
