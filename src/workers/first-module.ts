/** How the first part of LLVM or of clang becomes a module under a tier policy. */
import { compileBytes, type MakeFirst } from '../binding/load.js';
import { readPrepared } from './prepared-code.js';
import { compileAhead, setTierPolicy, type TierPolicy } from './tier-policy.js';

/** From prepared code, where there is some that fits; else compiled ahead. Sets the policy. */
export function underPolicy(policy: TierPolicy): MakeFirst {
  setTierPolicy(policy);
  return async (bytes, facts, isWhole) => {
    const prepared = isWhole ? null : await readPrepared(bytes, facts);
    if (prepared !== null) return { first: prepared, prepared: true };
    const compile = (): Promise<WebAssembly.Module> => compileBytes(bytes);
    return { first: await (isWhole ? compile() : compileAhead(compile)), prepared: false };
  };
}
