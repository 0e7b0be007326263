/**
 * Labels of melds, and which blocks of a picture have which label. `M2` is the second meld of a function; `M2.3` is its
 * third block, if it has several. A block is labelled with the melded block that it will become a side of, and with the
 * melded blocks that it holds.
 */
import { NONE } from '../../ir/ids.js';
import type { FunctionHistory, FunctionPicture, MeldedPlace } from '../../job/history.js';

/** Says that a block is a side of a melded block, or holds one. */
export interface Tag {
  readonly label: string;
  /** Index of the colour. */
  readonly color: number;
  /** The side that it is before melding; null: it holds the melded block. */
  readonly side: 'T' | 'F' | null;
}

export class MeldLabels {
  /** By step: the number of melds in earlier steps. */
  private readonly firsts: number[] = [];
  /** By step and meld: the number of melded blocks before it. */
  private readonly firstColors: number[][] = [];

  constructor(private readonly history: Pick<FunctionHistory, 'steps'>) {
    let melds = 0;
    let blocks = 0;
    for (const step of history.steps) {
      this.firsts.push(melds);
      melds += step.melds.length;
      this.firstColors.push(step.melds.map((meld) => (blocks += meld.blocks.length) - meld.blocks.length));
    }
  }

  /** `M2` */
  meld(step: number, meld: number): string {
    return `M${this.firsts[step]! + meld + 1}`;
  }

  /** `M2.3`, or `M2` if the meld has only one block. */
  block({ step, meld, block }: MeldedPlace): string {
    const several = this.history.steps[step]!.melds[meld]!.blocks.length > 1;
    return this.meld(step, meld) + (several ? `.${block + 1}` : '');
  }

  color({ step, meld, block }: MeldedPlace): number {
    return this.firstColors[step]![meld]! + block;
  }
}

/** Tags by block of `picture`, which is the one before step `at`, or the one after the last step. */
export function tagsOf(history: Pick<FunctionHistory, 'steps'>, at: number, picture: FunctionPicture): Tag[][] {
  const labels = new MeldLabels(history);
  const tag = (place: MeldedPlace, side: Tag['side']): Tag => ({
    label: labels.block(place),
    color: labels.color(place),
    side,
  });
  const comes = new Map<number, Tag>();
  for (let step = at; step < history.steps.length; step++) {
    const { before, melds } = history.steps[step]!;
    for (const [meld, { blocks }] of melds.entries())
      for (const [block, pair] of blocks.entries())
        for (const [id, side] of [
          [pair.t, 'T'],
          [pair.f, 'F'],
        ] as const)
          // prettier-ignore
          if (id !== NONE) comes.set(before.blocks[id]!.identity, tag({ step, meld, block }, side));
  }
  return picture.blocks.map(({ identity, holds }) => {
    const next = comes.get(identity);
    return [...(next === undefined ? [] : [next]), ...holds.map((place) => tag(place, null))];
  });
}
