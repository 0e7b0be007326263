/** Branches, barriers, waits and the end of a program. */
import { Fault } from '../fault.js';
import { EXEC, WaveState, type Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';

/** A branch by the signed 16-bit number of words behind the instruction. */
function branch(taken: (wave: Wave) => boolean): Operation {
  return (site) => {
    const { instruction, program } = site;
    const distance = (instruction.immediate('simm16') << 16) >> 14;
    const target = program.indexAt(instruction.offset + instruction.size + distance);
    return site.step((w) => {
      if (!taken(w)) return;
      if (target < 0) throw new Fault('a branch to no instruction');
      w.pc = target;
    });
  };
}

const nothing: Operation = (site) => site.step(() => {});

export const control: OperationTable = {
  s_nop: nothing,
  s_waitcnt: nothing,
  s_branch: branch(() => true),
  s_cbranch_execz: branch((w) => w.u32[EXEC] === 0 && (w.size === 32 || w.u32[EXEC + 1] === 0)),
  s_barrier: (site) =>
    site.step((w) => {
      w.state = WaveState.AtBarrier;
    }),
  s_endpgm: (site) =>
    site.step((w) => {
      w.state = WaveState.Ended;
    }),
};
