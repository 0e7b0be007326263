/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginCompiling, compileFirst } from '../binding/load.js';
import { underPolicy } from '../workers/first-module.js';

export function beginLlvm(): void {
  beginCompiling(() => compileFirst(underPolicy('short')));
}
