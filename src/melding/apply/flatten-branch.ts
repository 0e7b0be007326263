/** Carries out what decide/flattened-branches.ts found: selects take the place of a tree of branches. */
import type { Editor, ValueRef } from '../../ir/editor.js';
import type { BlockId } from '../../ir/ids.js';
import type { ChosenValue, FlattenedBranch, ThreadMask } from '../plan.js';

export function flattenBranch(editor: Editor, tree: FlattenedBranch): void {
  const { branch, terminator, join, blocks, instrs, chosen } = tree;
  const root = editor.block(branch);
  const end = editor.instr(terminator);
  for (const id of instrs) {
    const original = editor.instr(id);
    const clone = editor.cloneBefore(end, original);
    editor.speculate(clone);
    editor.replaceAllUses(original, clone);
  }
  const masks = new Map<string, ValueRef>();
  const condition = (of: BlockId | boolean): ValueRef =>
    typeof of === 'boolean' ? editor.bool(of) : editor.condition(editor.block(of));
  const mask = (of: ThreadMask): ValueRef => {
    if (typeof of === 'number') return condition(of);
    const key = JSON.stringify(of);
    let found = masks.get(key);
    if (found === undefined) {
      found = editor.selectBefore(end, condition(of.if), condition(of.t), condition(of.f));
      masks.set(key, found);
    }
    return found;
  };
  for (const { phi, value } of chosen) {
    const incoming = editor.incoming(editor.instr(phi));
    const build = (of: ChosenValue): ValueRef =>
      typeof of === 'number'
        ? incoming.find(({ block }) => block === editor.block(of))!.value
        : editor.selectBefore(end, mask(of.mask), build(of.t), build(of.f));
    const own = incoming.findIndex(({ block }) => block === root);
    const built = build(value);
    if (own >= 0) editor.setOperand(editor.instr(phi), own, built);
    else editor.addIncoming(editor.instr(phi), { value: built, block: root });
  }
  editor.branchTo(root, editor.block(join));
  editor.deleteBlocks(blocks.map((b) => editor.block(b)));
}
