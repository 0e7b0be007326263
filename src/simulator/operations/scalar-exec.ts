/**
 * Operations that combine a scalar with EXEC and write EXEC: the `saveexec` family also saves the old EXEC, the
 * `wrexec` family the new one. SCC = the new EXEC is not zero. The 32-bit forms see EXEC_LO only.
 */
import { specialize } from '../specialize.js';
import { EXEC, type Wave } from '../wave.js';
import { named, type Operation, type OperationTable } from './operation.js';

type Mask = (a: number, exec: number) => number;

function exec32(f: Mask, savesOld: boolean): Operation {
  const bind = specialize((f: Mask, d: number, a: number, exec: number, savesOld: boolean) => (w: Wave) => {
    const old = w.i32[exec]!;
    const result = f(w.i32[a]!, old);
    w.i32[exec] = result;
    w.i32[d] = savesOld ? old : result;
    w.scc = result !== 0 ? 1 : 0;
    w.execChanged();
  });
  return (site) => {
    const a = site.scalarSource('src0');
    const d = site.scalarDestination('sdst');
    return site.step(bind(f, d, a, EXEC, savesOld));
  };
}

function exec64(f: Mask, savesOld: boolean): Operation {
  const bind = specialize((f: Mask, d: number, a: number, exec: number, savesOld: boolean) => (w: Wave) => {
    const { i32 } = w;
    const oldLow = i32[exec]!;
    const oldHigh = i32[exec + 1]!;
    const low = f(i32[a]!, oldLow);
    const high = f(i32[a + 1]!, oldHigh);
    i32[exec] = low;
    i32[exec + 1] = high;
    i32[d] = savesOld ? oldLow : low;
    i32[d + 1] = savesOld ? oldHigh : high;
    w.scc = (low | high) !== 0 ? 1 : 0;
    w.execChanged();
  });
  return (site) => {
    const a = site.scalarSource('src0', 2);
    const d = site.scalarDestination('sdst', 2);
    return site.step(bind(f, d, a, EXEC, savesOld));
  };
}

/** Both widths under all names; the stems end in `saveexec` or `wrexec`. */
const family = (f: Mask, savesOld: boolean, ...stems: readonly string[]): OperationTable => ({
  ...named(exec32(f, savesOld), ...stems.map((stem) => `${stem}_b32`)),
  ...named(exec64(f, savesOld), ...stems.map((stem) => `${stem}_b64`)),
});

export const scalarExec: OperationTable = {
  ...family((a, exec) => a & exec, true, 's_and_saveexec'),
  ...family((a, exec) => a | exec, true, 's_or_saveexec'),
  ...family((a, exec) => a ^ exec, true, 's_xor_saveexec'),
  ...family((a, exec) => ~(a & exec), true, 's_nand_saveexec'),
  ...family((a, exec) => ~(a | exec), true, 's_nor_saveexec'),
  ...family((a, exec) => ~(a ^ exec), true, 's_xnor_saveexec'),
  ...family((a, exec) => a & ~exec, true, 's_andn2_saveexec', 's_and_not1_saveexec'),
  ...family((a, exec) => a | ~exec, true, 's_orn2_saveexec', 's_or_not1_saveexec'),
  ...family((a, exec) => ~a & exec, true, 's_andn1_saveexec', 's_and_not0_saveexec'),
  ...family((a, exec) => ~a | exec, true, 's_orn1_saveexec', 's_or_not0_saveexec'),
  ...family((a, exec) => ~a & exec, false, 's_andn1_wrexec', 's_and_not0_wrexec'),
  ...family((a, exec) => a & ~exec, false, 's_andn2_wrexec', 's_and_not1_wrexec'),
};
