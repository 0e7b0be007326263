/** What a buffer holds before the launch. */
import { ELEMENT_BYTES, isFloat, putElement, type ElementType } from './elements.js';
import { SpecRandom } from './random.js';

export type Fill =
  | { readonly kind: 'random'; readonly seed: number; readonly min: number; readonly max: number }
  | { readonly kind: 'iota'; readonly start: number | bigint }
  | { readonly kind: 'value'; readonly value: number | bigint }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** @param into as many bytes as the buffer has; they are zero */
export function fillBuffer(into: Uint8Array, type: ElementType, fill: Fill): void {
  const size = ELEMENT_BYTES[type];
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  switch (fill.kind) {
    case 'bytes':
      into.set(fill.bytes);
      return;
    case 'value':
      if (fill.value === 0 && !Object.is(fill.value, -0)) return;
      for (let at = 0; at < into.length; at += size) putElement(view, type, at, fill.value);
      return;
    case 'iota': {
      const { start } = fill;
      for (let at = 0, index = 0; at < into.length; at += size, index++)
        putElement(view, type, at, typeof start === 'bigint' ? start + BigInt(index) : start + index);
      return;
    }
    case 'random': {
      const random = new SpecRandom(fill.seed);
      const { min, max } = fill;
      if (isFloat(type))
        for (let at = 0; at < into.length; at += size)
          putElement(view, type, at, min + random.fraction() * (max - min));
      else
        for (let at = 0; at < into.length; at += size)
          putElement(view, type, at, min + Math.floor(random.fraction() * (max - min + 1)));
    }
  }
}

/**
 * The range of random numbers when a spec names none: all of the type's integers, within ±2^52; floats from -1 to 1.
 */
export function defaultRange(type: ElementType): [number, number] {
  if (isFloat(type)) return [-1, 1];
  if (type === 'i64') return [-(2 ** 52), 2 ** 52 - 1];
  if (type === 'u64') return [0, 2 ** 53 - 2];
  const values = 2 ** (8 * ELEMENT_BYTES[type]);
  return type.startsWith('u') ? [0, values - 1] : [-values / 2, values / 2 - 1];
}
