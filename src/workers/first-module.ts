/** How the first part of LLVM or of clang becomes a module under a tier policy. */
import type { MakeFirst } from '../binding/load.js';
import { readPrepared } from './prepared-code.js';
import { compileAhead, setTierPolicy, type TierPolicy } from './tier-policy.js';

/** From prepared code, where there is some that fits; else compiled ahead. Sets the policy. */
export function underPolicy(policy: TierPolicy): MakeFirst {
  setTierPolicy(policy);
  return async (part, facts, isWhole) => {
    const bytes = await part.bytes();
    const prepared = isWhole ? null : await readPrepared(bytes, facts);
    if (prepared !== null) return { first: prepared, prepared: true };
    return { first: await (isWhole ? part.compile() : compileAhead(() => part.compile())), prepared: false };
  };
}
