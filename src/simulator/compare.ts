/** Whether two simulations left the same memory, byte for byte or, for floats, within a relative tolerance. */
import { ELEMENT_BYTES, getElement, isFloat, type ElementType } from './launch/elements.js';
import { ADDRESS_HIGH } from './memory.js';
import type { SimulationResult } from './run.js';

/** Largest relative difference that counts as none, by element type; other types are compared byte for byte. */
export type Tolerance = Partial<Readonly<Record<ElementType, number>>>;

export interface Difference {
  /** Of the buffer, or of the module variable. */
  readonly name: string;
  /** In elements. */
  readonly index: number;
  readonly before: number | bigint;
  readonly after: number | bigint;
}

/**
 * The first difference of every buffer and module variable. Both results are of the same spec.
 *
 * @param madeUp the spec was made up, so a word that looks like an f32 may be one
 */
export function differences(
  before: SimulationResult,
  after: SimulationResult,
  tolerance: Tolerance,
  madeUp = false,
): Difference[] {
  const found: Difference[] = [];
  before.buffers.forEach(({ name, element, bytes }, index) => {
    const read = madeUp ? 'f32' : element;
    const least = madeUp ? LEAST_NORMAL_F32 : 0;
    const at = firstDifference(bytes, after.buffers[index]!.bytes, read, { least, allowed: tolerance[read] });
    if (at >= 0) found.push(describe(name, element, at, bytes, after.buffers[index]!.bytes));
  });
  for (const { name, bytes } of before.variables) {
    const other = after.variables.find((each) => each.name === name);
    if (other?.bytes.length !== bytes.length) continue;
    const element: ElementType = bytes.length % 4 === 0 ? 'u32' : 'u8';
    const at = firstVariableDifference(bytes, other.bytes, element);
    if (at >= 0) found.push(describe(name, element, at, bytes, other.bytes));
  }
  return found;
}

function describe(name: string, element: ElementType, index: number, a: Uint8Array, b: Uint8Array): Difference {
  const at = index * ELEMENT_BYTES[element];
  return { name, index, before: getElement(viewOf(a), element, at), after: getElement(viewOf(b), element, at) };
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A smaller pattern is more likely an integer, and integers are compared exactly. */
const LEAST_NORMAL_F32 = 2 ** -126;

interface Closeness {
  /** The relative difference that is allowed; when undefined, floats are compared byte for byte too. */
  readonly allowed: number | undefined;
  /** Numbers of a smaller magnitude are compared byte for byte. */
  readonly least: number;
}

/** Index of the first element that differs, or -1. */
function firstDifference(a: Uint8Array, b: Uint8Array, element: ElementType, { allowed, least }: Closeness): number {
  const size = ELEMENT_BYTES[element];
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    const index = Math.floor(at / size);
    if (!isFloat(element) || allowed === undefined) return index;
    if (!close(viewOf(a), viewOf(b), element, index * size, { allowed, least })) return index;
    at = (index + 1) * size - 1;
  }
  return -1;
}

function close(
  a: DataView,
  b: DataView,
  element: ElementType,
  at: number,
  { allowed, least }: { readonly allowed: number; readonly least: number },
): boolean {
  const [x, y] = [Number(getElement(a, element, at)), Number(getElement(b, element, at))];
  if (Math.min(Math.abs(x), Math.abs(y)) < least) return false;
  if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return true;
  return Math.abs(x - y) <= allowed * Math.max(Math.abs(x), Math.abs(y)) && Number.isFinite(x) && Number.isFinite(y);
}

/**
 * Addresses in variables depend on the size of the code, so two values that both look like addresses count as equal.
 */
function firstVariableDifference(a: Uint8Array, b: Uint8Array, element: ElementType): number {
  const size = ELEMENT_BYTES[element];
  const [viewA, viewB] = [viewOf(a), viewOf(b)];
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    const pair = at & ~7;
    const isAddress = (view: DataView): boolean =>
      pair + 8 <= view.byteLength && view.getUint32(pair + 4, true) === ADDRESS_HIGH;
    if (!isAddress(viewA) || !isAddress(viewB)) return Math.floor(at / size);
    at = pair + 7;
  }
  return -1;
}
