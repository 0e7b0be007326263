/**
 * The figures of the DARM paper: the numbers behind its plots, and those in its text and its table. The authors
 * measured them on an AMD Radeon Pro Vega 20 (gfx906), with LLVM 12 and rocprof.
 */

/** A speed-up over -O3 (mean of the runs) and the half-width of its error bar. */
export type Speedup = readonly [mean: number, error: number];

/** By benchmark and block size. */
export type PaperSpeedups = Readonly<
  Record<string, Readonly<Record<string, { readonly darm: Speedup; readonly fusion: Speedup }>>>
>;

export interface PaperAlu {
  readonly O3: number;
  readonly darm: number;
  readonly fusion: number;
}

interface Normalized {
  readonly darm: number;
  readonly fusion: number;
}

export interface PaperMemory {
  /** Vector memory, reads and writes. */
  readonly vmem: Normalized;
  readonly lds: Normalized;
  readonly flat: Normalized;
}

/**
 * Geometric means from the text. `best` is GM-Best, the mean over each benchmark's block size with the fastest
 * baseline.
 */
export const PAPER_MEANS = {
  synthetic: { darm: 1.36, fusion: 1.1 },
  real: { darm: 1.15, best: 1.16 },
} as const;

export const PAPER_THRESHOLDS = [0.1, 0.2, 0.3, 0.4, 0.5] as const;

/** Figure "Micro Benchmark Performance". */
export const PAPER_SYNTHETIC: PaperSpeedups = {
  SB1: {
    32: { darm: [1.2586, 0.0088], fusion: [1.2534, 0.009] },
    64: { darm: [1.2749, 0.0034], fusion: [1.2702, 0.0028] },
    128: { darm: [1.2657, 0.0129], fusion: [1.2582, 0.0134] },
    256: { darm: [1.285, 0.003], fusion: [1.2395, 0.0769] },
  },
  'SB1-R': {
    32: { darm: [1.146, 0.048], fusion: [1.1298, 0.0546] },
    64: { darm: [1.1567, 0.0023], fusion: [1.1562, 0.0015] },
    128: { darm: [1.1628, 0.0102], fusion: [1.1633, 0.0134] },
    256: { darm: [1.1639, 0.0001], fusion: [1.164, 0.0002] },
  },
  SB2: {
    32: { darm: [1.2552, 0.0074], fusion: [1.0032, 0.0058] },
    64: { darm: [1.2695, 0.0059], fusion: [1.002, 0.0031] },
    128: { darm: [1.2822, 0.0076], fusion: [0.992, 0.006] },
    256: { darm: [1.2916, 0.0002], fusion: [0.9993, 0.0021] },
  },
  'SB2-R': {
    32: { darm: [1.1745, 0.0047], fusion: [0.9978, 0.0028] },
    64: { darm: [1.1871, 0.0029], fusion: [1.0017, 0.0021] },
    128: { darm: [1.1987, 0.01], fusion: [0.9974, 0.0053] },
    256: { darm: [1.1967, 0.0002], fusion: [0.9997, 0.001] },
  },
  SB3: {
    32: { darm: [1.3134, 0.0603], fusion: [0.984, 0.0331] },
    64: { darm: [1.394, 0.0527], fusion: [1.0214, 0.03] },
    128: { darm: [1.3852, 0.0167], fusion: [0.9908, 0.01] },
    256: { darm: [1.4015, 0.0096], fusion: [0.9949, 0.0039] },
  },
  'SB3-R': {
    32: { darm: [1.375, 0.0598], fusion: [0.9854, 0.0438] },
    64: { darm: [1.3046, 0.0588], fusion: [1.0225, 0.0484] },
    128: { darm: [1.2859, 0.014], fusion: [1.0053, 0.0081] },
    256: { darm: [1.2958, 0.0047], fusion: [0.9942, 0.003] },
  },
  SB4: {
    32: { darm: [1.7305, 0.0141], fusion: [1.2458, 0.0062] },
    64: { darm: [1.8534, 0.0072], fusion: [1.2677, 0.0046] },
    128: { darm: [1.9442, 0.0186], fusion: [1.2875, 0.011] },
    256: { darm: [1.9498, 0.0009], fusion: [1.283, 0.0003] },
  },
  'SB4-R': {
    32: { darm: [1.5212, 0.0107], fusion: [1.1768, 0.0063] },
    64: { darm: [1.5332, 0.0048], fusion: [1.1826, 0.0022] },
    128: { darm: [1.5684, 0.016], fusion: [1.1916, 0.012] },
    256: { darm: [1.5792, 0.0002], fusion: [1.1937, 0.0002] },
  },
};

