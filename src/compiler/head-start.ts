/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginCompiling, compileFirst } from '../binding/load.js';
import { beginFrontend, compileFrontend } from '../binding/load-frontend.js';
import { compileAhead, setTierPolicy } from '../workers/tier-policy.js';

export function beginLlvm(): void {
  setTierPolicy('short');
  beginCompiling(() => compileFirst(compileAhead));
}

/** The same for clang. */
export function beginClang(): void {
  setTierPolicy('short');
  beginFrontend(() => compileFrontend(compileAhead));
}
