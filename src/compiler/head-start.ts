/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginCompiling, compileLlvm, type MakeFirst } from '../binding/load.js';
import { beginFrontend, compileFrontend } from '../binding/load-frontend.js';
import { underPolicy } from '../workers/first-module.js';

export function beginLlvm(): void {
  beginCompiling(() => compileLlvm(underPolicy('short')));
}

/** clang, and LLVM after it. */
export function beginBoth(): void {
  const make = underPolicy('short');
  let clangIsMade = (): void => {};
  const clangFirst = new Promise<void>((resolve) => (clangIsMade = resolve));
  const makeClang: MakeFirst = (...first) => make(...first).finally(clangIsMade);
  // LLVM is compiled while clang runs, and does not take processors away from what clang waits for.
  const makeLlvm: MakeFirst = (...first) => clangFirst.then(() => make(...first));
  beginFrontend(() => compileFrontend(makeClang).finally(clangIsMade));
  beginCompiling(() => compileLlvm(makeLlvm));
}