/** Figure "Real-world Benchmark Performance". */
export const PAPER_REAL: PaperSpeedups = {
  BIT: {
    32: { darm: [1.1113, 0.0191], fusion: [0.9876, 0.0096] },
    64: { darm: [1.4278, 0.0317], fusion: [0.9775, 0.014] },
    128: { darm: [1.3089, 0.0219], fusion: [0.9844, 0.0128] },
    256: { darm: [1.2363, 0.0097], fusion: [0.996, 0.0101] },
  },
  PCM: {
    32: { darm: [1.3736, 0.0002], fusion: [1.2618, 0.0001] },
    64: { darm: [1.3086, 0.0001], fusion: [1.1818, 0.0001] },
    128: { darm: [1.2433, 0.0019], fusion: [1.2277, 0.0001] },
    256: { darm: [1.1211, 0.0001], fusion: [1.0253, 0.0001] },
  },
  MS: {
    32: { darm: [1.1811, 0.0028], fusion: [1.1804, 0.0026] },
    64: { darm: [1.1801, 0.0031], fusion: [1.1818, 0.0025] },
    128: { darm: [1.1749, 0.0017], fusion: [1.1747, 0.0029] },
    256: { darm: [1.1633, 0.0026], fusion: [1.1633, 0.0026] },
  },
  LUD: {
    16: { darm: [1.1555, 0.0003], fusion: [1.1546, 0.0005] },
    32: { darm: [1.0813, 0.0005], fusion: [1.081, 0.0009] },
    64: { darm: [1.0991, 0.0007], fusion: [1.094, 0.0008] },
    128: { darm: [0.9935, 0.0011], fusion: [1.0085, 0.0007] },
  },
  NQU: {
    64: { darm: [1.1897, 0.0004], fusion: [1.0, 0.0001] },
    96: { darm: [1.1857, 0.0012], fusion: [0.9998, 0.0005] },
    128: { darm: [1.1872, 0.0001], fusion: [1.0002, 0.0001] },
    256: { darm: [1.1818, 0.0006], fusion: [1.0002, 0.0003] },
  },
  SRAD: {
    '16x16': { darm: [0.9642, 0.0144], fusion: [1.2199, 0.0076] },
    '32x32': { darm: [0.9209, 0.0105], fusion: [0.9839, 0.0066] },
  },
  DCT: {
    '4x4': { darm: [1.0005, 0.0005], fusion: [1.0002, 0.0005] },
    '8x8': { darm: [1.0001, 0.0017], fusion: [1.0021, 0.0023] },
    '16x16': { darm: [1.0132, 0.0057], fusion: [1.0165, 0.0063] },
  },
};

/** Figure "ALU Utilization", percent, at the block size with the paper's largest speed-up. */
export const PAPER_ALU: Readonly<Record<string, PaperAlu>> = {
  SB1: { O3: 73.0, darm: 99.0, fusion: 99.0 },
  'SB1-R': { O3: 25.0, darm: 39.0, fusion: 39.0 },
  SB2: { O3: 24.0, darm: 35.0, fusion: 24.0 },
  'SB2-R': { O3: 24.0, darm: 35.0, fusion: 24.0 },
  SB3: { O3: 26.0, darm: 44.0, fusion: 26.0 },
  'SB3-R': { O3: 11.0, darm: 20.0, fusion: 11.0 },
  SB4: { O3: 38.0, darm: 93.0, fusion: 54.0 },
  'SB4-R': { O3: 37.0, darm: 89.0, fusion: 53.0 },
  BIT: { O3: 61.0, darm: 57.0, fusion: 61.0 },
  PCM: { O3: 19.0, darm: 36.0, fusion: 24.0 },
  MS: { O3: 34.15, darm: 37.95, fusion: 37.95 },
  LUD: { O3: 12.0, darm: 22.0, fusion: 22.0 },
  NQU: { O3: 31.2965, darm: 45.4501, fusion: 31.2965 },
  SRAD: { O3: 92.5, darm: 98.0, fusion: 96.5 },
  DCT: { O3: 64.0, darm: 100.0, fusion: 100.0 },
};

