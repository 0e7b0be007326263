/**
 * Whether melds are worth the waves that they cost. Melded code may need more vector registers, and then a SIMD holds
 * fewer waves. The cost model does not see that; code generation does, but it takes long. It is asked where melds make
 * notably more values live at one place, and gain less than the fewest waves that these values allow would cost a usual
 * function (melding/cost/waves.ts). For all other functions, live values are counted, and nothing more is done.
 *
 * What is asked is LLVM's own number, the comment `Occupancy` behind a kernel in its assembly: it knows registers of all
 * kinds, LDS and the sizes of work groups. Code is generated of the kernel alone, so nothing depends on what else has
 * been melded. Kernels that call functions are left out, because they share registers with these. So are early meld
 * points: there, LLVM's pipeline is still to come.
 */
import { vectorPressure } from '../analysis/pressure.js';
import type { Analyses } from '../analysis/analyses.js';
import { Sinking } from '../analysis/sinking.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import { FunctionFlag, hasCalls, type FunctionSnapshot } from '../ir/snapshot.js';
import { expectedGain, type ExpectedCycles } from '../melding/cost/expected-cycles.js';
import { costsOf } from '../melding/cost/target-costs.js';
import { leastWaves, slowdown } from '../melding/cost/waves.js';
import { prepareFunction, type Compilation } from './compilation.js';
import { cyclesInOwnModule, isNameable } from './function-gain.js';
import { generateCode } from './generate-code.js';
import { meldsEarly } from './passes.js';

/**
 * Melds that raise the number of live values by less are not judged. Without more of them, code generation needs about
 * as many registers as before: of some 120 melded kernels none lost more than one wave of eight.
 */
const LEAST_RISE = 1.06;

interface Surveyed {
  readonly snapshot: FunctionSnapshot;
  readonly analyses: Analyses;
}

/** How many words of vector values are live at one place in a function whose melds are judged; null for others. */
export function liveWords(
  { options, generates }: Compilation,
  module: LlvmModule,
  { snapshot, analyses }: Surveyed,
): number | null {
  const isJudged =
    generates &&
    options.profit === 'net' &&
    !meldsEarly(options) &&
    module.isAmdgcn &&
    (snapshot.flags & FunctionFlag.Kernel) !== 0 &&
    isNameable(snapshot.name) &&
    !hasCalls(snapshot);
  return isJudged ? liveWordsOf(snapshot, analyses) : null;
}

/** Code generation sinks first. What moves together to one place needs as much there as where it was. */
const liveWordsOf = (fn: FunctionSnapshot, analyses: Analyses): number =>
  Math.max(vectorPressure(fn, analyses), vectorPressure(fn, analyses, new Sinking(fn, analyses).home));

/**
 * Why melds are taken back; null if they are worth their waves.
 *
 * @param module the one that the melded function is in
 * @param before what `liveWords` said in front of the first round
 */
export function lossOfWaves(
  compilation: Compilation,
  module: LlvmModule,
  { snapshot, analyses }: Surveyed,
  before: number,
): string | null {
  const { name, cpu, waveSize } = snapshot;
  const live = liveWordsOf(snapshot, analyses);
  const usual = costsOf(cpu).residentWaves;
  const least = leastWaves(cpu, waveSize, live);
  if (live < LEAST_RISE * before || least >= usual) return null;

  const asMelded = (): LlvmModule => module;
  const unmelded = (): LlvmModule => compilation.readAtMeldPoint();
  const cyclesOf = (from: () => LlvmModule): ExpectedCycles | null =>
    module.peek(() => cyclesInOwnModule(from(), name, compilation.options));
  const cycles = cyclesOf(unmelded);
  const melded = cyclesOf(asMelded);
  // A kernel that nobody sees cannot run.
  if (cycles === null || melded === null) return null;
  const gain = expectedGain(cycles, melded);
  /** Where no waves are lost, it does not matter what the melds gain. */
  const isWorth = (from: number, to: number): boolean => to >= from || gain >= slowdown(cpu, from, to);
  if (isWorth(usual, least)) return null;

  const after = wavesOf(module, name, asMelded, true);
  if (after === null || isWorth(usual, after)) return null;
  const without = wavesOf(module, name, unmelded, false);
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
