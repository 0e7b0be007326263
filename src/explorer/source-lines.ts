/**
 * From which lines of the source the blocks of a function come: by debug information or, where the source is IR, by the
 * blocks' names. A melded block comes from where its sides came from.
 */
import { NONE } from '../ir/ids.js';
import type { FunctionHistory, FunctionPicture } from '../job/history.js';
import type { BlockLines } from './listing.js';

/** By block, of one picture. */
type PictureLines = readonly (readonly number[])[];

export function picturesOf({ steps, after }: FunctionHistory): FunctionPicture[] {
  return [...steps.map(({ before }) => before), after];
}

/**
 * By picture and block.
 *
 * @param named the lines of blocks by their names, for IR
 */
export function linesOfPictures(history: FunctionHistory, named: ReadonlyMap<string, readonly number[]> | undefined) {
  const all: PictureLines[] = [];
  for (const picture of picturesOf(history)) {
    all.push(
      picture.blocks.map((block, b) => {
        const lines = new Set<number>(named?.get(block.name) ?? (b === 0 ? named?.get(ENTRY) : undefined));
        const end = picture.blocks[b + 1]?.first ?? picture.instructions.length;
        for (let i = block.first; i < end; i++) if ((picture.lines[i] ?? 0) > 0) lines.add(picture.lines[i]!);
        for (const place of block.holds) {
          const pair = history.steps[place.step]!.melds[place.meld]!.blocks[place.block]!;
          for (const side of [pair.t, pair.f])
            if (side !== NONE) all[place.step]![side]!.forEach((line) => lines.add(line));
        }
        return [...lines].sort((a, b) => a - b);
      }),
    );
  }
  return all;
}

/** Stands for the first block of a function, whose label may be left out. */
const ENTRY = '';

/** The lines of each block of IR text. */
export function linesOfIr(source: string): BlockLines {
  const functions = new Map<string, Map<string, number[]>>();
  let blocks: Map<string, number[]> | null = null;
  let lines: number[] = [];
  for (const [index, text] of source.split('\n').entries()) {
    if (text.startsWith('define ')) {
      const [, quoted, plain] = /@(?:"([^"]*)"|([-\w.$]+))/.exec(text) ?? [];
      lines = [];
      blocks = new Map([[ENTRY, lines]]);
      functions.set(quoted ?? plain ?? '', blocks);
    } else if (text.startsWith('}')) blocks = null;
    else if (blocks !== null) {
      const label = /^(?:"([^"]*)"|([-\w.$]+)):/.exec(text);
      if (label !== null) {
        // The label of the first block belongs to it.
        if (lines.length > 0) lines = [];
        blocks.set(`%${label[1] ?? label[2]!}`, lines);
      }
      if (text.trim() !== '' && !text.trimStart().startsWith(';')) lines.push(index + 1);
    }
  }
  return functions;
}
