/**
 * Brings values of the guest of a shape to their users. A block of the guest may stand in a place that does not
 * dominate the places of its users, because the host has other paths around it. Guest threads never take those paths.
 * So phis bring the value, with `poison` for the other paths. Phis are made on demand (M. Braun et al., "Simple and
 * Efficient Construction of Static Single Assignment Form", CC 2013), and only where the definition does not dominate.
 */
import { invariant } from '../../errors.js';
import type { BlockRef, Editor, ValueRef } from '../../ir/editor.js';
import { NONE } from '../../ir/ids.js';
import type { MeldedFlow } from './melded-flow.js';

export class ReachingValues {
  /** Index of the melded block that defines a value. */
  private readonly definedIn = new Map<ValueRef, number>();
  private readonly phis = new Map<ValueRef, Map<number, ValueRef>>();
  /** By defining block: the blocks that are reached around it, and those that are reached from it. */
  private readonly around = new Map<number, Uint8Array>();
  private readonly behind = new Map<number, Uint8Array>();

  /**
   * @param heads where the melded blocks begin, and last the exit block, if there is one; complete before `at` is first
   * called
   */
  constructor(
    private readonly editor: Editor,
    private readonly flow: MeldedFlow,
    private readonly heads: readonly BlockRef[],
    private readonly tails: readonly BlockRef[],
    private readonly unifying: BlockRef,
  ) {}

  define(value: ValueRef, index: number): void {
    this.definedIn.set(value, index);
  }

  /** What stands for the value in melded block `index`. In the block that defines it, that is the value itself. */
  at(value: ValueRef, index: number): ValueRef {
    const home = this.definedIn.get(value);
    if (home === undefined || home === index) return value;
    if (this.known(this.around, home, () => this.flow.reachable(0, home))[index] === 0) return value;
    if (this.known(this.behind, home, () => this.flow.reachable(home, NONE))[index] === 0)
      return this.editor.poison(value);
    let phis = this.phis.get(value);
    if (phis === undefined) this.phis.set(value, (phis = new Map<number, ValueRef>()));
    let phi = phis.get(index);
    if (phi !== undefined) return phi;
    const head = this.heads[index];
    invariant(head !== undefined, 'a value behind the blocks is asked for without an exit block');
    phis.set(index, (phi = this.editor.prependPhi(head, value, [])));
    if (index === 0) this.editor.addIncoming(phi, { value: this.editor.poison(value), block: this.unifying });
    for (const from of this.flow.predecessors(index))
      this.editor.addIncoming(phi, { value: this.at(value, from), block: this.tails[from]! });
    return phi;
  }

  private known(table: Map<number, Uint8Array>, home: number, find: () => Uint8Array): Uint8Array {
    let found = table.get(home);
    if (found === undefined) table.set(home, (found = find()));
    return found;
  }
}
