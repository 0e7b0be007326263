/** Carries out what decide/hoisted-sides.ts found: the work of a side moves in front of its branch. */
import type { Editor } from '../../ir/editor.js';
import type { HoistedSide } from '../plan.js';

export function hoistSide(editor: Editor, { branch, terminator, side, instrs }: HoistedSide): void {
  const from = editor.block(branch);
  const old = editor.block(side);
  for (const id of instrs) {
    const original = editor.instr(id);
    const hoisted = editor.cloneBefore(editor.instr(terminator), original);
    editor.speculate(hoisted);
    editor.replaceAllUses(original, hoisted);
  }
  const [join] = editor.successors(old);
  for (const phi of editor.phis(join!)) {
    const { value } = editor.incoming(phi).find(({ block }) => block === old)!;
    editor.addIncoming(phi, { value, block: from });
  }
  editor.redirect(from, old, join!);
  editor.deleteBlocks([old]);
}
