/** Repairs of what LLVM believes of parts of registers, and of flags, that are used (../repair.mjs). */
import { NOP } from './nop.mjs';

export const REGISTERS = [
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
];
