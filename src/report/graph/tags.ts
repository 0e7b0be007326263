/**
 * Labels of melds, and which blocks of a picture carry which: `M2` is the second meld of a function, `M2.3` the third block of it
 * where it has several. A block shows what it will be melded into and by which side, and what it holds that has melded.
 */
import { NONE } from '../../ir/ids.js';
import type { FunctionHistory, FunctionPicture, MeldedPlace } from '../../job/history.js';

/** What a block has to do with a melded block. */
export interface Tag {
  readonly label: string;
  /** Which colour. */
  readonly color: number;
  /** The side it will be melded from; null: it holds what has melded. */
  readonly side: 'T' | 'F' | null;
}

export class MeldLabels {
  /** By step: how many melds came before. */
  private readonly firsts: number[] = [];
  /** By step and meld: how many melded blocks came before. */
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

  /** `M2.3`, or `M2` where there is one block only. */
  block({ step, meld, block }: MeldedPlace): string {
    const several = this.history.steps[step]!.melds[meld]!.blocks.length > 1;
    return this.meld(step, meld) + (several ? `.${block + 1}` : '');
  }

  color({ step, meld, block }: MeldedPlace): number {
    return this.firstColors[step]![meld]! + block;
  }
}

/** Tags by block of the picture in front of step `at` (or behind the last). */
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
