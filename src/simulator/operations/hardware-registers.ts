/**
 * Hardware registers (s_getreg, s_setreg), MODE above all, and the clocks.
 *
 * Numbers and fields are those of the ISA documents and of LLVM (SIDefines.h, `Hwreg`). Where a wave runs is fixed:
 * compute unit 0, its four SIMDs in turn. Time does not measure anything: it advances by 64 whenever it is read, so
 * that a program that waits for time to pass ends, and equal launches read equal times.
 */
import { Fault } from '../fault.js';
import { PRIVATE_APERTURE, SHARED_APERTURE } from '../memory.js';
import type { Site } from '../site.js';
import type { SimulatedTarget } from '../target.js';
import { EXEC, VCC, type Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';

const CLOCK_STEP = 64;
const SIMDS = 4;

const ROUND_AND_DENORM = 0xff;
const DX10_CLAMP = 1 << 8;
const IEEE = 1 << 9;
const FLOAT_MODE = ROUND_AND_DENORM | DX10_CLAMP | IEEE;
const EXCEPTIONS_ENABLED = 0x1ff << 12;
const FP16_OVERFLOW = 1 << 23;
const VSKIP = 1 << 28;

const STATUS_EXECZ = 1 << 9;
const STATUS_VCCZ = 1 << 10;
const STATUS_VALID = 1 << 16;

// --- MODE ------------------------------------------------------------------------------------------------------------

function modeWord({ mode, otherMode }: Wave): number {
  const float = mode.roundF32 | (mode.roundF16F64 << 2) | (mode.denormF32 << 4) | (mode.denormF16F64 << 6);
  return float | (mode.dx10Clamp ? DX10_CLAMP : 0) | (mode.ieee ? IEEE : 0) | otherMode;
}

function setMode(w: Wave, word: number): void {
  // A new object, because waves may share the one that they started with.
  w.mode = {
    roundF32: word & 3,
    roundF16F64: (word >>> 2) & 3,
    denormF32: (word >>> 4) & 3,
    denormF16F64: (word >>> 6) & 3,
    ieee: (word & IEEE) !== 0,
    dx10Clamp: (word & DX10_CLAMP) !== 0,
  };
  w.otherMode = word & ~FLOAT_MODE;
  w.modeChanged();
}

function checkMode(word: number, target: SimulatedTarget): void {
  if ((word & EXCEPTIONS_ENABLED) !== 0)
    throw new Fault('the kernel enables floating-point exceptions, which are not simulated');
  if ((word & FP16_OVERFLOW) !== 0) throw new Fault('the kernel sets FP16_OVFL, which is not simulated');
  if (target.hasVskip && (word & VSKIP) !== 0) throw new Fault('the kernel sets VSKIP, which is not simulated');
}

/** Replaces the four bits of MODE from bit `shift` on. */
const modeField =
  (shift: number): Operation =>
  (site) => {
    const value = (site.instruction.immediate('simm16') & 0xf) << shift;
    const keep = ~(0xf << shift);
    return site.step((w) => setMode(w, (modeWord(w) & keep) | value));
  };

// --- the registers ---------------------------------------------------------------------------------------------------

interface Register {
  readonly read: (w: Wave) => number;
  readonly write?: (w: Wave, value: number, target: SimulatedTarget) => void;
}

const zero: Register = { read: () => 0 };

const MODE: Register = {
  read: modeWord,
  write: (w, value, target) => {
    checkMode(value, target);
    setMode(w, value);
  },
};

const STATUS: Register = {
  read: (w) => {
    const execz = w.i32[EXEC] === 0 && (w.size === 32 || w.i32[EXEC + 1] === 0);
    const vccz = w.i32[VCC] === 0 && (w.size === 32 || w.i32[VCC + 1] === 0);
    return w.scc | (execz ? STATUS_EXECZ : 0) | (vccz ? STATUS_VCCZ : 0) | STATUS_VALID;
  },
};

const TRAPSTS: Register = {
  read: (w) => w.trapStatus,
  write: (w, value) => {
    w.trapStatus = value;
  },
};

/** SHARED_BASE in the upper half, PRIVATE_BASE in the lower: bits 63 to 48 of the apertures' addresses. */
const MEM_BASES: Register = { read: () => (SHARED_APERTURE & 0xffff0000) | (PRIVATE_APERTURE >>> 16) };

/** On GFX9: slot in bits 3:0, SIMD in 5:4. */
const HW_ID: Register = { read: (w) => ((w.id / SIMDS) & 0xf) | ((w.id % SIMDS) << 4) };
/** From GFX10 on: slot in bits 4:0, SIMD in 9:8. */
const HW_ID1: Register = { read: (w) => ((w.id / SIMDS) & 0x1f) | ((w.id % SIMDS) << 8) };

const SHADER_CYCLES: Register = { read: (w) => (w.clock += CLOCK_STEP) & 0xfffff };

const flatScratch = (isWritable: boolean): readonly [Register, Register] => [
  {
    read: (w) => w.flatScratchLow,
    ...(isWritable && {
      write: (w: Wave, value: number) => {
        w.flatScratchLow = value >>> 0;
      },
    }),
  },
  {
    read: (w) => w.flatScratchHigh,
    ...(isWritable && {
      write: (w: Wave, value: number) => {
        w.flatScratchHigh = value >>> 0;
      },
    }),
  },
];

/** Registers by number. Access to one that is missing here is an error when it is executed. */
function registersOf({ hardwareRegisters, hasXccId, flatScratchRegister }: SimulatedTarget): Map<number, Register> {
  const IB_STS = 7;
  const registers: (readonly [number, Register])[] = [[1, MODE], [2, STATUS], [3, TRAPSTS], [IB_STS, zero], [15, MEM_BASES]]; // prettier-ignore
  if (hardwareRegisters === 'gfx9') {
    registers.push([4, HW_ID]);
  } else {
    const XNACK_MASK = 22;
    const HW_ID2 = 24;
    registers.push([XNACK_MASK, zero], [23, HW_ID1], [HW_ID2, zero], [29, SHADER_CYCLES]);
  }
  const XCC_ID = 20;
  if (hasXccId) registers.push([XCC_ID, zero]);
  if (flatScratchRegister !== 'none') {
    const [low, high] = flatScratch(flatScratchRegister === 'writable');
    registers.push([20, low], [21, high]);
  }
  return new Map(registers);
}

/** The field of a register that an instruction names. */
function field(site: Site): { number: number; register: Register | undefined; shift: number; mask: number } {
  const simm16 = site.instruction.immediate('simm16');
  const number = simm16 & 0x3f;
  const bits = ((simm16 >>> 11) & 0x1f) + 1;
  return {
    number,
    register: registersOf(site.target).get(number),
    shift: (simm16 >>> 6) & 0x1f,
    mask: bits === 32 ? -1 : (1 << bits) - 1,
  };
}

const getRegister: Operation = (site) => {
  const { number, register, shift, mask } = field(site);
  const d = site.scalarDestination('sdst');
  const read = register?.read;
  if (read === undefined)
    return site.step(() => {
      throw new Fault(`hardware register ${number} is not simulated`);
    });
  return site.step((w) => {
    w.i32[d] = (read(w) >>> shift) & mask;
  });
};

const setRegister =
  (valueAt: (site: Site) => number): Operation =>
  (site) => {
    const { number, register, shift, mask } = field(site);
    const a = valueAt(site);
    const { target } = site;
    const write = register?.write;
    if (register === undefined || write === undefined)
      return site.step(() => {
        throw new Fault(`writing to hardware register ${number} is not simulated`);
      });
    const { read } = register;
    const keep = ~(mask << shift);
    return site.step((w) => write(w, (read(w) & keep) | ((w.i32[a]! & mask) << shift), target));
  };

// --- clocks ----------------------------------------------------------------------------------------------------------

/** Advances the time and writes it to one or two words. */
export function readClock(w: Wave, d: number, words: 1 | 2): void {
  w.clock += CLOCK_STEP;
  w.u32[d] = w.clock;
  if (words === 2) w.u32[d + 1] = Math.floor(w.clock / 2 ** 32);
}

const clock: Operation = (site) => {
  const d = site.scalarDestination('sdst', 2);
  return site.step((w) => readClock(w, d, 2));
};

export const hardwareRegisters: OperationTable = {
  s_getreg_b32: getRegister,
  // LLVM calls the source of s_setreg_b32 `sdst`.
  s_setreg_b32: setRegister((site) => site.scalarSource('sdst')),
  s_setreg_imm32_b32: setRegister((site) => site.layout.constant(site.instruction.immediate('imm'))),
  s_round_mode: modeField(0),
  s_denorm_mode: modeField(4),
  s_memtime: clock,
  s_memrealtime: clock,
  s_get_waveid_in_workgroup: (site) => {
    const d = site.scalarDestination('sdst');
    return site.step((w) => {
      w.i32[d] = w.id;
    });
  },
};
