/**
 * Everything that differs between the processors that are simulated, apart from their instructions' names and
 * encodings, which LLVM decodes, and from the numbers of the cycle estimate, which are in timing/constants.ts. No other
 * file asks which processor it simulates.
 *
 * Plain data, because a launch goes to other threads together with its target.
 */
import { DarmError } from '../errors.js';

/** What one family of processors does differently from another. */
interface Family {
  /** The wave size of kernels that do not ask for another one. Processors with 64 have waves of 64 lanes only. */
  readonly defaultWaveSize: 32 | 64;
  /** Work-item ids arrive packed into v0, 10 bits each, instead of in v0 to v2. */
  readonly packedWorkItemIds: boolean;
  /**
   * The hardware keeps the address of a wave's scratch to itself ("architected flat scratch"), so that the kernel is
   * not given an offset into it.
   */
  readonly architectedFlatScratch: boolean;
  /** FLAT_SCRATCH is a hardware register: programs may not reach it, may read it, or may also write it. */
  readonly flatScratchRegister: 'none' | 'read-only' | 'writable';
  /** The other hardware registers (s_getreg) that not all processors have, and the form of HW_ID. */
  readonly hardwareRegisters: 'gfx9' | 'gfx10';
  /** XCC_ID is a hardware register: the processor has several dies. */
  readonly hasXccId: boolean;
  /** The MODE register has the bit VSKIP, which skips vector instructions. */
  readonly hasVskip: boolean;
  /** s_sendmsg can say that a wave gives its vector registers back before it ends. */
  readonly hasDeallocVgprsMessage: boolean;

  /** 16-bit operations clear the upper half of their result's register; otherwise they keep it. */
  readonly clearsUpperHalf: boolean;
  /** Of two quiet NaNs, minimum and maximum return the first; otherwise the second. */
  readonly minMaxReturnsFirstNan: boolean;
  /** Sine and cosine give the result for 0 beyond 256 turns (LLVM: "trig-reduced-range"). */
  readonly trigReducedRange: boolean;
  /** v_cmpx writes its lane mask to a scalar destination too, and not to EXEC alone. */
  readonly cmpxWritesDestination: boolean;
  /** ds_permute and ds_bpermute reach all 64 lanes of a wave; otherwise the lane's own half of them. */
  readonly permutesWholeWave: boolean;

  /** With DPP, shifts take their second operand from other lanes: what is shifted, not by how much. */
  readonly permutesShiftedOperand: boolean;

  /** Bytes of a cache line of vector memory, as a power of two. */
  readonly cacheLineBits: 6 | 7;
  /**
   * Bits of the signed constant offset of global and scratch instructions. That of flat ones is unsigned and has one
   * less.
   */
  readonly offsetBits: 12 | 13;
  /** f32 sums of atomics in memory flush denormals. */
  readonly memoryAtomicsFlushF32: boolean;
  /** The form of buffer descriptors. */
  readonly bufferDescriptor: BufferDescriptorForm;
  /** The fields of s_waitcnt. */
  readonly waitcnt: WaitcntFields;
  /** Stores count in a counter of their own (vscnt); otherwise in that of vector memory. */
  readonly countsStoresApart: boolean;
}

export interface BufferDescriptorForm {
  /** Bits of the field SWIZZLE_ENABLE, which ends at bit 31 of word 1. With two bits it is also the element size. */
  readonly swizzleBits: 1 | 2;
  /** Word 3 says how the range is checked (OOB_SELECT); otherwise that follows from the stride and the instruction. */
  readonly hasRangeSelect: boolean;
  /** Where the lane's number is added, the data format in word 3 is the upper part of the stride. */
  readonly extendsStride: boolean;
  /** The part of word 3 that says: 32-bit elements, and a range in bytes. */
  readonly dwordFormat: number;
}

/** Parts of the immediate, each [first bit, number of bits], lowest part first. */
type BitField = readonly (readonly [first: number, bits: number])[];

export interface WaitcntFields {
  readonly vmcnt: BitField;
  readonly lgkmcnt: BitField;
  readonly expcnt: BitField;
}

