/**
 * The numbers of the cycle estimate, one table per processor, each with its source. What they mean together is in
 * docs/cycle-model.md. Everything is in cycles of the shader clock.
 *
 * Sources, by the names used below:
 *
 *     GCN      AMD, "Graphics Core Next (GCN) Architecture" white paper, 2012, and "Vega" ISA document, 2019/2020
 *     CDNA     AMD, CDNA 2 and CDNA 3 white papers and ISA documents (2021, 2023)
 *     RDNA     AMD, RDNA white paper, 2019, RDNA 2 and RDNA 3 ISA documents
 *     CLRX     CLRadeonExtender, doc/GcnTimings: measured issue times on GCN 1.0 to 1.4
 *     MT4G     TUM, Memory Topology 4 GPUs, sample results: MI100, MI210 and MI300X, pointer chasing
 *     PYHIP    tingqli/pyhip, docs/mem_latency: LDS and HBM on an MI308X (gfx942)
 *     ROCPROF  ROCm Compute Profiler documentation, "Pipeline descriptions" and "vL1D"
 *     LLVM     LLVM 22, SISchedule.td; its GCN latencies count units of 4 cycles
 *     OCC      LLVM 22, AMDGPUBaseInfo.cpp (namespace IsaInfo)
 *     assumed  our choice, for want of a source
 */

import type { SimulatedCpu, SimulatedTarget } from '../target.js';

/** Cycles that one operation keeps its unit, per `vectorPassLanes` lanes of the wave. */
export interface VectorRates {
  /** 32-bit operations, packed 16-bit ones, moves, compares, readlane. The unit of the others. */
  readonly full: number;
  /** `v_exp`, `v_log`, `v_rcp`, `v_rsq`, `v_sqrt`, `v_sin`, `v_cos` of f32 and f16. */
  readonly transcendental: number;
  /** `v_mul_lo/hi`, `v_mad_u64_u32`, `v_qsad`, `v_mqsad`. */
  readonly integerMultiply: number;
  /** `v_div_scale_f32`, `v_div_fmas_f32`, `v_div_fixup_f32`. */
  readonly divisionSteps: number;
  /** 64-bit shifts, 64-bit compares of integers, `v_mov_b64`, `v_lshl_add_u64`. */
  readonly wide: number;
  /** Add, multiply, fma, min, max, compare and the rest of f64. */
  readonly f64: number;
  /** Conversions from and to f64. */
  readonly f64Convert: number;
  /** `v_div_scale_f64`, `v_div_fmas_f64`, `v_trig_preop_f64`. */
  readonly f64Division: number;
  /** `v_rcp_f64`, `v_rsq_f64`, `v_sqrt_f64`. */
  readonly f64Transcendental: number;
}

export interface TimingConstants {
  readonly simds: number;
  /**
   * Cycles between two turns of a SIMD to issue. GCN and CDNA: the four SIMDs take turns, which is also how long a SIMD
   * of 16 lanes takes for 64 (GCN). RDNA: every SIMD issues every cycle (RDNA).
   */
  readonly turn: number;
  /** What `rates` refer to; a wave of 64 takes two passes on RDNA. */
  readonly vectorPassLanes: 32 | 64;
  readonly rates: VectorRates;
  /** Matrix operations of the deep shapes take half the time (LLVM). */
  readonly fastDeepMatrix: boolean;
  /** A transcendental unit beside the main one, which goes on issuing (RDNA). */
  readonly separateTranscendental: boolean;
  /**
   * Whether results can be later than the wave's next turn for any reader (RDNA). Otherwise that is so only from a
   * vector instruction to a scalar one, and from either to a conditional branch (GCN: a result is there at the next
   * turn).
   */
  readonly interlocked: boolean;
  /** From issue of a full-rate vector instruction until its result may be read, subject to `interlocked`. */
  readonly vectorLatency: number;
  /** What a transcendental result takes in addition, and once more an f64 one. */
  readonly slowResult: number;
  /** As `vectorLatency`, of a scalar instruction. */
  readonly scalarLatency: number;
  /** `s_*_saveexec` and `s_setreg` hold the wave up for this long. */
  readonly saveExec: number;
  readonly branchNotTaken: number;
  readonly branchTaken: number;
  /** From the last wave's arrival to the next instruction of all. */
  readonly barrier: number;
  /** `s_sendmsg` and exports, until their counter goes down. */
  readonly message: number;

  readonly ldsLatency: number;
  /** The LDS unit per transaction of the counters (one pass over the banks). */
  readonly ldsPass: number;
  /** Lanes that one pass of `ds_permute`, `ds_bpermute` and `ds_swizzle` moves. */
  readonly ldsPermuteLanes: number;

