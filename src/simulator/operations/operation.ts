/** What an operation is to the rest of the simulator. */
import type { Site } from '../site.js';
import { EXEC, type Step, type Wave } from '../wave.js';

/** Binds one static instruction. Throws only if the instruction does not have the format of the operation. */
export type Operation = (site: Site) => Step;

/** Operations by mnemonic, as the assembler writes it without encoding suffix. */
export type OperationTable = Readonly<Record<string, Operation>>;

/**
 * The step of a comparison that writes its lane mask, a bit per active lane and 0 for the others, to a given place.
 * `v_cmpx` writes EXEC, and on some processors sdst as well.
 */
export function comparison(site: Site, compare: (wave: Wave, destination: number) => void): Step {
  if (!site.instruction.mnemonic.startsWith('v_cmpx_')) {
    const d = site.maskDestination();
    return site.step((w) => compare(w, d));
  }
  if (!site.target.cmpxWritesDestination) {
    const d = site.scalarResult(EXEC, site.maskWords);
    return site.step((w) => compare(w, d));
  }
  const d = site.maskDestination();
  site.after((w) => {
    w.i32[EXEC] = w.i32[d]!;
    w.i32[EXEC + 1] = w.i32[d + 1]!;
    w.execChanged();
  });
  return site.step((w) => compare(w, d));
}

/** The same operation under several names. */
export function named(operation: Operation, ...names: readonly string[]): OperationTable {
  return Object.fromEntries(names.map((name) => [name, operation]));
}
