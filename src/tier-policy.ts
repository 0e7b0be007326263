/**
 * V8's tier policy for WebAssembly, the one place that sets it. Measured (bench/cold-start): V8's default spends both
 * cores on optimising a module of which a short job runs a fraction, and a process waits for those jobs before it exits.
 *
 * - `short`: baseline code only, validated lazily. For the command.
 * - `long`: baseline code first, tier-up throttled to one background task. For services and long batches.
 *
 * The flags are process-wide and must be set before the module is compiled: the command sets them, the library only when
 * asked. A Node whose V8 no longer knows a flag ignores it.
 */
import v8 from 'node:v8';

export type TierPolicy = 'short' | 'long';

const FLAGS: Record<TierPolicy, readonly string[]> = {
  short: ['--liftoff-only', '--wasm-lazy-validation'],
  long: ['--wasm-num-compilation-tasks=1', '--wasm-lazy-validation'],
};

export function setTierPolicy(policy: TierPolicy): void {
  for (const flag of FLAGS[policy]) v8.setFlagsFromString(flag);
}
