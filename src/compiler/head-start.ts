/** LLVM is read and compiled before there is a compiler to ask for it, under the tier policy `short`. */
import { beginLlvm, type Make } from '../binding/load.js';
import { beginFrontend } from '../binding/load-frontend.js';
import type { Language } from '../frontend/language.js';
import { underPolicy } from '../workers/make-under-policy.js';

export function beginForBitcode(): void {
  beginLlvm(underPolicy('short'));
}

/**
 * clang, and LLVM after it. OpenCL C calls less than half of the functions in clang's first part, the rest of which are
 * for C++: they are compiled as they are called, on this thread, and LLVM meanwhile on the others.
 */
export function beginForSource(language: Language): void {
  const clang = underPolicy('short', [], language === 'opencl' ? 'lazily' : 'ahead');
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
