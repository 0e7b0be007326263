/**
 * The state of one wavefront.
 *
 * All registers are words of one flat array, so that any operand is a pair (index of lane 0, stride): scalars and
 * constants have stride 0, vector registers stride 1 with lane l at index + l. Layout, in words:
 *
 *     0 … 127        scalar registers by hardware number (106 VCC, 124 M0, 126 EXEC)
 *     scratch rows   operands prepared for one instruction (modifiers, DPP, SDWA), see kernel-layout.ts
 *     VGPRs          one row of `size` words each, then the AGPRs
 *     constants      literals of the program, written once
 *
 * EXEC is kept twice: as words 126 and 127, and as the ascending list of active lanes, which is what loops run over.
 * Whoever writes EXEC calls `execChanged`.
 */

import type { Lds } from './lds.js';
import { ADDRESS_HIGH, type GlobalMemory } from './memory.js';

export const VCC = 106;
export const M0 = 124;
export const EXEC = 126;
/** Words of scalar registers; the scratch rows follow. */
export const SCALARS = 128;

export const WaveState = { Running: 0, AtBarrier: 1, Ended: 2 } as const;
export type WaveState = (typeof WaveState)[keyof typeof WaveState];

/** The MODE register's fields that change results; values as encoded there. */
export interface FloatMode {
  /** 0 nearest even, 1 +inf, 2 -inf, 3 zero. */
  roundF32: number;
  roundF16F64: number;
  /** Bit 0: denormal inputs are kept; bit 1: denormal results are kept. */
  denormF32: number;
  denormF16F64: number;
  ieee: boolean;
  dx10Clamp: boolean;
}

/** How the register file is laid out; the same for all waves of a kernel. */
export interface RegisterLayout {
  /** Lanes: 32 or 64. */
  readonly size: 32 | 64;
  /** Literals, and the index of the first one. Everything before it is registers. */
  readonly constants: Uint32Array;
  readonly constantBase: number;
}

/** The words of one wavefront's registers. Waves that come one after the other may use the same. */
export class RegisterFile {
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;

  constructor(readonly layout: RegisterLayout) {
    const words = new ArrayBuffer((layout.constantBase + layout.constants.length) * 4);
    this.i32 = new Int32Array(words);
    this.u32 = new Uint32Array(words);
    this.f32 = new Float32Array(words);
    this.u32.set(layout.constants, layout.constantBase);
  }
}

/** What a wavefront sees besides its registers; the fields are those of `Wave`. */
export interface WaveSurroundings {
  readonly id: number;
  readonly memory: GlobalMemory;
  readonly lds: Lds;
  readonly scratch: number;
  readonly scratchPerLane: number;
}

const IDENTITY = Uint8Array.from({ length: 64 }, (_, lane) => lane);

export class Wave {
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly size: 32 | 64;

  /** Index of the next instruction. */
  pc = 0;
  scc = 0;
  state: WaveState = WaveState.Running;
  /** Active lanes, ascending; the first `active` entries count. */
  lanes: Uint8Array = IDENTITY;
  active: number;
  readonly #ownLanes = new Uint8Array(64);

  mode: FloatMode = { roundF32: 0, roundF16F64: 0, denormF32: 3, denormF16F64: 3, ieee: true, dx10Clamp: true };
  /** f32 (or f16 and f64) arithmetic is JavaScript's own: nearest even, denormals kept. Follows `mode`. */
  plainF32 = true;
  plainF64 = true;
  /** The MODE register's bits that are not in `mode`. */
  otherMode = 0;
  /** The exception flags of TRAPSTS. A program can write and read them; the simulator never raises one. */
  trapStatus = 0;
  /** FLAT_SCRATCH where it is a hardware register; holds `scratch` until it is written. */
  flatScratchLow: number;
  flatScratchHigh = ADDRESS_HIGH;
  /** What programs read as time; reading it advances it. */
  clock = 0;

  /** Position in the workgroup. */
  readonly id: number;
  readonly memory: GlobalMemory;
  readonly lds: Lds;
  /** Lower word of the address of this wavefront's scratch (private memory of all its lanes, interleaved). */
  readonly scratch: number;
  /** Bytes of scratch per lane. */
  readonly scratchPerLane: number;
  /**
   * What the last instruction did to memory, for counters and the cycle estimate: cache lines touched by a vector
   * access, or passes of an LDS access over its banks.
   */
  transactions = 0;
  /** For the cycle estimate: lanes of the last instruction that waited for another one (meeting-lanes.ts). */
  waitingLanes = 0;

  /** Clears the registers. */
  constructor({ layout, i32, u32, f32 }: RegisterFile, surroundings: WaveSurroundings) {
    this.size = layout.size;
    this.id = surroundings.id;
    this.memory = surroundings.memory;
    this.lds = surroundings.lds;
    this.scratch = surroundings.scratch;
    this.scratchPerLane = surroundings.scratchPerLane;
    this.flatScratchLow = surroundings.scratch;
    this.active = layout.size;
    this.i32 = i32;
    this.u32 = u32;
    this.f32 = f32;
    i32.fill(0, 0, layout.constantBase);
    u32[EXEC] = 0xffffffff;
    u32[EXEC + 1] = layout.size === 64 ? 0xffffffff : 0;
  }

  isActive(lane: number): boolean {
    return ((this.i32[EXEC + (lane >> 5)]! >>> (lane & 31)) & 1) !== 0;
  }

  /** Follows a write to EXEC. */
  execChanged(): void {
    const low = this.i32[EXEC]!;
    const high = this.size === 64 ? this.i32[EXEC + 1]! : 0;
    if (low === -1 && (high === -1 || this.size === 32)) {
      this.lanes = IDENTITY;
      this.active = this.size;
      return;
    }
    const lanes = this.#ownLanes;
    let count = 0;
    for (let bits = low; bits !== 0; bits &= bits - 1) lanes[count++] = 31 - Math.clz32(bits & -bits);
    for (let bits = high; bits !== 0; bits &= bits - 1) lanes[count++] = 63 - Math.clz32(bits & -bits);
    this.lanes = lanes;
    this.active = count;
  }

  /** Follows a write to `mode`. */
  modeChanged(): void {
    this.plainF32 = this.mode.roundF32 === 0 && this.mode.denormF32 === 3;
    this.plainF64 = this.mode.roundF16F64 === 0 && this.mode.denormF16F64 === 3;
  }
}

/** Executes one instruction; `pc` already points behind it. Throws `Fault`. */
export type Step = (wave: Wave) => void;

/** EXEC as a hexadecimal number. */
export function execText(wave: Wave): string {
  const word = (value: number): string => value.toString(16).padStart(8, '0');
  return `0x${wave.size === 64 ? word(wave.u32[EXEC + 1]!) : ''}${word(wave.u32[EXEC]!)}`;
}
