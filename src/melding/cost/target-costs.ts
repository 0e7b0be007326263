/**
 * What a target's units and memories cost, in cycles of one wave. Sources of the memory latencies: LLVM's SISchedule.td
 * (SIQuarterSpeedModel: LDS "between 2 and 64", VMEM 80 in steps of four cycles; GFX10/GFX11SpeedModel: LDS 20, SMEM
 * 20, VMEM 320, branch 32) and, for LDS and scalar loads on GCN, the latencies that the vendor's instruction-set
 * manuals and microbenchmarks agree on (about 64 and 100–200 cycles). NVPTX: J. Luo et al., "Benchmarking and
 * Dissecting the Nvidia Hopper GPU Architecture", 2024 (shared about 30, L1 about 40, L2 about 270).
 */
export interface TargetCosts {
  /** Full-rate vector instruction. */
  readonly valu: number;
  /** Scalar instruction. It takes a turn of its wave, although vector work of other waves goes on at the same time. */
  readonly salu: number;
  /** A run of instructions under a changed execution mask: save, branch when empty, restore. */
  readonly guard: number;
  /** A branch on a scalar condition. */
  readonly branch: number;
  /** A divergent branch of two sides: what handling the execution mask costs a wave that takes both. */
  readonly diamond: number;
  /** How long that keeps the scalar unit busy: four instructions, two of which take longer on GCN and CDNA. */
  readonly masks: number;
  /**
   * Which share of `diamond` is no gain to a wave that agrees: other waves hide it. On RDNA the scalar unit has turns
   * that vector work cannot use anyway. Fitted.
   */
  readonly hiddenMasks: number;
  /**
   * What a question (`WaveVersion`) costs a wave whose threads do not agree: a branch that is taken, and where a mask
   * comes late to the scalar unit, the time until it is there. Measured with the simulator, for a wave that is alone.
   */
  readonly question: number;
  /**
   * What `v_div_scale`, `v_div_fmas` and `v_div_fixup` take beyond full-rate instructions, in a division of floats:
   * TargetTransformInfo does not know that they are slow.
   */
  readonly divisionSteps: number;
  /** 32-bit integer multiplication. */
  readonly multiply: number;
  /**
   * An operation on doubles: what TargetTransformInfo says, in full-rate instructions, the cycles that it takes a wave
   * that is alone, and those where waves are busy (docs/cycle-model.md). RDNA has one double unit for 16 or 32 threads,
   * which TargetTransformInfo does not know. Where waves are busy, a full-rate instruction takes one cycle there and
   * counts as two (`valu`), so that doubles count twice as well. And as how many operations a conversion counts.
   */
  readonly double: Readonly<Record<'units' | 'cycles' | 'busy' | 'conversion', number>>;
  /**
   * The latency of a full-rate instruction in LLVM's scheduling model, and the most that work may have there which is
   * not branched around (skipping.ts). In full-rate instructions.
   */
  readonly resultAfter: number;
  readonly unskipped: number;
  /**
   * How many waves a SIMD usually holds, how many of a function that keeps its threads' data in LDS, and how many even
   * of a small launch.
   */
  readonly residentWaves: number;
  readonly residentWithLds: number;
  readonly residentAtLeast: number;
  /** Bytes of LDS for each SIMD. */
  readonly ldsBytes: number;
  /**
   * The part of the time for which a wave keeps the memory unit busy that hides its other work. Set by hand; 0: not
   * measured.
   */
  readonly hiddenByMemory: number;
  /**
   * Up to how many vector registers of 64 threads a wave may have so that a SIMD holds `residentWaves`. That of the
   * smallest processor of a family.
   */
  readonly roomyRegisters: number;
  /**
   * With so many waves a SIMD gets half as much done as with any number, in a usual function (waves.ts). Fitted.
   */
  readonly halfSpeedWaves: number;
  /**
   * A loss up to this share of what a wave spends in the function does not count more than a gain (wave-choice.ts). 0:
   * losses came out larger than estimated, or were not measured.
   */
  readonly smallLoss: number;
  /** How many scalar registers or literals a select takes beside its condition. */
  readonly freeScalars: number;
  /** Latency per kind of memory. */
  readonly lds: number;
  readonly global: number;
  readonly scalarMemory: number;
  readonly scratch: number;
  /**
   * Share of a load's latency that is not hidden, elsewhere and in LDS. Code generation finds work for a wave that
   * waits for memory, but little for the few cycles between an access of LDS and the use of its result.
   */
  readonly exposed: number;
  readonly exposedLds: number;
  /**
   * How long a memory instruction keeps its unit busy, in cycles of one SIMD: the unit serves all SIMDs of a compute
   * unit. In LDS, and elsewhere.
   */
  readonly ldsIssue: number;
  readonly issue: number;
  /** Gain of one memory access less outside LDS: it spares bandwidth and cache traffic. */
  readonly memoryCredit: number;
  /** What a store to LDS costs, and a store elsewhere. Nothing waits for the result of a store. */
  readonly ldsStore: number;
  readonly store: number;
  /**
   * Whether a select between a value and the next one costs nothing beside the addition: that takes the condition as
   * its carry. RDNA has such additions, too, but the simulator does not show a gain.
   */
  readonly countsByCarry: boolean;
  /** Whether vector instructions can take a byte of an operand, with or without its sign (SDWA). */
  readonly namesBytes: boolean;
  /** Whether the scalar unit has floating point. */
  readonly scalarFloat: boolean;
}

const KIB = 1024;

