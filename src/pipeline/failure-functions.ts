/**
 * Functions that only failed checks call: `__assert_fail`, which HIP's headers define, and what it calls to print. Hardly
 * any thread runs them, so they stay as they are where melding is to save time. With a single `assert` they are ten times
 * as long as a small kernel.
 */
import { endsProgram } from '../analysis/dead-ends.js';
import type { BlockPtr } from '../binding/abi.js';
import type { LlvmModule } from '../binding/module.js';
import type { BlockId } from '../ir/ids.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';

/**
 * Those that are only called, and only where nobody comes back from the call, or by such functions themselves. (But none
 * that ends the program: its threads may be done.)
 */
export function functionsOfFailures(module: LlvmModule): ReadonlySet<string> {
  const found = new Set<string>();
  const inside = new Set<BlockPtr>();
  /** By function: the blocks with calls of which it is not known. */
  const open = new Map<string, readonly BlockPtr[]>();
  for (const { name, kernel } of module.functions()) {
    const calls = kernel ? null : module.callsOf(name);
    if (calls === null || calls.length === 0) continue;
    open.set(
      name,
      calls.flatMap(({ block, isLast }) => (isLast ? [] : [block])),
    );
  }
  for (;;) {
    const more = [...open].flatMap(([name, blocks]) => (blocks.every((block) => inside.has(block)) ? [name] : []));
    for (const name of more) {
      open.delete(name);
      if (!mayEndProgram(module.look(name).snapshot)) found.add(name);
    }
    if (more.length === 0 || open.size === 0) return found;
    for (const name of more) if (found.has(name)) for (const block of module.blocksOf(name)) inside.add(block);
  }
}

function mayEndProgram(fn: FunctionSnapshot): boolean {
  for (let b = 0; b < fn.blockCount; b++) if (endsProgram(fn, b as BlockId)) return true;
  return false;
}
