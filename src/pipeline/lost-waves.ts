/**
 * Whether melds are worth the waves that they cost. Melded code may need more vector registers, and then a SIMD holds
 * fewer waves. The cost model does not see that; code generation does, but it takes long. It is asked where melds make
 * notably more values live at one place, and gain less than the fewest waves that these values allow would cost a usual
 * function, compared with those for which LDS has room (melding/cost/waves.ts). For all other functions, live values
 * are counted, and nothing more is done.
 *
 * What is asked is LLVM's own number, the comment `Occupancy` behind a kernel in its assembly: it knows registers of
 * all kinds, LDS and the sizes of work groups. Code is generated of the kernel alone, so nothing depends on what else
 * has been melded. Kernels that call functions are left out, because they share registers with these. So are early meld
 * points: there, LLVM's pipeline is still to come.
 */
import { vectorPressure } from '../analysis/pressure.js';
import type { Analyses } from '../analysis/analyses.js';
import { Sinking } from '../analysis/sinking.js';
import { isNameable, type LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import { FunctionFlag, hasCalls, type FunctionSnapshot } from '../ir/snapshot.js';
import { expectedCycles, expectedGain } from '../melding/cost/expected-cycles.js';
import { costsOf } from '../melding/cost/target-costs.js';
import { leastWaves, slowdown, wavesWithLds } from '../melding/cost/waves.js';
import type { ExpectedCycles } from '../melding/plan.js';
import { prepareFunction, type Compilation } from './compilation.js';
import { generateCode } from './generate-code.js';
import { meldsEarly } from './passes.js';
import type { PlannedFunction } from './planned-function.js';

/**
 * Melds that raise the number of live values by less are not judged. Without more of them, code generation needs about
 * as many registers as before: of some 120 melded kernels none lost more than one wave of eight.
 */
const LEAST_RISE = 1.06;

/** Of a kernel in front of its first round. */
export interface BeforeMelds {
  /** How many words of vector values are live at one place. */
  readonly live: number;
  readonly expected: ExpectedCycles;
}

/** What melds of a function are compared with; null where their registers are not judged. */
export function beforeMelds(
  { options, generates }: Compilation,
  module: LlvmModule,
  { snapshot, analyses, plan }: PlannedFunction,
): BeforeMelds | null {
  const isJudged =
    generates &&
    options.profit === 'net' &&
    !meldsEarly(options) &&
    module.isAmdgcn &&
    (snapshot.flags & FunctionFlag.Kernel) !== 0 &&
    isNameable(snapshot.name) &&
    !hasCalls(snapshot);
  if (!isJudged) return null;
  return { live: liveWords(snapshot, analyses), expected: plan.expected ?? expectedCycles(snapshot, analyses) };
}

/** Code generation sinks first. What moves together to one place needs as much there as where it was. */
const liveWords = (fn: FunctionSnapshot, analyses: Analyses): number =>
  Math.max(vectorPressure(fn, analyses), vectorPressure(fn, analyses, new Sinking(fn, analyses).home));

/**
 * Why melds are taken back; null if they are worth their waves.
 *
 * @param module the one that the melded function is in
 */
export function lossOfWaves(
  compilation: Compilation,
  module: LlvmModule,
  { snapshot, analyses }: Pick<PlannedFunction, 'snapshot' | 'analyses'>,
  before: BeforeMelds,
): string | null {
  const { name, cpu, waveSize } = snapshot;
  const live = liveWords(snapshot, analyses);
  const usual = costsOf(cpu).residentWaves;
  const least = Math.max(1, Math.floor(leastWaves(cpu, waveSize, live)));
  if (live < LEAST_RISE * before.live || least >= usual) return null;
  // LLVM prints the module for this, where nobody has asked before.
  const most = Math.min(usual, wavesWithLds(snapshot));
  if (least >= most) return null;

  const gain = expectedGain(before.expected, expectedCycles(snapshot, analyses));
  /** Where no waves are lost, it does not matter what the melds gain. */
  const isWorth = (from: number, to: number): boolean => to >= from || gain >= slowdown(cpu, from, to);
  if (isWorth(most, least)) return null;

  const after = wavesOf(module, name, () => module, true);
  if (after === null || isWorth(most, after)) return null;
  const without = wavesOf(module, name, () => compilation.readAtMeldPoint(), false);
  if (without === null || isWorth(without, after)) return null;
  return (
    `a SIMD would hold ${after} waves instead of ${without}, for want of registers, which costs more than all melds ` +
    `of the function gain: they would make it ${gain.toFixed(2)} times as fast`
  );
}

/** How many waves a SIMD holds of a kernel. Null if no code can be generated. Leaves no trace in `module`. */
function wavesOf(module: LlvmModule, name: string, from: () => LlvmModule, isMelded: boolean): number | null {
  try {
    return module.peek(() => {
      const alone = from();
      alone.keepOnly([name]);
      if (isMelded) prepareFunction(alone, name);
      generateCode(alone, 'asm');
      const found = new TextDecoder().decode(alone.generated()).match(/^; Occupancy: \d+$/gm);
      return found === null ? null : Number(found.at(-1)!.split(' ').at(-1));
    });
  } catch (error) {
    // Whether anything can be done about it shows when the module is emitted (take-back.ts).
    if (error instanceof DarmError) return null;
    throw error;
  }
}