const gfx9: TargetCosts = {
  valu: 4,
  salu: 4,
  guard: 16,
  branch: 8,
  freeScalars: 0,
  diamond: 28,
  masks: 24,
  hiddenMasks: 0.25,
  question: 44,
  divisionSteps: 48,
  multiply: 16,
  double: { units: 2, cycles: 8, busy: 8, conversion: 2 },
  resultAfter: 1,
  unskipped: 9,
  residentWaves: 8,
  residentWithLds: 2,
  residentAtLeast: 2,
  ldsBytes: 16 * KIB,
  hiddenByMemory: 1,
  roomyRegisters: 32,
  halfSpeedWaves: 2.5,
  smallLoss: 0.005,
  lds: 64,
  global: 320,
  scalarMemory: 200,
  scratch: 320,
  exposed: 0.25,
  exposedLds: 0.75,
  ldsIssue: 8,
  issue: 16,
  memoryCredit: 8,
  ldsStore: 8,
  store: 20,
  namesBytes: true,
  countsByCarry: true,
  scalarFloat: false,
};
/** From gfx90a on. */
const cdna: TargetCosts = { ...gfx9, roomyRegisters: 64, double: { units: 1, cycles: 4, busy: 4, conversion: 1 } };
const gfx10: TargetCosts = {
  valu: 2,
  salu: 2,
  resultAfter: 5,
  unskipped: 33,
  guard: 8,
  branch: 8,
  freeScalars: 1,
  diamond: 14,
  masks: 8,
  hiddenMasks: 0.5,
  question: 30,
  divisionSteps: 0,
  multiply: 8,
  double: { units: 4, cycles: 16, busy: 32, conversion: 1 },
  residentWaves: 16,
  residentWithLds: 4,
  residentAtLeast: 4,
  ldsBytes: 32 * KIB,
  hiddenByMemory: 1,
  roomyRegisters: 32,
  halfSpeedWaves: 8,
  smallLoss: 0,
  lds: 32,
  global: 320,
  scalarMemory: 200,
  scratch: 320,
  exposed: 0.25,
  exposedLds: 0.25,
  ldsIssue: 4,
  issue: 8,
  memoryCredit: 8,
  ldsStore: 4,
  store: 16,
  namesBytes: false,
  countsByCarry: false,
  scalarFloat: false,
};

const gfx11: TargetCosts = { ...gfx10, double: { units: 4, cycles: 32, busy: 64, conversion: 1 } };

/** By prefix of the processor's name; the first that fits counts. Anything else is taken for NVPTX. */
const TARGETS: readonly (readonly [prefix: string, costs: TargetCosts])[] = [
  ['gfx906', gfx9],
  // CDNA has the same vector unit, but its L2 cache has a longer latency.
  ['gfx90a', { ...cdna, global: 400, scratch: 400 }],
  ['gfx94', { ...cdna, global: 480, scratch: 480 }],
  ['gfx95', { ...cdna, global: 480, scratch: 480, ldsBytes: 40 * KIB }],
  ['gfx10', { ...gfx10, namesBytes: true }],
  ['gfx115', { ...gfx11, scalarFloat: true }],
  ['gfx11', gfx11],
  ['gfx125', { ...gfx11, scalarFloat: true, ldsBytes: 80 * KIB }],
  ['gfx12-5', { ...gfx11, scalarFloat: true, ldsBytes: 80 * KIB }],
  ['gfx12', { ...gfx11, scalarFloat: true }],
  ['gfx13', { ...gfx11, scalarFloat: true }],
  ['gfx', gfx9],
  [
    '',
    {
      // A scheduler has 16 lanes for integers, for floats 16 or 32.
      valu: 2,
      salu: 2,
      guard: 12,
      branch: 8,
      freeScalars: 2,
      // This, how many waves there are, and `exposedLds` are fitted to times of bench:gpu on an H100.
      diamond: 32,
      masks: 0,
      hiddenMasks: 0.5,
      question: 24,
      divisionSteps: 0,
      multiply: 8,
      double: { units: 1, cycles: 2, busy: 2, conversion: 1 },
      resultAfter: 2,
      unskipped: 12,
      residentWaves: 6,
      residentWithLds: 2,
      residentAtLeast: 2,
      // Of a whole multiprocessor it is 228 KiB; see `roomyRegisters`.
      ldsBytes: Infinity,
      hiddenByMemory: 0,
      // The driver gives registers out, and nothing here says how many.
      roomyRegisters: Infinity,
      halfSpeedWaves: 8,
      smallLoss: 0,
      lds: 30,
      global: 280,
      scalarMemory: 40,
      scratch: 40,
      exposed: 0.25,
      exposedLds: 0.75,
      ldsIssue: 4,
      issue: 8,
      memoryCredit: 8,
      ldsStore: 8,
      store: 20,
      namesBytes: false,
      countsByCarry: false,
      scalarFloat: true,
    },
  ],
];

export const costsOf = (cpu: string): TargetCosts => TARGETS.find(([prefix]) => cpu.startsWith(prefix))![1];

/**
 * The costs where other waves hide everything but the work of the units that all of them want: scalar work and
 * latencies cost nothing there. Many kernels are between both.
 */
export function busyTarget(target: TargetCosts): TargetCosts {
  const { valu, issue, ldsIssue, double } = target;
  return {
    ...target,
    ...{ salu: 0, guard: 0, branch: 0, diamond: 0, hiddenMasks: 0, memoryCredit: 0, exposed: 0, exposedLds: 0 },
    ...{ question: valu, ldsStore: ldsIssue, store: issue, double: { ...double, cycles: double.busy } },
  };
}
