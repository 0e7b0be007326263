/** What no writer of containers does and a reader must not fall for. */
import { DarmError } from '../../errors.js';
import type { OffloadImage } from './image.js';

/** Far more targets and translation units than anybody has; a list of them still fits into memory. */
const MAX_ENTRIES = 65536;

export function checkCount(count: number, what: string): void {
  if (count > MAX_ENTRIES)
    throw new DarmError(
      'bad-input',
      `${what} is damaged: it claims to hold ${count} entries, more than ${MAX_ENTRIES}`,
    );
}

/** No image shares bytes with another or with the tables; where they could, copying might have no end. */
export function checkDisjoint(images: readonly OffloadImage[], head: number, what: string): void {
  let end = head;
  const filled = images.filter(({ span }) => span.size > 0).sort((a, b) => a.span.offset - b.span.offset);
  for (const { id, span } of filled) {
    if (span.offset < end)
      throw new DarmError('bad-input', `${what} is damaged: the image of ${id} overlaps what is before it`);
    end = span.offset + span.size;
  }
}
