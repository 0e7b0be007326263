/**
 * How many waves a SIMD holds. Where melded code needs more vector registers, fewer waves fit beside each other, and they
 * hide less of each other's waiting. What that costs depends on what a function waits for, but an estimate of it turned
 * out no better than what kernels lose on average: with n waves, a SIMD takes 1 + (h / n)² times as long as with any
 * number (docs/melding.md, rule 7, has the measurements).
 */
import { vectorPressure } from '../../analysis/pressure.js';
import type { Analyses } from '../../analysis/analyses.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { costsOf } from './latency.js';

/** Registers that code generation uses, at most, for each that must be live. Measured: 1.9, usually 1.0 to 1.4. */
const MOST_FOR_LIVE = 2;

/** How many waves a SIMD surely holds, by what must be live; more than usual do not count. */
export function leastWaves(fn: FunctionSnapshot, analyses: Analyses): number {
  const { residentWaves, roomyRegisters } = costsOf(fn.cpu);
  const registers = (MOST_FOR_LIVE * vectorPressure(fn, analyses) * fn.waveSize) / 64;
  return registers <= roomyRegisters ? residentWaves : (residentWaves * roomyRegisters) / registers;
}

/** How much longer a usual function takes with some number of waves than with another one. */
export function slowdown(cpu: string, before: number, after: number): number {
  const { residentWaves, halfSpeedWaves } = costsOf(cpu);
  const time = (waves: number): number => 1 + (halfSpeedWaves / Math.min(waves, residentWaves)) ** 2;
  return time(after) / time(before);
}
