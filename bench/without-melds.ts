/**
 * The comparator of melded code: all that the compiler does to a module that melds, but no meld. It shows how much of a
 * speed-up comes from the additional passes alone. The compiler itself never makes it: what does not meld is compiled
 * as without melding.
 */
import type { LlvmRuntime } from '../src/binding/runtime.js';
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { tidy } from '../src/pipeline/carry-out.js';
import { Compilation, inFreshHeap } from '../src/pipeline/compilation.js';

/** @param names the functions that would meld; by default, all */
export function codeWithoutMelds(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: Partial<Pick<JobOptions, 'optimize' | 'meldPoint'>>,
  names?: readonly string[],
): Uint8Array {
  return inFreshHeap(runtime, () => {
    const compilation = new Compilation(runtime, bytes, { ...DEFAULT_OPTIONS, ...options }, NO_EVENTS);
    const module = compilation.readAtMeldPoint();
    const wanted = names ?? module.functions().map(({ name }) => name);
    for (const name of wanted) tidy(module, name);
    compilation.finish(module, wanted).generate('obj');
    return module.link();
  });
}
