/**
 * Repairs faults of LLVM in the code and the tables that were compiled of it. What is shipped compressed stays as it
 * was built; it is repaired where it is unpacked (src/platform/repair.ts). So a repair adds nothing to the repository.
 *
 *   node repair.mjs FOLDER
 *
 * Repairs the files in the folder, and writes beside each, for the manifest, what was done (`*.repairs`). A repair
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

/** In collectIncomingValuesFromPhi: for each operation, by its number, where to go on with the value that it defines. */
const BY_OPERATION = '024002400240' + '2000280214200510e3032204280220410a6b' + '0e0b0201010101010101010100010b';

/** In collectIncomingValuesFromPhi: for a copy, what it copies; and the value goes to the end of `Incomings`. */
const INCOMING =
  '2003200428021028021c36020c0b' + '20034100360204' + '2002280204220420022802084f0440' +
  '20022003410c6a200341086a200341046a41df131106010c010b' + '200328020c2105200328020821062002280200' +
  '2004410c6c6a2204410036020820042006360204200420053602002002200228020441016a3602040b'; // prettier-ignore

/**
 * Instructions, in hexadecimal, and as many bytes in their place. A function that is called there has another number
 * wherever the module has other functions; then `behind`, a call of the same function a little later, is not found.
 * `faulty` and `right` can have several parts, one behind the other; what stands between them moves. Only their sum has
 * to have as many bytes as before.
 */
