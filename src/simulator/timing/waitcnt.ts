/**
 * What the waiting instructions wait for. Which bits of s_waitcnt hold which count differs between processors
 * (target.ts).
 */
import type { Instruction } from '../program.js';
import type { SimulatedTarget, WaitcntFields } from '../target.js';

/** Outstanding operations that may remain, per counter; `NO_WAIT` for a counter that is not waited for. */
export interface WaitCounts {
  readonly vector: number;
  readonly scalarAndLds: number;
  readonly exports: number;
  /** Where the processor counts stores apart; elsewhere they count in `vector`. */
  readonly stores: number;
}

/** More than any counter holds. */
export const NO_WAIT = 64;

const NOTHING: WaitCounts = { vector: NO_WAIT, scalarAndLds: NO_WAIT, exports: NO_WAIT, stores: NO_WAIT };

function decodeWaitcnt(simm16: number, fields: WaitcntFields): WaitCounts {
  const count = (parts: WaitcntFields['vmcnt']): number => {
    let value = 0;
    let width = 0;
    for (const [first, bits] of parts) {
      value |= ((simm16 >>> first) & ((1 << bits) - 1)) << width;
      width += bits;
    }
    // All ones is the counter's maximum, so there is nothing to wait for.
    return value === (1 << width) - 1 ? NO_WAIT : value;
  };
  return {
    vector: count(fields.vmcnt),
    scalarAndLds: count(fields.lgkmcnt),
    exports: count(fields.expcnt),
    stores: NO_WAIT,
  };
}

/**
 * The counts of any waiting instruction; null for other instructions. The forms that add a register to the count (which
 * LLVM only ever writes with the null register) are taken at their immediate.
 */
export function waitOf(instruction: Instruction, target: SimulatedTarget): WaitCounts | null {
  const immediate = instruction.immediate('simm16') & 0xffff;
  switch (instruction.mnemonic) {
    case 's_waitcnt':
      return decodeWaitcnt(immediate, target.waitcnt);
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