  readonly vectorMemoryLatency: number;
  /** Lanes times 32-bit words per cycle between registers and cache. */
  readonly vectorMemoryLanes: number;
  /** The cache per transaction of the counters: one cache line of `SimulatedTarget.cacheLineBits`. */
  readonly vectorMemoryLine: number;
  readonly scalarMemoryLatency: number;

  readonly occupancy: OccupancyLimits;
}

export interface OccupancyLimits {
  readonly wavesPerSimd: number;
  /** Registers per lane of a SIMD, for waves of 64. On RDNA, waves of 32 have twice as many. */
  readonly vgprs: number;
  /** For waves of 64; twice that for waves of 32. */
  readonly vgprGranule: number;
  /** [SGPRs up to, waves per SIMD], ascending; empty where SGPRs do not limit. */
  readonly sgprs: readonly (readonly [number, number])[];
  readonly ldsBytes: number;
  readonly ldsGranule: number;
  /** Most workgroups of more than one wave: each of them holds a barrier. */
  readonly workgroups: number;
}

const GCN_RATES: VectorRates = {
  full: 4, // GCN, CLRX
  transcendental: 16, // CLRX, LLVM WriteTrans32
  integerMultiply: 16, // CLRX, LLVM WriteIntMul
  divisionSteps: 16, // CLRX
  wide: 8, // LLVM Write64Bit
  f64: 8, // GCN and MI50 data sheet: half of the f32 rate; LLVM WriteDoubleAdd
  f64Convert: 16, // LLVM WriteDoubleCvt
  f64Division: 16, // LLVM WriteDouble
  f64Transcendental: 16, // LLVM WriteTrans64
};

const GFX906: TimingConstants = {
  simds: 4, // GCN
  turn: 4, // GCN
  vectorPassLanes: 64, // GCN
  rates: GCN_RATES,
  fastDeepMatrix: false, // LLVM
  separateTranscendental: false, // GCN
  interlocked: false, // GCN
  vectorLatency: 20, // CLRX: 16 cycles between a vector instruction and a scalar one
  slowResult: 0, // does not matter: not interlocked
  scalarLatency: 8, // CLRX: a turn more before a jump on SCC, VCCZ, EXECZ
  saveExec: 8, // CLRX
  branchNotTaken: 4, // CLRX
  branchTaken: 20, // CLRX (with a question mark there); LLVM WriteBranch says 32
  barrier: 4, // assumed: one turn
  message: 16, // LLVM WriteExport
  ldsLatency: 50, // MT4G, MI100: 50
  ldsPass: 1, // GCN, CLRX: 32 banks of 4 bytes a cycle
  ldsPermuteLanes: 32, // CLRX, ds_swizzle: as ds_read_b32
  vectorMemoryLatency: 344, // MT4G, L2 hit on an MI100, the nearest relative measured
  vectorMemoryLanes: 16, // GCN: 16 addresses, 64 bytes a cycle; CLRX: buffer_load_dwordx4 16
  vectorMemoryLine: 1, // GCN, ROCPROF: 64 bytes a cycle, one line of 64
  scalarMemoryLatency: 205, // MT4G, MI100: a hit 50, a miss 155 more
  occupancy: {
    wavesPerSimd: 10, // OCC
    vgprs: 256, // OCC
    vgprGranule: 4, // OCC
    sgprs: [
      [80, 10],
      [88, 9],
      [100, 8],
      [Infinity, 7],
    ], // OCC, getOccupancyWithNumSGPRs
    ldsBytes: 65536, // OCC
    ldsGranule: 512, // Vega ISA, LDS_SIZE in steps of 128 words
    workgroups: 16, // OCC, getMaxWorkGroupsPerCU
  },
};

const GFX90A: TimingConstants = {
  ...GFX906,
  rates: {
    ...GCN_RATES, // assumed where nothing else is said; LLVM also gives integer multiplication the full rate
    wide: 4, // LLVM Write64Bit
    f64: 4, // CDNA: f64 vector rate equals that of f32; LLVM WriteDouble
    f64Convert: 4, // LLVM WriteDoubleCvt
    f64Division: 4, // LLVM WriteDouble
    f64Transcendental: 16, // LLVM WriteTrans64
  },
  ldsLatency: 50, // MT4G, MI210
  vectorMemoryLatency: 302, // MT4G, L2 hit on an MI210
  scalarMemoryLatency: 180, // MT4G, MI210: a hit 53, a miss 127 more
  occupancy: {
    ...GFX906.occupancy,
    wavesPerSimd: 8, // OCC
    vgprs: 512, // OCC: VGPRs and AGPRs together
    vgprGranule: 8, // OCC
  },
};

