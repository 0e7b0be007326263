/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginCompiling, compileFirst } from '../binding/load.js';
import { beginFrontend, compileFrontend } from '../binding/load-frontend.js';
import { underPolicy } from '../workers/first-module.js';

export function beginLlvm(): void {
  beginCompiling(() => compileFirst(underPolicy('short')));
}

/** The same for clang. */
export function beginClang(): void {
  beginFrontend(() => compileFrontend(underPolicy('short')));
}
