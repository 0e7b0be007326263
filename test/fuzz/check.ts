/** Compiles a module with and without melding, executes both in the simulator and compares memory. */
import type { JobOptions } from '../../src/job/options.js';
import type { Launch } from '../campaign/execute-host.js';
import { difference, messageOf, type Bench, type Code, type Memory } from './bench.js';
import { RANDOM } from './random-plan.js';
import type { Site, Variant } from './variants.js';

/**
 * `result`: other memory, or a simulated fault. `bailout`: melding gave up a function. `error`: no code was generated.
 */
export interface Finding {
  readonly kind: 'result' | 'bailout' | 'error';
  readonly kernel: string;
  readonly variant: Variant;
  readonly how: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Names of the kernels that were melded, by variant. */
  readonly melded: ReadonlyMap<Variant, ReadonlySet<string>>;
  /** Why kernels cannot be used, by name: LLVM refuses them, or their unmelded code faults. */
  readonly unusable: ReadonlyMap<string, string>;
}

/** A module for one site; its kernels are those that the launches name. */
export interface Subject {
  /** The IR to be compiled. */
  readonly ir: string;
  /** The same IR with all variables in memory. */
  readonly raw: string;
  readonly launches: readonly Launch[];
}

/** With the plan `RANDOM` for a random one. */
export const optionsOf = ({ target: _, ...options }: Site | Variant): Partial<JobOptions> => ({
  ...options,
  plan: 'plan' in options && options.plan === 'planned' ? RANDOM : null,
});

/** @param variants all for the same site */
export async function check(
  bench: Bench,
  { ir, launches }: Subject,
  site: Site,
  variants: readonly Variant[],
): Promise<Checked> {
  const findings: Finding[] = [];
  const melded = new Map<Variant, Set<string>>();
  const unusable = new Map<string, string>();
  let plain: Code;
  try {
    plain = await bench.code(ir, { ...optionsOf(site), meld: 'off' });
  } catch (error) {
    for (const { kernel } of launches) unusable.set(kernel, messageOf(error));
    return { findings, melded, unusable };
  }
  const expected = new Map<string, Memory>();
  for (const variant of variants) {
    let code: Code;
    try {
      code = await bench.code(ir, optionsOf(variant));
    } catch (error) {
      for (const { kernel } of launches) findings.push({ kind: 'error', kernel, variant, how: messageOf(error) });
      continue;
    }
    for (const { name, bailout } of code.functions)
      if (bailout !== null) findings.push({ kind: 'bailout', kernel: name, variant, how: bailout });
    melded.set(variant, new Set(code.functions.filter(({ melds }) => melds.length > 0).map(({ name }) => name)));
    if (Buffer.compare(code.bytes, plain.bytes) === 0) continue;
    for (const launch of launches) {
      const { kernel } = launch;
      const want = expected.get(kernel) ?? (await bench.execute(plain, launch));
      expected.set(kernel, want);
      if (typeof want === 'string') {
        unusable.set(kernel, want);
        continue;
      }
      const how = difference(want, await bench.execute(code, launch));
      if (how !== null) findings.push({ kind: 'result', kernel, variant, how });
    }
  }
  return { findings, melded, unusable };
}
