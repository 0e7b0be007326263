/**
 * What the waiting instructions wait for. Field positions: LLVM, AMDGPUBaseInfo.cpp (getVmcntBitShiftLo and following),
 * which are those of the ISA documents' S_WAITCNT.
 */
import type { Instruction } from '../program.js';

/** Outstanding operations that may remain, per counter; `NO_WAIT` for a counter that is not waited for. */
export interface WaitCounts {
  readonly vector: number;
  readonly scalarAndLds: number;
  readonly exports: number;
  /** Generation 10 and 11; earlier, stores count in `vector`. */
  readonly stores: number;
}

/** More than any counter holds. */
export const NO_WAIT = 64;

const NOTHING: WaitCounts = { vector: NO_WAIT, scalarAndLds: NO_WAIT, exports: NO_WAIT, stores: NO_WAIT };

/** A field that is all ones is the counter's maximum, so nothing to wait for. */
const count = (value: number, bits: number): number => (value === (1 << bits) - 1 ? NO_WAIT : value);

export function decodeWaitcnt(simm16: number, generation: 9 | 10 | 11): WaitCounts {
  const field = (shift: number, bits: number): number => (simm16 >>> shift) & ((1 << bits) - 1);
  const lgkmBits = generation === 9 ? 4 : 6;
  if (generation === 11)
    return {
      vector: count(field(10, 6), 6),
      scalarAndLds: count(field(4, lgkmBits), lgkmBits),
      exports: count(field(0, 3), 3),
      stores: NO_WAIT,
    };
  return {
    vector: count(field(0, 4) | (field(14, 2) << 4), 6),
    scalarAndLds: count(field(8, lgkmBits), lgkmBits),
    exports: count(field(4, 3), 3),
    stores: NO_WAIT,
  };
}

/**
 * The counts of any waiting instruction; null for other instructions. The forms that add a register to the count (which
 * LLVM only ever writes with the null register) are taken at their immediate.
 */
export function waitOf(instruction: Instruction, generation: 9 | 10 | 11): WaitCounts | null {
  const immediate = instruction.immediate('simm16') & 0xffff;
  switch (instruction.mnemonic) {
    case 's_waitcnt':
      return decodeWaitcnt(immediate, generation);
    case 's_waitcnt_vmcnt':
      return { ...NOTHING, vector: immediate };
    case 's_waitcnt_lgkmcnt':
      return { ...NOTHING, scalarAndLds: immediate };
    case 's_waitcnt_expcnt':
      return { ...NOTHING, exports: immediate };
    case 's_waitcnt_vscnt':
      return { ...NOTHING, stores: immediate };
    default:
      return null;
  }
}
