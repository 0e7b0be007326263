/**
 * How many workgroups a compute unit holds at once. The rules are those of LLVM's occupancy computation
 * (AMDGPUBaseInfo.cpp, IsaInfo), the limits are in constants.ts.
 */
import type { SimulatedTarget } from '../target.js';
import { timingConstants, type TimingConstants } from './constants.js';

export interface WaveResources {
  /** VGPRs per lane; where AGPRs share their file (gfx90a, gfx942), both together. */
  readonly vgprs: number;
  readonly sgprs: number;
  /** Per workgroup, static and dynamic. */
  readonly ldsBytes: number;
  readonly wavesPerWorkgroup: number;
  readonly waveSize: 32 | 64;
}

/** Waves that one SIMD holds, as far as registers and wave slots go. At least 1. */
function wavesPerSimd(target: SimulatedTarget, { occupancy }: TimingConstants, resources: WaveResources): number {
  // Half as many lanes, twice as many registers in each.
  const wide = resources.waveSize === 64 || target.defaultWaveSize === 64 ? 1 : 2;
  const granule = occupancy.vgprGranule * wide;
  const vgprs = Math.max(granule, Math.ceil(resources.vgprs / granule) * granule);
  const bySgprs = occupancy.sgprs.find(([limit]) => resources.sgprs <= limit)?.[1] ?? occupancy.wavesPerSimd;
  return Math.max(1, Math.min(occupancy.wavesPerSimd, bySgprs, Math.floor((occupancy.vgprs * wide) / vgprs)));
}

/** Workgroups resident on one compute unit. At least 1, because whether a launch fits at all is checked elsewhere. */
export function residentWorkgroups(target: SimulatedTarget, resources: WaveResources): number {
  const constants = timingConstants(target);
  const { occupancy } = constants;
  const slots = wavesPerSimd(target, constants, resources) * constants.simds;
  const byWaves = Math.floor(slots / resources.wavesPerWorkgroup);
  const lds = Math.ceil(resources.ldsBytes / occupancy.ldsGranule) * occupancy.ldsGranule;
  const byLds = lds === 0 ? Infinity : Math.floor(occupancy.ldsBytes / lds);
  const byBarriers = resources.wavesPerWorkgroup > 1 ? occupancy.workgroups : Infinity;
  return Math.max(1, Math.min(byWaves, byLds, byBarriers));
}
