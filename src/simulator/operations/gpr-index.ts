/** Switches VGPR indexing (GFX9) on and off and sets its index, see gpr-indexing.ts. */
import { GPR_INDEX_ENABLE } from '../gpr-indexing.js';
import { M0 } from '../wave.js';
import type { OperationTable } from './operation.js';

const INDEX = 0xff;
const SELECT = 0xf000;

export const gprIndex: OperationTable = {
  s_set_gpr_idx_on: (site) => {
    const a = site.scalarSource('src0');
    const select = (site.instruction.immediate('src1') & 0xf) << 12;
    return site.step((w) => {
      w.i32[M0] = (w.i32[M0]! & ~(INDEX | SELECT)) | select | (w.i32[a]! & INDEX);
      w.otherMode |= GPR_INDEX_ENABLE;
    });
  },
  s_set_gpr_idx_off: (site) =>
    site.step((w) => {
      w.otherMode &= ~GPR_INDEX_ENABLE;
    }),
  s_set_gpr_idx_idx: (site) => {
    const a = site.scalarSource('src0');
    return site.step((w) => {
      w.i32[M0] = (w.i32[M0]! & ~INDEX) | (w.i32[a]! & INDEX);
    });
  },
  s_set_gpr_idx_mode: (site) => {
    const select = (site.instruction.immediate('simm16') & 0xf) << 12;
    return site.step((w) => {
      w.i32[M0] = (w.i32[M0]! & ~SELECT) | select;
    });
  },
};
