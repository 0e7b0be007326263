/** How the first part of LLVM becomes a module under a tier policy. */
import { compileBytes, type MakeFirst } from '../binding/load.js';
import { readPrepared } from './prepared-code.js';
import { compileAhead, setTierPolicy, type TierPolicy } from './tier-policy.js';

/** From prepared code, where there is some that fits; else compiled ahead. Sets the policy for what comes after. */
export const underPolicy =
  (policy: TierPolicy): MakeFirst =>
  async (bytes, facts, isWhole) => {
    // Prepared code fits V8's flags as they are without a policy.
    const prepared = isWhole ? null : await readPrepared(bytes, facts);
    setTierPolicy(policy);
    if (prepared !== null) return { first: prepared, prepared: true };
    const compile = (): Promise<WebAssembly.Module> => compileBytes(bytes);
    return { first: await (isWhole ? compile() : compileAhead(compile)), prepared: false };
  };
