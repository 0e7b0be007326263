/** Checks for damage that every reader of containers makes: limits on counts, and images that overlap. */
import { DarmError } from '../../errors.js';
import type { OffloadImage } from './image.js';

/** Far more than the targets and translation units of real programs, and few enough to list in memory. */
const MAX_ENTRIES = 65536;

export function checkCount(count: number, what: string): void {
  if (count > MAX_ENTRIES)
    throw new DarmError(
      'bad-input',
      `${what} is damaged: it claims to hold ${count} entries, more than ${MAX_ENTRIES}`,
    );
}

/**
 * Images may not overlap each other or the tables. If they could, a small file might hold so many large images that
 * copying them does not end.
 */
export function checkDisjoint(images: readonly OffloadImage[], head: number, what: string): void {
  let end = head;
  const filled = images.filter(({ span }) => span.size > 0).sort((a, b) => a.span.offset - b.span.offset);
  for (const { id, span } of filled) {
    if (span.offset < end)
      throw new DarmError('bad-input', `${what} is damaged: the image of ${id} overlaps what is before it`);
    end = span.offset + span.size;
  }
}
