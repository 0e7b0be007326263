/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginLlvm, type Make } from '../binding/load.js';
import { beginFrontend } from '../binding/load-frontend.js';
import { underPolicy } from '../workers/make-under-policy.js';

export function beginForBitcode(): void {
  beginLlvm(underPolicy('short'));
}

/** clang, and LLVM after it. */
export function beginForSource(): void {
  const clang = underPolicy('short');
  let clangIsMade = (): void => {};
  const clangFirst = new Promise<void>((resolve) => (clangIsMade = resolve));
  const makeClang: Make = { ...clang, first: (...first) => clang.first(...first).finally(clangIsMade) };
  // LLVM is compiled while clang runs, and does not take processors away from what clang waits for.
  const llvm = underPolicy('short', ['optimiser']);
  const makeLlvm: Make = {
    ...llvm,
    first: (...first) => clangFirst.then(() => llvm.first(...first)),
    ahead: (...part) => clangFirst.then(() => llvm.ahead(...part)),
  };
  beginFrontend(makeClang).catch(clangIsMade);
  beginLlvm(makeLlvm);
}
