/** Carries out what decide/hoisted-sides.ts found: the work of a side moves in front of its branch. */
import type { Editor } from '../../ir/editor.js';
import type { HoistedSide } from '../plan.js';

export function hoistSide(editor: Editor, { branch, terminator, side, instrs, chosen }: HoistedSide): void {
  const from = editor.block(branch);
  const old = editor.block(side);
  for (const id of instrs) {
    const original = editor.instr(id);
    const hoisted = editor.cloneBefore(editor.instr(terminator), original);
    editor.speculate(hoisted);
    editor.replaceAllUses(original, hoisted);
  }
  const [join] = editor.successors(old);
  const isT = editor.successors(from)[0] === old;
  const others = new Map(chosen.map(({ phi, blocks }) => [editor.instr(phi), blocks.map((b) => editor.block(b))]));
  for (const phi of editor.phis(join!)) {
    const incoming = editor.incoming(phi);
    let { value } = incoming.find(({ block }) => block === old)!;
    const blocks = others.get(phi);
    if (blocks !== undefined) {
      const passed = incoming.find(({ block }) => block === blocks[0])!.value;
      const [t, f] = isT ? [value, passed] : [passed, value];
      value = editor.selectBefore(editor.instr(terminator), editor.condition(from), t, f);
      for (const [k, { block }] of incoming.entries()) if (blocks.includes(block)) editor.setOperand(phi, k, value);
    }
    editor.addIncoming(phi, { value, block: from });
  }
  editor.redirect(from, old, join!);
  editor.deleteBlocks([old]);
}
