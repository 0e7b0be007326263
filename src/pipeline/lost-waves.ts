/**
 * Whether melds are worth the waves that they cost. Melded code may need more vector registers, and then a SIMD holds
 * fewer waves. The cost model does not see that; code generation does. It is asked where that may decide: where so many
 * values are live that a SIMD may hold fewer waves than usual, and the melds gain less than these waves cost a usual
 * function (melding/cost/waves.ts). For most functions, only the live values are counted.
 *
 * What is asked is LLVM's own number, the comment `Occupancy` behind a kernel in its assembly: it knows registers of all
 * kinds, LDS and the sizes of work groups. Code is generated of the kernel alone, so nothing depends on what else has
 * been melded. Kernels that call functions are left out, because they share registers with these. So are early meld
 * points: there, LLVM's pipeline is still to come.
 */
import type { Analyses } from '../analysis/analyses.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { InstrId } from '../ir/ids.js';
import { FunctionFlag, hasFlag, InstrFlag, type FunctionSnapshot } from '../ir/snapshot.js';
import { costsOf } from '../melding/cost/latency.js';
import { leastWaves, slowdown } from '../melding/cost/waves.js';
import { prepareFunction, type Compilation } from './compilation.js';
import { isNameable } from './function-gain.js';
import { generate } from './generate.js';
import { meldsEarly } from './passes.js';

interface Surveyed {
  readonly snapshot: FunctionSnapshot;
  readonly analyses: Analyses;
}

/** Whether melds of a function may cost waves. @param found the function without melds */
export function mayLoseWaves(
  { options, generates }: Compilation,
  module: LlvmModule,
  { snapshot, analyses }: Surveyed,
): boolean {
  return (
    generates &&
    options.profit === 'net' &&
    !meldsEarly(options) &&
    module.isAmdgcn &&
    (snapshot.flags & FunctionFlag.Kernel) !== 0 &&
    isNameable(snapshot.name) &&
    isCrowded(snapshot, analyses) &&
    !hasCalls(snapshot)
  );
}

const isCrowded = (fn: FunctionSnapshot, analyses: Analyses): boolean =>
  leastWaves(fn, analyses) < costsOf(fn.cpu).residentWaves;

function hasCalls(fn: FunctionSnapshot): boolean {
  for (let i = 0 as InstrId; i < fn.instrCount; i++) if (hasFlag(fn, i, InstrFlag.Call)) return true;
  return false;
}

/** The bitcode of a function and of what it needs. */
export const takenAlone = (module: LlvmModule, name: string): Uint8Array =>
  module.peek(() => {
    module.keepOnly([name]);
    return module.bitcode();
  });

export interface MeldedFunction extends Surveyed {
  /** The module that the melded function is in. */
  readonly module: LlvmModule;
  /** How much faster its melds make it, by the cost model. */
  readonly gain: number;
  /** The function without melds, taken alone. */
  readonly unmelded: Uint8Array;
}

/** Why melds are taken back; null if they are worth their waves. */
export function lossOfWaves(compilation: Compilation, melded: MeldedFunction): string | null {
  const { module, gain, unmelded, snapshot, analyses } = melded;
  const { name, cpu } = snapshot;
  const usual = costsOf(cpu).residentWaves;
  /** Where no waves are lost, nobody asks what the melds gain. */
  const isWorth = (before: number, after: number): boolean => gain >= slowdown(cpu, before, after) || after >= before;
  if (isWorth(usual, leastWaves(snapshot, analyses))) return null;
  const after = wavesOf(module, () => {
    module.keepOnly([name]);
    prepareFunction(module, name);
    generate(module, 'asm', true);
    return module;
  });
  if (after === null || isWorth(usual, after)) return null;
  const before = wavesOf(module, () => {
    const alone = compilation.readAlone(unmelded);
    generate(alone, 'asm', false);
    return alone;
  });
  if (before === null || isWorth(before, after)) return null;
  return (
    `a SIMD would hold ${after} waves instead of ${before}, for want of registers, which costs more than all melds ` +
    `of the function gain: they would make it ${gain.toFixed(2)} times as fast`
  );
}

/** How many waves a SIMD holds of the one kernel of a module. Null if no code can be generated. Leaves no trace. */
function wavesOf(module: LlvmModule, generated: () => LlvmModule): number | null {
  try {
    return module.peek(() => {
      const found = new TextDecoder().decode(generated().generated()).match(/^; Occupancy: \d+$/gm);
      return found === null ? null : Number(found.at(-1)!.split(' ').at(-1));
    });
  } catch (error) {
    // Whether anything can be done about it shows when the module is emitted (take-back.ts).
    if (error instanceof DarmError) return null;
    throw error;
  }
}
