/**
 * How many waves a SIMD holds. Where melded code needs more vector registers, fewer waves fit beside each other, and
 * they hide less of each other's waiting. What that costs depends on what a function waits for, but an estimate of it
 * turned out no better than what kernels lose on average: with n waves, a SIMD takes 1 + (h / n)² times as long as with
 * any number (docs/melding.md, rule 7, has the measurements).
 */
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { costsOf } from './target-costs.js';
import { MOST_THREADS } from './work-group.js';

/** Registers that code generation may use for each that must be live. Measured: 1.0 to 1.4, seldom up to 1.9. */
const MOST_FOR_LIVE = 1.5;

/**
 * How many waves a SIMD holds in all likelihood, or more; more than usual do not count.
 *
 * @param live words of vector values that are live at one place (analysis/pressure.ts)
 */
export function leastWaves(cpu: string, waveSize: number, live: number): number {
  const { residentWaves, roomyRegisters } = costsOf(cpu);
  const registers = (MOST_FOR_LIVE * live * waveSize) / 64;
  return registers <= roomyRegisters ? residentWaves : (residentWaves * roomyRegisters) / registers;
}

/**
 * The most waves of a SIMD for whose work groups LDS has room, as LLVM counts them (AMDGPUSubtarget,
 * `getOccupancyWithWorkGroupSizes`). Other limits may allow fewer. Of LDS that a launch adds, nothing is known.
 */
export function wavesWithLds({
  cpu,
  waveSize,
  mostThreads,
  ldsBytes,
}: Pick<FunctionSnapshot, 'cpu' | 'waveSize' | 'mostThreads' | 'ldsBytes'>): number {
  const bytes = ldsBytes();
  // The size of an array is not known.
  if (bytes === Infinity) return Infinity;
  const groups = Math.floor((SIMDS * costsOf(cpu).ldsBytes) / bytes);
  return Math.max(1, Math.ceil((groups * Math.ceil((mostThreads || MOST_THREADS) / waveSize)) / SIMDS));
}

/** Of a compute unit, or of the two that share their LDS. */
const SIMDS = 4;

/** How much longer a usual function takes with some number of waves than with another one. */
export function slowdown(cpu: string, before: number, after: number): number {
  const { residentWaves, halfSpeedWaves } = costsOf(cpu);
  const time = (waves: number): number => 1 + (halfSpeedWaves / Math.min(waves, residentWaves)) ** 2;
  return time(after) / time(before);
}
