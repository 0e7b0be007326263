/** Scalar operations on integers, bits and lane masks. */
import { EXEC } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';

/** sdst = f(src0, src1) on 32 bits; SCC = result is not zero. */
function logic32(f: (a: number, b: number) => number): Operation {
  return (site) => {
    const a = site.scalarSource('src0');
    const b = site.scalarSource('src1');
    const d = site.scalarDestination('sdst');
    return site.step((w) => {
      w.scc = (w.i32[d] = f(w.i32[a]!, w.i32[b]!)) !== 0 ? 1 : 0;
    });
  };
}

/** The same on 64 bits, half by half. */
function logic64(f: (a: number, b: number) => number): Operation {
  return (site) => {
    const a = site.scalarSource('src0', 2);
    const b = site.scalarSource('src1', 2);
    const d = site.scalarDestination('sdst', 2);
    return site.step((w) => {
      const low = f(w.i32[a]!, w.i32[b]!);
      const high = f(w.i32[a + 1]!, w.i32[b + 1]!);
      w.i32[d] = low;
      w.i32[d + 1] = high;
      w.scc = (low | high) !== 0 ? 1 : 0;
    });
  };
}

/** sdst = EXEC; EXEC = f(src0, EXEC); SCC = EXEC is not zero. */
function saveExec64(f: (a: number, exec: number) => number): Operation {
  return (site) => {
    const a = site.scalarSource('src0', 2);
    const d = site.scalarDestination('sdst', 2);
    return site.step((w) => {
      const { i32 } = w;
      const low = f(i32[a]!, i32[EXEC]!);
      const high = f(i32[a + 1]!, i32[EXEC + 1]!);
      i32[d] = i32[EXEC]!;
      i32[d + 1] = i32[EXEC + 1]!;
      i32[EXEC] = low;
      i32[EXEC + 1] = high;
      w.scc = (low | high) !== 0 ? 1 : 0;
      w.execChanged();
    });
  };
}

export const scalarInteger: OperationTable = {
  s_and_b32: logic32((a, b) => a & b),
  s_and_b64: logic64((a, b) => a & b),
  s_and_saveexec_b64: saveExec64((a, exec) => a & exec),
};