const GFX942: TimingConstants = {
  ...GFX90A,
  fastDeepMatrix: true, // LLVM
  ldsLatency: 52, // MT4G, MI300X: 51.3; PYHIP: 50 to 55
  vectorMemoryLatency: 288, // MT4G, L2 hit on an MI300X
  vectorMemoryLine: 2, // CDNA, ROCPROF: 64 bytes a cycle, lines of 128
  scalarMemoryLatency: 172, // MT4G, MI300X: a hit 48, a miss 124 more
};

const GFX1030: TimingConstants = {
  simds: 2, // RDNA: a CU is half a work-group processor
  turn: 1, // RDNA
  vectorPassLanes: 32, // RDNA
  rates: {
    full: 1, // RDNA
    transcendental: 4, // RDNA: a quarter
    integerMultiply: 4, // LLVM WriteIntMul, 8 - 4
    divisionSteps: 1, // LLVM WriteFloatFMA
    wide: 2, // LLVM Write64Bit, 6 - 4
    f64: 16, // RDNA: 1/16; LLVM WriteDouble, 22
    f64Convert: 16, // LLVM WriteDoubleCvt
    f64Division: 16, // LLVM WriteDouble
    f64Transcendental: 16, // LLVM WriteTrans64, 24
  },
  fastDeepMatrix: false, // has no such shapes
  separateTranscendental: true, // RDNA; LLVM HWTransVALU
  interlocked: true, // RDNA
  vectorLatency: 5, // LLVM Write32Bit
  slowResult: 2, // LLVM WriteTrans32 10 = 5 + 3 further passes + 2; WriteDouble 22, WriteTrans64 24
  scalarLatency: 2, // LLVM WriteSALU
  saveExec: 1, // assumed: as any scalar instruction
  branchNotTaken: 4, // assumed: as CLRX has it for GCN
  branchTaken: 20, // assumed: as CLRX has it for GCN; LLVM WriteBranch says 32 for both
  barrier: 4, // assumed
  message: 16, // LLVM WriteExport
  ldsLatency: 50, // assumed: as MT4G has it for CDNA; LLVM WriteLDS says 20
  ldsPass: 1, // RDNA: 32 banks of 4 bytes a cycle in each half
  ldsPermuteLanes: 32, // assumed
  vectorMemoryLatency: 320, // LLVM WriteVMEM
  vectorMemoryLanes: 32, // RDNA: the bus to the L0 cache has 128 bytes
  vectorMemoryLine: 2, // RDNA: 64 bytes a cycle into the L0 cache, lines of 128
  scalarMemoryLatency: 200, // assumed: L2, as vector memory
  occupancy: {
    wavesPerSimd: 16, // OCC
    vgprs: 512, // OCC
    vgprGranule: 8, // OCC
    sgprs: [], // OCC: each wave has its 128
    ldsBytes: 65536, // RDNA: half of the work-group processor's
    ldsGranule: 1024, // Mesa, ac_gpu_info: lds_alloc_granularity from GFX10.3 on
    workgroups: 16, // OCC
  },
};

const GFX1100: TimingConstants = {
  ...GFX1030,
  rates: {
    ...GFX1030.rates,
    f64: 32, // RDNA 3: 1/32; LLVM WriteDouble, 38
    f64Convert: 32, // LLVM WriteDoubleCvt
    f64Division: 32, // LLVM WriteDouble
    f64Transcendental: 32, // LLVM WriteTrans64, 40
  },
  occupancy: {
    ...GFX1030.occupancy,
    vgprs: 768, // OCC, Feature1_5xVGPRs
    vgprGranule: 12, // OCC
  },
};

const F64_SIXTEENTH: Partial<VectorRates> = { f64: 64, f64Convert: 16, f64Division: 64, f64Transcendental: 64 };

const GFX900: TimingConstants = { ...GFX906, rates: { ...GCN_RATES, ...F64_SIXTEENTH } };
const GFX1102: TimingConstants = { ...GFX1100, occupancy: GFX1030.occupancy }; // OCC: without Feature1_5xVGPRs

/** Every simulated processor has an entry of its own: one without does not compile. */
const TABLES: Readonly<Record<SimulatedCpu, TimingConstants>> = {
  gfx900: GFX900,
  gfx902: GFX900,
  gfx904: GFX900,
  gfx906: GFX906,
  gfx908: GFX906,
  gfx909: GFX900,
  gfx90c: GFX900,
  gfx90a: GFX90A,
  gfx942: GFX942,
  gfx1030: GFX1030,
  gfx1031: GFX1030,
  gfx1032: GFX1030,
  gfx1033: GFX1030,
  gfx1034: GFX1030,
  gfx1035: GFX1030,
  gfx1036: GFX1030,
  gfx1100: GFX1100,
  gfx1101: GFX1100,
  gfx1102: GFX1102,
  gfx1103: GFX1102,
};

export const timingConstants = ({ cpu }: Pick<SimulatedTarget, 'cpu'>): TimingConstants => TABLES[cpu];
