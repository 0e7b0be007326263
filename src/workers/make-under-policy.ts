/** How the parts of LLVM and of clang become modules under a tier policy. */
import type { Make } from '../binding/load.js';
import { platform } from '../platform/index.js';
import { readPrepared } from './prepared-code.js';
import { compileAhead, lazily, setTierPolicy, type TierPolicy } from './tier-policy.js';

/**
 * The first part, and what else is needed, from prepared code, where there is some that fits; else compiled ahead. Sets
 * the policy.
 *
 * @param needed names of further parts
 */
export function underPolicy(policy: TierPolicy, needed: readonly string[] = []): Make {
  setTierPolicy(policy);
  return {
    needed,
    async first(part, facts, isWhole) {
      const prepared = isWhole ? null : await readPrepared(part, facts);
      if (prepared !== null) return { first: prepared, prepared: true };
      return { first: await (isWhole ? part.compile() : compileAhead(() => part.compile())), prepared: false };
    },
    ahead: async (part, facts) => (await readPrepared(part, facts)) ?? compileAhead(() => part.compile()),
    /** At once on this thread, so that V8 is told "lazily" for this part alone. */
    async lazily(part) {
      const bytes = await part.bytes();
      // V8 begins to compile the first part on this thread, and goes on on others.
      await platform.nextTurn();
      return lazily(() => new WebAssembly.Module(bytes));
    },
  };
}
