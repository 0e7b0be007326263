/** Finds the image of a container that a command line names. */
import { DarmError } from '../../errors.js';
import type { OffloadImage } from './image.js';

const processorOf = (target: string): string => target.split(':')[0]!;

/**
 * The index of an image, given as that index, as its whole id, its target id, or the name of its processor.
 *
 * @throws DarmError `usage` when no image or several fit
 */
export function selectImage(images: readonly OffloadImage[], selector: string): number {
  if (/^\d+$/.test(selector)) {
    if (Number(selector) < images.length) return Number(selector);
    throw new DarmError('usage', `there is no image ${selector}: the container has ${images.length}`);
  }
  for (const names of [
    ({ id }: OffloadImage) => id,
    ({ target }: OffloadImage) => target,
    ({ target }: OffloadImage) => processorOf(target),
  ]) {
    const found = images.flatMap((image, index) => (selector !== '' && names(image) === selector ? [index] : []));
    if (found.length > 1)
      throw new DarmError('usage', `'${selector}' names several images (${found.join(', ')}); give the number of one`);
    if (found.length === 1) return found[0]!;
  }
  const targets = images.map(({ target, id }) => target || id).join(', ');
  throw new DarmError('usage', `there is no image for '${selector}': the container has ${targets || 'none'}`);
}
