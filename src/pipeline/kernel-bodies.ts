/**
 * clang writes the body of an OpenCL kernel `k` into a function of its own, `__clang_ocl_kern_imp_k`, which `k` and
 * kernels that call `k` inline. It is seen from outside, so that LLVM keeps it in the code object, a second time, where
 * nothing can call it: code objects export kernels. Such a spare body stays as it is. Melding it would take as long
 * as melding the kernel, and code generation would treat every function as one that may have been inlined somewhere.
 */
import type { LlvmModule } from '../binding/module.js';

/** What the names of such bodies begin with. */
export const BODY_PREFIX = '__clang_ocl_kern_imp_';

/** The bodies of kernels that nothing calls. Where nothing was inlined (`-O0`), there are none. */
export function spareBodies(module: LlvmModule): ReadonlySet<string> {
  const functions = module.functions();
  const kernels = new Set(functions.flatMap(({ name, kernel }) => (kernel ? [name] : [])));
  const isBody = (name: string): boolean => name.startsWith(BODY_PREFIX) && kernels.has(name.slice(BODY_PREFIX.length));
  return new Set(functions.flatMap(({ name }) => (isBody(name) && !module.isUsed(name) ? [name] : [])));
}

/** LLVM warns that no kernel allocates the LDS of spare bodies. */
export function withoutWarningsAbout(warnings: readonly string[], spare: ReadonlySet<string>): string[] {
  return warnings.filter((warning) => ![...spare].some((name) => warning.includes(`in function ${name} `)));
}
