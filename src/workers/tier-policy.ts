/**
 * V8's tier policy for WebAssembly, the one place that sets it. Measured (bench/cold-start): V8's default spends both
 * cores on optimising a module of which a short job runs a fraction, and a process waits for those jobs before it
 * exits.
 *
 * - `short`: baseline code only, which counts no calls, validated lazily. For the command.
 * - `long`: baseline code first, tier-up throttled to one background task. For services and long batches.
 *
 * The flags are process-wide and must be set before the module is compiled: the command sets them, the library only
 * when asked for a policy or for prepared code. A Node whose V8 no longer knows a flag ignores it. Each flag says only
 * one thing: that `--liftoff-only` also ends tiering holds up to V8 12 only, so tiering is switched off by its own
 * flags.
 */
import v8 from 'node:v8';
import { lazily } from '../platform/compile.js';
import { collectGarbage } from '../platform/garbage.js';

export type TierPolicy = 'short' | 'long';

const FLAGS: Record<TierPolicy, readonly string[]> = {
  short: ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation'],
  long: ['--wasm-num-compilation-tasks=1', '--wasm-lazy-validation'],
};

/** What V8 has without a policy. */
const DEFAULTS: Record<TierPolicy, readonly string[]> = {
  short: ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--no-wasm-lazy-validation'],
  long: ['--wasm-num-compilation-tasks=128', '--no-wasm-lazy-validation'],
};

const policies = new Set<TierPolicy>();

const setFlags = (flags: readonly string[]): void => flags.forEach((flag) => v8.setFlagsFromString(flag));

const V8 = Number.parseInt(process.versions.v8);

/**
 * Lets V8 optimise JavaScript later than it would. By its defaults, each thread of a batch (bench/batch.ts) optimises
 * melding's functions anew, which takes longer than what the optimised code then saves.
 *
 * V8 takes prepared code only under the flags that it was made with. It does not tell their values, so this flag cannot
 * be set back: it is set wherever code is prepared or taken. The V8 of Node 20 counts in another way.
 */
export function optimizeJavaScriptLate(): void {
  if (V8 >= 12) setFlags(['--invocation-count-for-turbofan=30000']);
}

/**
 * Lets baseline code not count calls, as it does since V8 13 for the compiler that inlines them. That is 7 % of a
 * batch's time (bench/batch.ts). Where code is optimised later, the counts are worth their time.
 *
 * Nor can these flags be set back: a function that V8 is compiling at that moment would count calls, and have no place
 * where. The first relies on the second.
 */
export function countNoCalls(): void {
  if (V8 >= 13) setFlags(['--no-wasm-inlining-call-indirect', '--no-wasm-inlining']);
}

export function setTierPolicy(policy: TierPolicy): void {
  policies.add(policy);
  optimizeJavaScriptLate();
  if (policy === 'short') countNoCalls();
  setFlags(FLAGS[policy]);
}

/** Does something with V8's flags as if no policy had been set, whatever is going on on other threads. */
export function withoutPolicy<T>(act: () => T): T {
  for (const policy of policies) setFlags(DEFAULTS[policy]);
  try {
    return lazily(act);
  } finally {
    for (const policy of policies) setFlags(FLAGS[policy]);
  }
}

/**
 * Ends the optimising of modules that nothing refers to any more. A process that ends waits until V8 has optimised what
 * it had in line (measured: 7 s after the `long` policy's first jobs); collecting the module empties the line. The one
 * function that is being optimised at that moment is finished all the same, which no flag of V8 prevents: LLVM has
 * functions that take seconds. For the command, after its compiler is closed.
 */
export async function dropOptimising(): Promise<void> {
  // The first one lets go of what the second one collects.
  for (let turn = 0; turn < 2; turn++) await collectGarbage();
}