const REPAIRS = [
  {
    // LiveRangeCalc::isDefOnEntry (llvm/lib/CodeGen/LiveRangeCalc.cpp), in front of "No segment overlaps with this
    // block". A block that undefines a part of a register, by setting another part of it, counts as one in front of
    // which the part is undefined already (`UndefOnEntry[N] = true`). If the block itself uses the part before that,
    // the use gets no value (docs/simulator.md). The assignment is left out. Without it, the function asks again next
    // time.
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
    // local.get 22 (ElseBB), i32.load 40, i32.load 52, i32.const 16, i32.sub, local.tee 17, local.get 22, i32.eq,
    // br_if; local.get 7 (ThenBB), local.get 17 (CommonDominator), i32.eq, br_if
    faulty: '201628022828023441106b22112016460d002007201146' + '0d00',
    // i32.const 0, local.set 17; local.get 22, i32.const 1, call BasicBlock::hasNPredecessors, i32.eqz, br_if
    right: '41002111' + '2016410110e50a450d00' + NOP.repeat(11),
    // local.get 13 (ElseSucc), i32.const 2, call BasicBlock::hasNPredecessors, i32.eqz, br_if
    behind: '200d410210e50a450d00',
  },
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
    // isCrossCopy (llvm/lib/CodeGen/DetectDeadLanes.cpp) takes each copy within one class for one whose parts stay
    // where they are. The half of a register that a REG_SEQUENCE of the same class is put into is not: on targets with
    // 16-bit registers it asked for the upper half of a value whose lower one is used, and the value was gone. The
    // repair leaves the answer to what follows, findCommonRegClass, in each case.
    file: 'llvm.wasm',
    // i32.and, local.tee 6 (SrcRC), local.get 2 (DstRC), i32.ne, if; local.get 3, i32.load, i32.const 8, i32.shr_u
    faulty: '712206200247047f' + '2003280200410876',
    // i32.and, local.set 6, i32.const 1, if
    right: '71210641' + '0101047f' + '2003280200410876',
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
    // SIAnnotateControlFlow::handleLoopCondition (llvm/lib/Target/AMDGPU/SIAnnotateControlFlow.cpp) puts `if.break`
    // into the block of the loop's condition. Loops that share a header are one loop to LoopInfo. So that block may be
    // in an inner loop that threads leave at different times, and then it is that of the last ones. The repair puts it
    // in front of the branch, as for conditions of an inner loop, where the loop has no single latch. It stands in the
    // place of code that is there a second time behind it (for conditions from outside of the loop).
    file: 'llvm.wasm',
    // local.get 8 (L), i32.eq, if
    faulty: '200846' + CONDITION_OR_LOOP + LOOP_START + '0b' + '200341164d',
    // local.get 8, i32.eq, local.get 8, call LoopBase::getLoopLatch, i32.eqz, i32.gt_u, if
    right: '200846' + '200810e901454b' + CONDITION_OR_LOOP + NOP.repeat(24) + '0b' + '200341164d',
  },
  {
    // Vreg1LoweringHelper::collectIncomingValuesFromPhi (llvm/lib/Target/AMDGPU/SILowerI1Copies.cpp) takes a copy's
    // source for an incoming value. The copy keeps the values of threads that have left a loop already, its source does
    // not. If loops share a header, no other phi stands between them, and such threads lost their value. The repair
    // takes the source of copies in the incoming block only. For that it makes one loop of the code, of which the first
    // two iterations stood by themselves; what stays behind it is not reached.
    file: 'llvm.wasm',
    // The first iteration; the number of operands, or it ends (br_if); the beginning of the second
    faulty:
      '20032001280210220428021c220536020c2003200441406b280200360208' + BY_OPERATION + INCOMING +
      '20012f0114200141166a2d0000411074724104490d00' +
      '20032001280210220428024c220536020c2003200441f0006a280200360208', // prettier-ignore
    // i32.const 1, local.set 7 (the operand), loop: the value (local 5), and its block in memory;
    // local.get 4 (the copy), i32.load 12 (its block), local.get 3, i32.load 8, i32.ne, br_if;
    // local.get 7, i32.const 2, i32.add, local.tee 7, the number of operands, i32.lt_u, br_if; end; br
    right:
      '4101210703402003200128021020074118' + '6c6a2204280204220536020c20032004280228360208' + BY_OPERATION +
      '200428020c2003280208470d00' + INCOMING +
      '200741026a220720012f011420012d001641107472490d000b0c00' + NOP.repeat(4), // prettier-ignore
  },
  {
    // Vreg1LoweringHelper::replaceDstReg, where a phi has one value only: it gave the phi's register, which is a lane
    // mask already, to the value. So a copy that is such a value was not lowered any more, and kept nothing. The repair
    // gives the value's register to the users of the phi.
    file: 'llvm.wasm',
    // The body of the function: local.get 0, i32.load 20, local.get 1 (NewReg), local.get 2 (OldReg), call
    // replaceRegWith
    faulty: '0e00' + '2000280214' + '20012002' + '10aa030b',
    // The same with the operands in the other order
    right: '0e00' + '2000280214' + '20022001' + '10aa030b',
  },
  {
    // Vreg1LoweringHelper::lowerCopiesToI1 puts what merges lane masks, which sets SCC, in front of the copy, also
    // where SCC is live: between a comparison and the branch or select that asks for it. The repair repeats the
    // comparison behind it. The room for that is from std::vector's push_back (`DomBlocks`), without its checks for
    // sizes that no vector has, and from SmallVector's in MachineIDFSSAUpdater::addUseBlock, which has room for the
    // first block.
    file: 'llvm.wasm',
    faulty: [
      // local 5 (the vector's end) - local 4 (its beginning), ..., throw if it is too long; the new length, as long as
      // it can be, or throw; a new vector of that length; the block at its end; the others; free the old one
      '200520046b220541027522' + '0e41016a22084180808080044f0d03' +
        '200541ffffffff03200720046b220741017522' + '0b20082008200b491b200741fcffffff074f1b2207' +
        '047f200741808080800' + '44f0d05200741027410' + '2d0541000b220b6a22082002360200' +
        '2008200e4102746b210220050440200220042005fc0a00000b200841046a2105200b20074102746a2107' +
        '2004044020' + '04102c0b20022104', // prettier-ignore
      // What throws
      '4100110b01' + '000b' + '4100110b01' + '000b' + '20032004',
      // If the vector of `UseBlocks` is full, let it grow; the block at its end; one block more
      '0240' + '200328' + '02e001220820032802e4014f0440200341dc016a200610310c010b' +
        '20032802dc01200841027' + '46a2006360000200320032802e00141016a3602e0010b', // prettier-ignore
      // The helper, MBB, MI, the debug location, DstReg, and the value in the middle of MBB, for buildMergeLaneMasks
      '20034140' + '6b20062000' + '2007200a2002200641' + '0010fa0b',
    ],
    right: [
      // The length in bytes; twice the capacity; a new vector; the blocks; free the old one
      '200520046b2105' + '200720046b4101742207' + '102d2208' + '20042005fc0a0000' + '2004102c' +
        // The new vector; the block at its end, and the end; the end of the new room
        '20082204' + '20056a2205' + '2002360200' + '200541046a2105' + '200720086a2107', // prettier-ignore
      '0b0b20032004',
      '20032802dc0120063600' + '00' + '200341013602e001',
      // i1 = i5 = MI; block; loop: i5 = its next one; end of MBB: br_if (block);
      '200022012105' + '0240' + '0340' + '20052802042205' + '2018460d01' +
        // if it does not use SCC (19): if it does not define SCC either, loop, else br (block); end; end
        '20054113' + '41004100109903410048' + '0440' + '20054113410041004100' + '10cf02410048' + '0d01' + '0c02' + '0b0b' +
        // loop: i5 = the one before it; if it does not define SCC, loop; end; if it defines a register, br_if (block)
        '0340' + '20052802002205' + '4113410041004100' + '10cf02410048' + '0d000b' + '20052802082d00060d00' +
        // i1 = MachineFunction::CloneMachineInstr(i5); MBB gets it, in front of MI; end
        '20062802142005' + '1097072101' + '200641186a2001' + '1061' +
        '200120002802002208360200' + '20012000360204' + '20082001360204' + '20002001360200' + '0b' +
        // The same with i1 in the place of MI
        '20034140' + '6b20062001' + '2007200a2002200641' + '0010fa0b' + NOP, // prettier-ignore
    ],
  },
  {
    // CodeGenPrepare::eliminateMostlyEmptyBlocks (llvm/lib/CodeGen/CodeGenPrepare.cpp) merges a block without
    // instructions with its successor. If the block is where several ways lead back to a loop's header, the loop gets
    // several back edges. The structurizer makes a loop of each, all with one header, which are one loop to all passes
    // behind it. So what these believe of values of an inner one that are used in an outer one is wrong. The repair, on
    // AMD's targets, leaves a block alone that several ways lead into, and whose successor dominates it. It stands in
    // the place of two options, `disable-delete-phis` and `disable-preheader-prot`.
    file: 'llvm.wasm',
    faulty: [
      // local 3 = disable-delete-phis; i32.const 0, local.set 4; loop; local.get 3, i32.const 1, i32.and; if; i32.const
      // 1; else
      '41b0ddad112d00002103' + '41002104' + '0340' + '2003410171047f410105',
      // call DeleteDeadPHIs, local.get 4, i32.or, local.set 4; disable-delete-phis again; end, local.set 3
      '200241f0016a10840f2004722104' + '41b0ddad112d00000b2103' + '2005280204',
      // if disable-preheader-prot is set, go on (br_if)
      '41c8cbad112d00004101710d00' + '200d28020c',
      // end; local.get 5, i32.const 4, i32.sub, local.tee 22
      '0b' + '200541046b2216',
    ],
    right: [
      '41002104' + '0340',
      '200241f0016a10840f2004722104' + '2005280204',
      '200d28020c',
      // DTU.DT, local.get 7 (DestBB), local.get 13 (BB), call DominatorTreeBase::dominates; i32.const 0; the second use
      // of BB; select; TM->TargetTriple.Arch, i32.const 26 (amdgpu), i32.eq; i32.and, br_if (the next block)
      '0b' + '200028021c280294022007200d10a202' + '4100' + '200d28020c280204' + '1b' +
        '2000280200' + '2802b405' + '411a46' + '710d00' + NOP.repeat(2) + '200541046b2216', // prettier-ignore
    ],
  },
  {
    // SIFoldOperandsImpl::foldOperand (llvm/lib/Target/AMDGPU/SIFoldOperands.cpp) puts what a copy copies from scalar
    // to vector registers in the place of the copy, also where the copy is in a loop that threads leave at different
    // times, and the use behind it. There the scalar register is that of the last threads (llvm/llvm-project#203256).
    // The repair does not fold where a SI_LOOP stands between the copy and the use, of a loop that the copy can be in:
    // its header is not behind the copy's block, or it is behind the SI_LOOP, as FixIrreducible's are. Its room is from
    // fields of structures that are copied one by one.
    file: 'llvm.wasm',
    faulty: [
      // TRI, drop; MRI, the register, call isSGPRReg, i32.eqz, br_if (return); end
      '200028020c1a' + '2000280204' + '2001280200280204' + '10d403450d010b',
      // An address + 40, i32.load; an address + 4, i32.load
      '41286a280200' + '2117200728',
      '41046a280200' + '4120470d04',
      // The FoldableDef into a FoldCandidate; its other fields
      '200941c8006a200141106a290300370300' +
        '200941406b200141086a290300370300' +
        '20092001290300370338' +
        '200941003a0058',
      // The FoldCandidate to the end of the list; one more
      '20002009290330370000' + '200041286a200941d8006a290300370000' + '200041206a200941d0006a290300370000' +
        '200041186a200941c8006a290300370000' + '200041106a200941406b290300370000' + '200041086a200941386a290300370000' +
        '2004200428020441016a360204', // prettier-ignore
      // An address + 4, i32.load
      '41046a280200' + '0c010b',
    ],
    right: [
      '2000280204' + '2001280200280204' + '10d403450d010b' +
        // block; local 24 = DefMI; if it is not a COPY (20), br_if; local 6 = local 21 = its block
        '0240' + '200128020c2218' + '2802204114470d00' + '201828020c22152106' +
        // if the register is not scalar, br_if; loop; local 6 is the block of UseMI: br_if
        '2000280204' + '2001280200280204' + '10d403450d00' + '0340' + '2006200228020c460d01' +
        // local 24 = call getFirstTerminator; if it is SI_LOOP (4383), local 24 = the number of its header; if that is
        // not larger than the copy's block's, or larger than its own block's, return
        '200610e7022218' + '280220419f2246' + '0440' + '201828021028022828020c2218' + '201528020c4c' +
        '2018200628020c4a' + '720d03' + '0b' +
        // local 6 = the next block; if it is not the end of the function, loop; end; end
        '20062802042206' + '201528021441a4016a470d00' + '0b0b', // prettier-ignore
      '280228' + '2117200728',
      '280204' + '4120470d04',
      '200941386a20014118fc0a0000' + '200941003a0058',
      '2000200941306a4130fc0a0000' + '2004200428020441016a360204', // prettier-ignore
      '280204' + '0c010b',
    ],
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
    // SIPreEmitPeephole::optimizeVccBranch (llvm/lib/Target/AMDGPU/SIPreEmitPeephole.cpp) erases an `s_and` of exec and
    // VCC, which a branch does not need, also if its SCC is used (llvm/llvm-project#215829). The repair asks that the
    // operation's fourth operand, its SCC, is dead. Its room is from masks of what has no other bits.
    file: 'llvm.wasm',
    faulty: [
      // i32.const -4, i32.and, local.tee 2, i32.load8_u 24, i32.const 4, i32.and, br_if (loop); end, end; twice
      '417c71' + '22022d00184104710d000b0b' + '20022013460d05200f2802342103',
      '417c71' + '22022d00184104710d000b0b' + '2006200b722106201172211120',
      // ModifiesExec, i32.or, i32.const 1, i32.and, br_if; the description of M, i32.load8_u 25, i32.const 2 (VOPC),
      // i32.and, i32.eqz, br_if; the s_and, call eraseFromParent
      '200672' + '4101710d00' + '20072d0019' + '410271450d00' + '200510501a',
    ],
    right: [
      '22022d00184104710d000b0b' + '20022013460d05200f2802342103',
      '22022d00184104710d000b0b' + '2006200b722106201172211120',
      // The same; and the byte of operand 3 with its flag 4 (dead), i32.const 1, i32.shr_u, i32.and
      '200672' + '0d00' + '20072d0019' + '200f2d004b41017671' + '410271450d00' + '200510501a',
    ],
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

const folder = process.argv[2];
const done = new Map();
for (const { file, faulty, right, behind = '' } of REPAIRS) {
  const place = path.join(folder, file);
  const bytes = await readFile(place);
  const [first, ...others] = [faulty].flat().map((part) => Buffer.from(part, 'hex'));
  const at = bytes.indexOf(first);
  if (at < 0 || bytes.includes(first, at + 1)) throw new Error(`${place}: not exactly one ${first.toString('hex')}`);
  const [beginning, ...replacements] = [right].flat().map((part) => Buffer.from(part, 'hex'));
  const repaired = [beginning];
  let end = at + first.length;
  for (const [index, part] of others.entries()) {
    const next = bytes.indexOf(part, end);
    if (next < 0 || next > end + 1024) throw new Error(`${place}: no ${part.toString('hex')}`);
    repaired.push(bytes.subarray(end, next), replacements[index]);
    end = next + part.length;
  }
  if (!bytes.subarray(at, at + 512).includes(Buffer.from(behind, 'hex'))) throw new Error(`${place}: no ${behind}`);
  const code = Buffer.concat(repaired);
  if (code.length !== end - at) throw new Error(`${place}: ${end - at} bytes become ${code.length}`);
  code.copy(bytes, at);
  await writeFile(place, bytes);
  done.set(place, [...(done.get(place) ?? []), { at, bytes: code.toString('hex') }]);
}
for (const [place, repairs] of done) await writeFile(`${place}.repairs`, JSON.stringify(repairs));
