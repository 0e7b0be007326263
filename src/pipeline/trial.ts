/**
 * The steps of `darm tune` that need LLVM. Kernels are taken out of their module at the meld point once, and then one
 * of them is melded, and compiled, in one way after the other.
 */
import type { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { NO_EVENTS } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import type { Policy, Subject, Trial } from '../job/tuning.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { emitExactly, meldInPlace } from './compile.js';
import { decisionOf, PolicyGuide } from './policy.js';

export function takeOut(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  kernels: readonly string[],
): Subject {
  return inFreshHeap(runtime, () => {
    const module = new Compilation(runtime, bytes, options, NO_EVENTS).readAtMeldPoint();
    module.keepOnly(kernels);
    return { bitcode: module.bitcode(), target: module.cpu };
  });
}

/** One kernel, melded in one way. */
interface Attempt {
  readonly kernel: string;
  readonly policy: Policy;
  /** Hashes of edits whose code is known. */
  readonly known: readonly string[];
}

export function tryPolicy(
  runtime: LlvmRuntime,
  bitcode: Uint8Array,
  options: JobOptions,
  { kernel, policy, known }: Attempt,
): Trial {
  return inFreshHeap(runtime, () => {
    const guideOf = (module: LlvmModule, name: string): PolicyGuide =>
      new PolicyGuide(module, name, (branch) => decisionOf(policy, branch), policy.switches);
    let guide: PolicyGuide | null = null as PolicyGuide | null;
    const compilation = new Compilation(runtime, bitcode, { ...options, functions: [kernel] }, NO_EVENTS, {
      isAtMeldPoint: true,
      guides: (module, name) => (guide = guideOf(module, name)),
    });
    const { module, logs } = meldInPlace(compilation);
    const { rounds, bailout } = logs.find((log) => log.function === kernel)!;
    const trace = guide!.trace(rounds.length);
    const all = rounds.map(({ lowered, versions, melds, hoisted, flattened }) => [
      lowered,
      versions,
      melds,
      hoisted,
      flattened,
    ]);
    const edits = `${trace.fingerprint}${hashOf(JSON.stringify(all))}`;
    const code = known.includes(edits) ? null : emitExactly(compilation, logs, module).artifacts[0]!.bytes;
    return { edits, code, trace, bailout };
  });
}

/** FNV-1a. Should two plans have one hash, a trial counts for another; the plan that comes out is measured itself. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
  return (hash >>> 0).toString(16);
}
