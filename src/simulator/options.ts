/** How to simulate (plain data); in a file of its own so that the command line loads no simulator. */
export interface SimulationOptions {
  /** Most wavefront instructions that one workgroup may execute. */
  readonly maxInstructions: number;
  /** Reading LDS that was never written is an error. */
  readonly checkUninitializedLds: boolean;
  /**
   * LDS accesses need not be aligned, as ROCm sets up its GPUs. LLVM emits them where the source declares such data.
   */
  readonly unalignedLds: boolean;
  /** Races in LDS or global memory are an error (races.ts). Slow, and on one thread. */
  readonly detectRaces: boolean;
  /** Estimate cycles (docs/cycle-model.md). Takes as long again, and threads then share the work in larger pieces. */
  readonly cycles: boolean;
  /**
   * Estimate the cycles that the workgroups would take in a launch of so many that they fill a compute unit all the
   * time: a launch for a simulator is often a small part of a real one. Not together with `profile`.
   */
  readonly fullUnit: boolean;
  /**
   * Make a divergence profile of each launch (docs/profile.md). Several times slower; of no cost when it is off.
   */
  readonly profile: boolean;
}

export const DEFAULT_SIMULATION: SimulationOptions = {
  maxInstructions: 1e8,
  checkUninitializedLds: false,
  unalignedLds: true,
  detectRaces: false,
  cycles: true,
  fullUnit: false,
  profile: false,
};
