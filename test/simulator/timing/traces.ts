/** Programs and traces for the tests of the cycle estimate. */
import type { Program } from '../../../src/simulator/program.js';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { makeTimingModel, type TimingModel } from '../../../src/simulator/timing/model.js';
import type { WaveResources } from '../../../src/simulator/timing/occupancy.js';
import { TRACE_INDEX_BITS, WaveTrace } from '../../../src/simulator/workgroup.js';
import { assemble } from '../../support/simulator.js';

/** A static instruction by its number, or with the transactions that it made. */
export type Step = number | readonly [index: number, transactions: number];

export function trace(steps: readonly Step[]): WaveTrace {
  const made = new WaveTrace();
  for (const step of steps) {
    const [index, transactions] = typeof step === 'number' ? [step, 0] : step;
    made.push((index | (transactions << TRACE_INDEX_BITS)) >>> 0);
  }
  return made;
}

export const upTo = (end: number): number[] => Array.from({ length: end + 1 }, (_, index) => index);

export const resources = (some: Partial<WaveResources> = {}): WaveResources => ({
  vgprs: 24,
  sgprs: 32,
  ldsBytes: 0,
  wavesPerWorkgroup: 1,
  waveSize: 64,
  ...some,
});

/** The program of some lines; `s_endpgm` is instruction number `lines.length`. */
export async function program(cpu: string, lines: readonly string[]): Promise<Program> {
  return (await assemble(cpu, lines)).program;
}

/** Cycles of a few workgroups, started in this order as places become free. */
export function run(model: TimingModel, workgroups: readonly (readonly WaveTrace[])[]): number {
  const estimate = model.estimate();
  for (const workgroup of workgroups) estimate.add(workgroup);
  return estimate.cycles();
}

/**
 * Cycles of one workgroup. Without `waves`, one wave that executes the lines from first to last.
 * @param waves per wave, the instructions that it executes
 */
export async function cycles(
  cpu: string,
  lines: readonly string[],
  waves?: readonly (readonly Step[])[],
): Promise<number> {
  const workgroup = (waves ?? [upTo(lines.length)]).map(trace);
  const target = simulatedTarget(cpu);
  const model = makeTimingModel(
    await program(cpu, lines),
    target,
    resources({ waveSize: target.defaultWaveSize, wavesPerWorkgroup: workgroup.length }),
  );
  return run(model, [workgroup]);
}