/** Vega and CDNA 1. */
const GFX9: Family = {
  defaultWaveSize: 64,
  packedWorkItemIds: false,
  architectedFlatScratch: false,
  flatScratchRegister: 'none',
  hardwareRegisters: 'gfx9',
  hasXccId: false,
  hasVskip: true,
  hasDeallocVgprsMessage: false,
  clearsUpperHalf: true,
  minMaxReturnsFirstNan: false,
  trigReducedRange: true,
  cmpxWritesDestination: true,
  permutesWholeWave: true,
  permutesShiftedOperand: true,
  cacheLineBits: 6,
  offsetBits: 13,
  memoryAtomicsFlushF32: true,
  bufferDescriptor: {
    swizzleBits: 1,
    hasRangeSelect: false,
    extendsStride: true,
    dwordFormat: (4 << 12) | (4 << 15),
  },
  waitcnt: {
    vmcnt: [
      [0, 4],
      [14, 2],
    ],
    lgkmcnt: [[8, 4]],
    expcnt: [[4, 3]],
  },
  countsStoresApart: false,
};

/** CDNA 2. */
const GFX90A: Family = { ...GFX9, packedWorkItemIds: true };

/** CDNA 3. */
const GFX942: Family = {
  ...GFX90A,
  architectedFlatScratch: true,
  hasXccId: true,
  cacheLineBits: 7,
  memoryAtomicsFlushF32: false,
};

/** RDNA 2. */
const GFX103: Family = {
  defaultWaveSize: 32,
  packedWorkItemIds: false,
  architectedFlatScratch: false,
  flatScratchRegister: 'writable',
  hardwareRegisters: 'gfx10',
  hasXccId: false,
  hasVskip: false,
  hasDeallocVgprsMessage: false,
  clearsUpperHalf: false,
  minMaxReturnsFirstNan: false,
  trigReducedRange: false,
  cmpxWritesDestination: false,
  permutesWholeWave: false,
  permutesShiftedOperand: true,
  cacheLineBits: 7,
  offsetBits: 12,
  memoryAtomicsFlushF32: true,
  bufferDescriptor: {
    swizzleBits: 1,
    hasRangeSelect: true,
    extendsStride: false,
    dwordFormat: (20 << 12) | (1 << 24) | (2 << 28),
  },
  waitcnt: {
    vmcnt: [
      [0, 4],
      [14, 2],
    ],
    lgkmcnt: [[8, 6]],
    expcnt: [[4, 3]],
  },
  countsStoresApart: true,
};

/** RDNA 3. */
const GFX11: Family = {
  ...GFX103,
  packedWorkItemIds: true,
  architectedFlatScratch: true,
  flatScratchRegister: 'read-only',
  hasDeallocVgprsMessage: true,
  minMaxReturnsFirstNan: true,
  permutesShiftedOperand: false,
  offsetBits: 13,
  bufferDescriptor: { ...GFX103.bufferDescriptor, swizzleBits: 2 },
  waitcnt: { vmcnt: [[10, 6]], lgkmcnt: [[4, 6]], expcnt: [[0, 3]] },
};

/**
 * The processors that are simulated. Each also needs a table in timing/constants.ts; without one, that does not
 * compile.
 */
const PROCESSORS = {
  gfx900: GFX9,
  gfx902: GFX9,
  gfx904: GFX9,
  gfx906: GFX9,
  gfx908: GFX9,
  gfx909: GFX9,
  gfx90c: GFX9,
  gfx90a: GFX90A,
  gfx942: GFX942,
  gfx1030: GFX103,
  gfx1031: GFX103,
  gfx1032: GFX103,
  gfx1033: GFX103,
  gfx1034: GFX103,
  gfx1035: GFX103,
  gfx1036: GFX103,
  gfx1100: GFX11,
  gfx1101: GFX11,
  gfx1102: GFX11,
  gfx1103: GFX11,
} as const satisfies Readonly<Record<string, Family>>;

export type SimulatedCpu = keyof typeof PROCESSORS;

export const SIMULATED_CPUS = Object.keys(PROCESSORS) as readonly SimulatedCpu[];

export interface SimulatedTarget extends Family {
  readonly cpu: SimulatedCpu;
}

/** @throws DarmError `bad-target` for a processor that is not simulated. */
export function simulatedTarget(cpu: string): SimulatedTarget {
  const known = SIMULATED_CPUS.find((each) => each === cpu);
  if (known === undefined)
    throw new DarmError(
      'bad-target',
      `the simulator does not know the processor '${cpu}', but ${SIMULATED_CPUS.join(', ')}`,
    );
  return { cpu: known, ...PROCESSORS[known] };
}
