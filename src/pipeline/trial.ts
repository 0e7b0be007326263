/**
 * The steps of `darm tune` that need LLVM. A kernel is taken out of its module at the meld point once, and then melded
 * and compiled in one way after the other.
 */
import type { LlvmRuntime } from '../binding/runtime.js';
import { NO_EVENTS } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { emit, meldInPlace } from './compile.js';
import { PolicyGuide, type Policy, type Trace } from './policy.js';

/** A kernel with what it needs, where melding begins. */
export interface Subject {
  readonly bitcode: Uint8Array;
  readonly target: string;
}

export interface Trial {
  /** The code object. */
  readonly code: Uint8Array;
  readonly trace: Trace;
  /** Why melding failed half-way, or null. */
  readonly bailout: string | null;
}

export function takeOut(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions, kernel: string): Subject {
  return inFreshHeap(runtime, () => {
    const module = new Compilation(runtime, bytes, options, NO_EVENTS).readAtMeldPoint();
    module.keepOnly([kernel]);
    return { bitcode: module.bitcode(), target: module.cpu };
  });
}

export function tryPolicy(
  runtime: LlvmRuntime,
  bitcode: Uint8Array,
  options: JobOptions,
  kernel: string,
  policy: Policy,
): Trial {
  return inFreshHeap(runtime, () => {
    let guide: PolicyGuide | null = null;
    const compilation = new Compilation(runtime, bitcode, options, NO_EVENTS, {
      isAtMeldPoint: true,
      guides: (module, name) => (name === kernel ? (guide = new PolicyGuide(module, name, policy)) : null),
    });
    const { module, logs } = meldInPlace(compilation);
    const { rounds, bailout } = logs.find((log) => log.function === kernel)!;
    const trace = guide!.trace(rounds.length);
    const { artifacts } = emit(compilation, logs, module);
    return { code: artifacts[0]!.bytes, trace, bailout };
  });
}
