/** Repairs of what LLVM makes of branches and loops: structure, lane masks, copies out of loops (../repair.mjs). */
import { NOP } from './nop.mjs';

/** In handleLoopCondition: the terminator of the condition's block; the loop's, if the loop contains that block. */
const CONDITION_OR_LOOP =
  '0440' + '200228021c41106b0c020b' + '024020082d002841014604402008280224' + '2204450d01200828021c22032004410274' +
  '6a21040340200220032802004704402004200341046a2203470d010c030b0b20070c030b20072008411c6a200210400d021a0b'; // prettier-ignore

/** In handleLoopCondition: the first instruction of the loop. */
const LOOP_START = '200141a8026a' + '2008280210280200' + '41b912110001' + '20012802a80241106b0c01';

/** In collectIncomingValuesFromPhi: for each operation, by its number, where to go on with what it defines. */
const BY_OPERATION = '024002400240' + '2000280214200510e3032204280220410a6b' + '0e0b0201010101010101010100010b';

/** In collectIncomingValuesFromPhi: for a copy, what it copies; and the value goes to the end of `Incomings`. */
const INCOMING =
  '2003200428021028021c36020c0b' + '20034100360204' + '2002280204220420022802084f0440' +
  '20022003410c6a200341086a200341046a41df131106010c010b' + '200328020c2105200328020821062002280200' +
  '2004410c6c6a2204410036020820042006360204200420053602002002200228020441016a3602040b'; // prettier-ignore

export const CONTROL_FLOW = [
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
    // reconnectPhis (llvm/lib/Transforms/Utils/ControlFlowUtils.cpp), for FixIrreducible. A hub takes the place of edges
    // into `Out`, and what Out's phis had for them goes to phis of the hub. It took what they had for all edges of a
    // branch of which the hub takes one. Where the other one leads from within the cycle into another of its entries,
    // Out's phi lost that value. The repair leaves it alone. It stands in the place of a loop that looks a second time
    // for the edge.
    file: 'rest.wasm',
    faulty:
      // local 8 = 0; local 4 = 0; loop: while local 10 (BB) is not the block of operand 4, the next one, or it ends
      '41002108' + '41002104' + '0340' + '200a2012200441027' + '46a28020047' + '0440' + '200441016a2204200f470d010c020b0b' +
      // The same with local 8
      '02400340' + '2012200841027' + '46a280200200a460d01' + '200841016a2208200f470d000b' + '417f21080b', // prettier-ignore
    right:
      // local 8 = 0; local 14 (Succ0), local 0 (Out), i32.ne; local 13 (Succ1), local 0, i32.ne; i32.and, br_if (no
      // value); the loop with local 8
      '41002108' + '200e200047' + '200d200047' + '710d00' +
      '0340' + '200a2012200841027' + '46a28020047' + '0440' + '200841016a2208200f470d010c020b0b' + NOP.repeat(29), // prettier-ignore
  },
  {
    // reconnectPhis again. For the edge of `Out` to itself, the hub's phi took itself, as if the loop had changed
    // nothing. The repair gives it what Out's phi had for that edge. From level 1 on, another pass gives such a loop a
    // block of its own in front, and then Out is no entry.
    file: 'rest.wasm',
    // local.get 5 (NewPhi), local.get 15 (the value), local.get 0 (Out), local.get 10 (BB), i32.eq, select
    faulty: '2005200f' + '2000200a46' + '1b',
    // local.get 15
    right: '200f' + NOP.repeat(8),
    // local.tee 7 (V), i32.load8_u, i32.const 2, i32.lt_u, i32.and, local.set 16 (AllUndef)
    behind: '22072d0000410249712110',
  },
];
