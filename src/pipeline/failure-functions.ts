/**
 * Functions that only failed checks call: `__assert_fail`, which HIP's headers define, and what it calls to print.
 * Hardly any thread runs them, so they stay as they are where melding is to save time. They may be longer than the
 * kernel.
 */
import { endsProgram } from '../analysis/dead-ends.js';
import type { LlvmModule } from '../binding/module.js';
import type { BlockRef } from '../ir/editor.js';
import type { BlockId } from '../ir/ids.js';

/**
 * Those that are called where no thread comes back from the call, or by such functions themselves, and that are used in
 * no other way. None of them ends the program: there, threads may simply be done.
 */
export function functionsOfFailures(module: LlvmModule): ReadonlySet<string> {
  const found = new Set<string>();
  const inside = new Set<BlockRef>();
  /** By function: the blocks with calls of which it is not known. */
  const open = new Map<string, readonly BlockRef[]>();
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
    if (more.length === 0) return found;
    for (const name of more) {
      open.delete(name);
      const blocks = blocksUnlessItEnds(module, name);
      if (blocks === null) continue;
      found.add(name);
      for (const block of blocks) inside.add(block);
    }
  }
}

/** The blocks of a function; null if one of them ends the program. */
function blocksUnlessItEnds(module: LlvmModule, name: string): BlockRef[] | null {
  const { snapshot, editor } = module.open(name);
  const ids = Array.from({ length: snapshot.blockCount }, (_, b) => b as BlockId);
  const blocks = ids.some((b) => endsProgram(snapshot, b)) ? null : ids.map((b) => editor.block(b));
  editor[Symbol.dispose]();
  return blocks;
}
