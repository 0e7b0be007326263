/**
 * Vector operations that move values between lanes by register. Those by LDS hardware (ds_bpermute …) are elsewhere.
 */
import type { Operation, OperationTable } from './operation.js';

const OP_SEL = 4;

/** sdst = src0 of the first active lane; of lane 0 when there is none. */
const readFirstLane: Operation = (site) => {
  const a = site.place(site.instruction.operand('src0'));
  const d = site.scalarDestination('vdst');
  return site.step((w) => {
    const lane = w.active === 0 ? 0 : w.lanes[0]!;
    w.i32[d] = w.i32[a.lo + lane * a.stride]!;
  });
};

/** sdst = src0 of lane src1, active or not. */
const readLane: Operation = (site) => {
  const a = site.place(site.instruction.operand('src0'));
  const lane = site.scalarSource('src1');
  const d = site.scalarDestination('vdst');
  const mask = site.size - 1;
  return site.step(({ i32 }) => {
    i32[d] = i32[a.lo + (i32[lane]! & mask) * a.stride]!;
  });
};

/** Lane src1 of vdst = src0, active or not. */
const writeLane: Operation = (site) => {
  const a = site.scalarSource('src0');
  const lane = site.scalarSource('src1');
  const d = site.place(site.instruction.operand('vdst'));
  const mask = site.size - 1;
  return site.step(({ i32 }) => {
    i32[d.lo + (i32[lane]! & mask)] = i32[a]!;
  });
};

/**
 * Every lane reads the lane of its row (`other` = 0), or of the row beside it (16), that its four bits of {src2, src1}
 * name. With op_sel[0] inactive lanes are read too. Otherwise they give 0 if op_sel[1] is set, and leave the lane
 * unwritten if not.
 */
function permuteRows(other: 0 | 16): Operation {
  return (site) => {
    const { instruction } = site;
    const a = site.place(instruction.operand('src0'));
    const low = site.scalarSource('src1');
    const high = site.scalarSource('src2');
    const d = site.place(instruction.operand('vdst'));
    const fetchesInactive = (instruction.immediate('src0_modifiers') & OP_SEL) !== 0;
    const zeroes = (instruction.immediate('src1_modifiers') & OP_SEL) !== 0;
    const row = site.row();
    return site.step((w) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const select = (i32[(l & 8) === 0 ? low : high]! >>> (4 * (l & 7))) & 15;
        const from = ((l & ~15) ^ other) | select;
        i32[row + l] = fetchesInactive || w.isActive(from) ? i32[a.lo + from * a.stride]! : zeroes ? 0 : i32[d.lo + l]!;
      }
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        i32[d.lo + l] = i32[row + l]!;
      }
    });
  };
}

/** Exchanges the halves of a wave of 64 lanes; inactive lanes are read. Does nothing with 32 lanes. */
const swapHalves: Operation = (site) => {
  if (site.size === 32) return site.step(() => {});
  const a = site.place(site.instruction.operand('src0'));
  const d = site.place(site.instruction.operand('vdst'));
  const row = site.row();
  return site.step((w) => {
    const { i32, lanes, active } = w;
    i32.copyWithin(row, a.lo, a.lo + 64);
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d.lo + l] = i32[row + (l ^ 32)]!;
    }
  });
};

export const crossLane: OperationTable = {
  v_readfirstlane_b32: readFirstLane,
  v_readlane_b32: readLane,
  v_writelane_b32: writeLane,
  v_permlane16_b32: permuteRows(0),
  v_permlanex16_b32: permuteRows(16),
  v_permlane64_b32: swapHalves,
};