/** Figure "Normalized Memory Instruction Counters": instructions issued relative to -O3, at the same block size. */
export const PAPER_MEMORY: Readonly<Record<string, PaperMemory>> = {
  SB1: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.8, fusion: 0.8 }, flat: { darm: 1.0, fusion: 1.0 } },
  'SB1-R': {
    vmem: { darm: 1.0, fusion: 1.0 },
    lds: { darm: 0.6671, fusion: 0.6671 },
    flat: { darm: 1.0, fusion: 1.0 },
  },
  SB2: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.8889, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  'SB2-R': { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.8889, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  SB3: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.8334, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  'SB3-R': { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.856, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  SB4: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.7273, fusion: 0.9091 }, flat: { darm: 1.0, fusion: 1.0 } },
  'SB4-R': {
    vmem: { darm: 1.0, fusion: 1.0 },
    lds: { darm: 0.7273, fusion: 0.9091 },
    flat: { darm: 1.0, fusion: 1.0 },
  },
  BIT: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.7288, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  PCM: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.6609, fusion: 0.7442 }, flat: { darm: 1.0, fusion: 1.0 } },
  MS: { vmem: { darm: 1.129, fusion: 1.129 }, lds: { darm: 1.0, fusion: 1.0 }, flat: { darm: 1.1385, fusion: 1.1385 } },
  LUD: {
    vmem: { darm: 0.5405, fusion: 0.5405 },
    lds: { darm: 1.3939, fusion: 1.3939 },
    flat: { darm: 0.5405, fusion: 0.5405 },
  },
  NQU: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 1.0085, fusion: 1.0 }, flat: { darm: 1.0, fusion: 1.0 } },
  SRAD: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.9167, fusion: 0.9167 }, flat: { darm: 1.0, fusion: 1.0 } },
  DCT: { vmem: { darm: 1.0, fusion: 1.0 }, lds: { darm: 0.0, fusion: 0.0 }, flat: { darm: 1.0, fusion: 1.0 } },
};

/** Figure "Variation of melding profitability thresholds": DARM's speed-up at each of `PAPER_THRESHOLDS`. */
export const PAPER_SWEEP: Readonly<Record<string, readonly number[]>> = {
  BIT: [1.4462, 1.4462, 1.447, 1.3816, 1.3841],
  PCM: [1.3732, 1.3732, 1.3733, 1.3731, 1.2616],
  MS: [1.1795, 1.1792, 1.1833, 1.1828, 1.1804],
  LUD: [1.0984, 1.0978, 1.0943, 1.0983, 1.0003],
  NQU: [1.153, 1.1527, 1.1528, 1.066, 1.0659],
  SRAD: [1.1978, 1.1943, 1.156, 1.1776, 0.9957],
  DCT: [1.0165, 1.0157, 1.0159, 1.0002, 0.9956],
};

/** Table "Average Compile Time": device code, seconds. */
export const PAPER_COMPILE_TIME: Readonly<Record<string, { readonly O3: number; readonly darm: number }>> = {
  BIT: { O3: 0.4804, darm: 0.5018 },
  PCM: { O3: 0.569, darm: 0.5942 },
  MS: { O3: 0.8037, darm: 0.8064 },
  LUD: { O3: 0.5993, darm: 0.6294 },
  NQU: { O3: 0.4687, darm: 0.4738 },
  SRAD: { O3: 0.4999, darm: 0.5121 },
  DCT: { O3: 0.4398, darm: 0.4439 },
};
