/**
 * What LLVM leaves out of the code without a word: functions that need instructions which the processor lacks, like
 * those of the device libraries that sample images on gfx942 and gfx950. A call of one is undefined, so all that leads
 * to it goes, too. Which functions these are, LLVM's own pass says.
 */
import { isNameable, type LlvmModule } from '../binding/module.js';

const LEAVES_OUT = 'amdgpu-remove-incompatible-functions';

/**
 * A line for each kernel that code is left out of. Leaves no trace in `module`.
 *
 * @param spare functions that nothing calls (kernel-bodies.ts)
 */
export function leftOutWarnings(module: LlvmModule, spare: ReadonlySet<string>): string[] {
  const functions = module.functions();
  // clang itself refuses a kernel that needs such instructions. As a rule, all others are inlined.
  if (!module.isAmdgcn || functions.every(({ name, kernel }) => kernel || spare.has(name))) return [];
  const namesAfter = (change: () => void): Set<string> =>
    module.peek(() => {
      change();
      return new Set(module.functions().map(({ name }) => name));
    });
  const left = namesAfter(() => module.runPasses(LEAVES_OUT));
  const missing = functions.flatMap(({ name }) => (left.has(name) ? [] : [name]));
  if (missing.length === 0) return [];
  return functions.flatMap(({ name, kernel, targetCpu }) => {
    if (!kernel || !isNameable(name)) return [];
    const needed = namesAfter(() => module.keepOnly([name]));
    const found = missing.find((each) => needed.has(each));
    const cpu = module.cpu || targetCpu;
    return found === undefined
      ? []
      : `'${name}' calls '${found}', which needs instructions that ${cpu} lacks: LLVM leaves out all that leads there`;
  });
}
