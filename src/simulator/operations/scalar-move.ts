/** Scalar moves: plain, conditional on SCC, and with a register number that M0 displaces. None sets SCC. */
import { Fault } from '../fault.js';
import type { Site } from '../site.js';
import { M0 } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';
import { scalarBinary, scalarUnary, value1, write64 } from './scalar-operation.js';

/** SGPRs that an index may reach: the numbered ones and VCC, but not M0, EXEC and the like. */
const INDEXABLE = 108;

const simm16 = (site: Site): number => (site.instruction.immediate('simm16') << 16) >> 16;

function displaced(register: number, by: number, words: number): number {
  const number = register + by;
  if (number < 0 || number + words > INDEXABLE) throw new Fault(`an index in M0 leads to scalar register ${number}`);
  return number;
}

/** sdst = SGPR[number of src0 + M0]. */
const moveFrom =
  (words: 1 | 2): Operation =>
  (site) => {
    const a = site.instruction.operand('src0').value;
    const d = site.scalarDestination('sdst', words);
    return site.step((w) => {
      const from = displaced(a, w.i32[M0]!, words);
      const high = w.i32[from + 1]!;
      w.i32[d] = w.i32[from]!;
      if (words === 2) w.i32[d + 1] = high;
    });
  };

/** SGPR[number of sdst + M0] = src0. LLVM counts the destination among the sources, so that both are called `src0`. */
const moveTo =
  (words: 1 | 2): Operation =>
  (site) => {
    const [destination, source] = site.instruction.operands;
    const d = destination!.value;
    const a = site.place(source!, words).lo;
    return site.step((w) => {
      const to = displaced(d, w.i32[M0]!, words);
      const high = w.i32[a + 1]!;
      w.i32[to] = w.i32[a]!;
      if (words === 2) w.i32[to + 1] = high;
    });
  };

/** With two offsets: M0[9:0] for the source, M0[25:16] for the destination. */
const moveBoth: Operation = (site) => {
  const a = site.instruction.operand('src0').value;
  const d = site.instruction.operand('sdst').value;
  return site.step((w) => {
    const m0 = w.i32[M0]!;
    const value = w.i32[displaced(a, m0 & 0x3ff, 1)]!;
    w.i32[displaced(d, (m0 >>> 16) & 0x3ff, 1)] = value;
  });
};

export const scalarMove: OperationTable = {
  s_mov_b32: value1((a) => a),
  s_mov_b64: scalarUnary((w, d, a) => write64(w, d, w.i32[a]!, w.i32[a + 1]!), { d: 2, a: 2 }),
  s_cmov_b32: scalarUnary((w, d, a) => {
    if (w.scc === 1) w.i32[d] = w.i32[a]!;
  }),
  s_cmov_b64: scalarUnary(
    (w, d, a) => {
      if (w.scc === 1) write64(w, d, w.i32[a]!, w.i32[a + 1]!);
    },
    { d: 2, a: 2 },
  ),
  s_cselect_b32: scalarBinary((w, d, a, b) => {
    w.i32[d] = w.i32[w.scc === 1 ? a : b]!;
  }),
  s_cselect_b64: scalarBinary(
    (w, d, a, b) => {
      const from = w.scc === 1 ? a : b;
      write64(w, d, w.i32[from]!, w.i32[from + 1]!);
    },
    { d: 2, a: 2, b: 2 },
  ),
  s_movk_i32: (site) => {
    const constant = simm16(site);
    const d = site.scalarDestination('sdst');
    return site.step((w) => {
      w.i32[d] = constant;
    });
  },
  s_cmovk_i32: (site) => {
    const constant = simm16(site);
    const d = site.scalarDestination('sdst');
    return site.step((w) => {
      if (w.scc === 1) w.i32[d] = constant;
    });
  },
  s_movrels_b32: moveFrom(1),
  s_movrels_b64: moveFrom(2),
  s_movreld_b32: moveTo(1),
  s_movreld_b64: moveTo(2),
  s_movrelsd_2_b32: moveBoth,
};
