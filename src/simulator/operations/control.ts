/**
 * Control flow: branches, calls, barriers, traps, messages and the end of a program.
 *
 * Program counters that a program sees are addresses (`Program.base` and the instruction's offset); `Wave.pc` is a
 * position.
 */
import { Fault } from '../fault.js';
import type { Site } from '../site.js';
import { branchTarget, type Program } from '../program.js';
import { EXEC, VCC, WaveState, type Wave } from '../wave.js';
import { readClock } from './hardware-registers.js';
import type { Operation, OperationTable } from './operation.js';

const MSG_DEALLOC_VGPRS = 3;
const MSG_RTN_GET_REALTIME = 131;
/**
 * LLVM's `llvm.trap`, and `llvm.debugtrap`, which does nothing when no debugger is there (LLVM, "Trap Handler ABI").
 */
const TRAP_ABORT = 2;
const TRAP_DEBUG = 3;

const TWO_32 = 2 ** 32;

/** The address of the next instruction, as constants. */
function nextAddress({ instruction, program }: Site): { low: number; high: number } {
  const low = program.base.low + instruction.offset + instruction.size;
  return { low: low >>> 0, high: (program.base.high + Math.floor(low / TWO_32)) >>> 0 };
}

function noInstruction(low: number, high: number): Fault {
  const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
  return new Fault(`a jump to 0x${hex(high)}${hex(low)}, where no instruction of this program starts`);
}

/** Continues at a section offset that is known when the code is bound. */
function jumpStep(site: Site, offset: number): (wave: Wave) => void {
  const target = site.program.indexAt(offset);
  if (target >= 0)
    return (w) => {
      w.pc = target;
    };
  const { low, high } = site.program.base;
  const at = low + offset;
  return () => {
    throw noInstruction(at, high + Math.floor(at / TWO_32));
  };
}

/** Continues at an address. */
function jumpTo(w: Wave, program: Program, low: number, high: number): void {
  const offset = ((high >>> 0) - program.base.high) * TWO_32 + ((low & ~3) >>> 0) - program.base.low;
  const target = program.indexAt(offset);
  if (target < 0) throw noInstruction(low, high);
  w.pc = target;
}

const branch =
  (taken: (wave: Wave) => boolean): Operation =>
  (site) => {
    const jump = jumpStep(site, branchTarget(site.instruction));
    return site.step((w) => {
      if (taken(w)) jump(w);
    });
  };

const execIsZero = (w: Wave): boolean => w.u32[EXEC] === 0 && (w.size === 32 || w.u32[EXEC + 1] === 0);
const vccIsZero = (w: Wave): boolean => w.u32[VCC] === 0 && (w.size === 32 || w.u32[VCC + 1] === 0);

const getPc: Operation = (site) => {
  const { low, high } = nextAddress(site);
  const d = site.scalarDestination('sdst', 2);
  return site.step((w) => {
    w.u32[d] = low;
    w.u32[d + 1] = high;
  });
};

const setPc: Operation = (site) => {
  const a = site.scalarSource('src0', 2);
  const { program } = site;
  return site.step((w) => jumpTo(w, program, w.u32[a]!, w.u32[a + 1]!));
};

const swapPc: Operation = (site) => {
  const { low, high } = nextAddress(site);
  const a = site.scalarSource('src0', 2);
  const d = site.scalarDestination('sdst', 2);
  const { program } = site;
  return site.step((w) => {
    const toLow = w.u32[a]!;
    const toHigh = w.u32[a + 1]!;
    w.u32[d] = low;
    w.u32[d + 1] = high;
    jumpTo(w, program, toLow, toHigh);
  });
};

const call: Operation = (site) => {
  const { low, high } = nextAddress(site);
  const jump = jumpStep(site, branchTarget(site.instruction));
  const d = site.scalarDestination('sdst', 2);
  return site.step((w) => {
    w.u32[d] = low;
    w.u32[d + 1] = high;
    jump(w);
  });
};

const end: Operation = (site) =>
  site.step((w) => {
    w.state = WaveState.Ended;
  });

const nothing: Operation = (site) => site.step(() => {});

/** Always, or when the lowest bit of `simm16` is set, an error. */
const fault =
  (what: (simm16: number) => string, isFault: (site: Site, simm16: number) => boolean = () => true): Operation =>
  (site) => {
    const simm16 = site.instruction.immediate('simm16') & 0xffff;
    if (!isFault(site, simm16)) return nothing(site);
    return site.step(() => {
      throw new Fault(what(simm16));
    });
  };

/** Of the messages with an answer, only the clock can be answered without a host. */
const messageWithAnswer =
  (words: 1 | 2): Operation =>
  (site) => {
    const message = site.instruction.immediate('src0') & 0xff;
    if (message !== MSG_RTN_GET_REALTIME)
      return site.step(() => {
        throw new Fault(`the kernel waits for an answer to message ${message}, which nothing here gives`);
      });
    const d = site.scalarDestination('sdst', words);
    return site.step((w) => readClock(w, d, words));
  };

export const control: OperationTable = {
  s_branch: branch(() => true),
  s_cbranch_scc0: branch((w) => w.scc === 0),
  s_cbranch_scc1: branch((w) => w.scc === 1),
  s_cbranch_vccz: branch(vccIsZero),
  s_cbranch_vccnz: branch((w) => !vccIsZero(w)),
  s_cbranch_execz: branch(execIsZero),
  s_cbranch_execnz: branch((w) => !execIsZero(w)),
  // The debugger's condition bits are never set.
  s_cbranch_cdbgsys: nothing,
  s_cbranch_cdbguser: nothing,
  s_cbranch_cdbgsys_or_user: nothing,
  s_cbranch_cdbgsys_and_user: nothing,

  s_getpc_b64: getPc,
  s_setpc_b64: setPc,
  s_swappc_b64: swapPc,
  s_call_b64: call,

  s_barrier: (site) =>
    site.step((w) => {
      w.state = WaveState.AtBarrier;
    }),
  s_endpgm: end,
  s_endpgm_saved: end,
  s_endpgm_ordered_ps_done: end,

  s_trap: fault(
    (id) => (id === TRAP_ABORT ? 'the kernel trapped (s_trap 2: abort, assert or unreachable)' : `s_trap ${id}`),
    (_, id) => id !== TRAP_DEBUG,
  ),
  s_sethalt: fault(
    () => 'the kernel halts its wave',
    (_, simm16) => (simm16 & 1) !== 0,
  ),
  s_setkill: fault(
    () => 'the kernel kills its wave',
    (_, simm16) => (simm16 & 1) !== 0,
  ),
  s_sendmsg: fault(
    (message) => `the kernel sends message ${message & 0xf} to a host that is not there`,
    ({ target }, message) => !target.hasDeallocVgprsMessage || (message & 0xff) !== MSG_DEALLOC_VGPRS,
  ),
  s_sendmsghalt: fault((message) => `the kernel sends message ${message & 0xf} and halts its wave`),
  s_sendmsg_rtn_b32: messageWithAnswer(1),
  s_sendmsg_rtn_b64: messageWithAnswer(2),
  // Fills the space behind a program; executing it is an illegal instruction.
  s_code_end: fault(() => 'execution ran into the padding behind a kernel'),
};
