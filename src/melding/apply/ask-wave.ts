/** Makes versions per wave (plan.ts, `WaveVersion`). */
import type { Editor, ValueRef } from '../../ir/editor.js';
import type { WaveVersion } from '../plan.js';

/**
 * What stands in front of the branch for one side alone goes where it is needed: into the copy of that side, and to the
 * waves that part. Code generation would leave it in front, since no other block dominates both places.
 */
export function askWave(editor: Editor, { branch, join, sides, sunk }: WaveVersion): void {
  const block = editor.block(branch);
  const terminator = editor.instructions(block).at(-1)!;
  // The copy takes along what stands in its side.
  const inside = sunk.map(({ instr, to }) => {
    const target = editor.block(to);
    return {
      id: instr,
      copy: moved(editor, editor.instructions(target)[editor.phis(target).length]!, editor.instr(instr)),
    };
  });
  editor.askWave(block, editor.block(join), sides);
  // The plans of the melds know it in front of the branch.
  for (const { id, copy } of inside.reverse()) editor.replaceInstr(id, moved(editor, terminator, copy));
}

/** A copy takes the place of the original. */
function moved(editor: Editor, before: ValueRef, original: ValueRef): ValueRef {
  const copy = editor.cloneBefore(before, original);
  editor.replaceAllUses(original, copy);
  editor.erase(original);
  return copy;
}
