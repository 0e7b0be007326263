/** How the parts of LLVM and of clang become modules under a tier policy. */
import type { Make } from '../binding/load.js';
import { compileAhead } from '../platform/compile.js';
import { platform } from '../platform/index.js';
import type { ModulePart } from '../platform/interface.js';
import { readPrepared } from './prepared-code.js';
import { setTierPolicy, type TierPolicy } from './tier-policy.js';

/**
 * The first part, and what else is needed, from prepared code, where there is some that fits; else compiled ahead. Sets
 * the policy.
 *
 * @param needed names of further parts
 * @param first how the first part is compiled: lazily where a job calls little of it
 */
export function underPolicy(
  policy: TierPolicy,
  needed: readonly string[] = [],
  first: 'ahead' | 'lazily' = 'ahead',
): Make {
  setTierPolicy(policy);
  return {
    needed,
    async first(part, facts, isWhole) {
      const prepared = isWhole ? null : await readPrepared(part, facts);
      if (prepared !== null) return { first: prepared, prepared: true };
      if (isWhole) return { first: await part.compile(), prepared: false };
      const made = first === 'lazily' ? makeLazily(part) : compileAhead(() => part.compile());
      return { first: await made, prepared: false };
    },
    ahead: async (part, facts) => (await readPrepared(part, facts)) ?? compileAhead(() => part.compile()),
    lazily: makeLazily,
  };
}

/** At once on this thread, so that V8 is told "lazily" for this part alone. */
async function makeLazily(part: ModulePart): Promise<WebAssembly.Module> {
  // V8 begins to compile other parts on this thread, and goes on on others.
  await platform.nextTurn();
  return part.use((bytes) => platform.compileNow(bytes));
}
