/** Element types of buffers and scalars, and their bytes (little-endian). */
import { f16ToNumber, roundF16 } from '../arithmetic/f16.js';
import { Round } from '../arithmetic/rounding.js';

export const ELEMENT_BYTES = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  f16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  u64: 8,
  i64: 8,
  f64: 8,
} as const;
export type ElementType = keyof typeof ELEMENT_BYTES;

export const isElementType = (name: unknown): name is ElementType =>
  typeof name === 'string' && Object.hasOwn(ELEMENT_BYTES, name);

export const isFloat = (type: ElementType): boolean => type.startsWith('f');

/** Least and largest value of an integer type. */
export function rangeOf(type: ElementType): [bigint, bigint] {
  const bits = BigInt(8 * ELEMENT_BYTES[type]);
  return type.startsWith('u') ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

/** Whether a number is finite in a type of floats, too. */
export function isFiniteIn(type: ElementType, value: number): boolean {
  const view = new DataView(new ArrayBuffer(8));
  putElement(view, type, 0, value);
  return Number.isFinite(getElement(view, type, 0));
}

/** Writes one element; an integer that does not fit wraps around. */
export function putElement(view: DataView, type: ElementType, at: number, value: number | bigint): void {
  switch (type) {
    case 'f64':
      return view.setFloat64(at, Number(value), true);
    case 'f32':
      return view.setFloat32(at, Number(value), true);
    case 'f16':
      return view.setUint16(at, roundF16(Number(value), Round.NearestEven), true);
    case 'i64':
    case 'u64':
      return view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    default: {
      const word = typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : value;
      if (ELEMENT_BYTES[type] === 4) view.setInt32(at, word, true);
      else if (ELEMENT_BYTES[type] === 2) view.setInt16(at, word, true);
      else view.setInt8(at, word);
    }
  }
}

/** One element as people read it: a number, 64-bit integers as bigint. */
export function getElement(view: DataView, type: ElementType, at: number): number | bigint {
  switch (type) {
    case 'f64':
      return view.getFloat64(at, true);
    case 'f32':
      return view.getFloat32(at, true);
    case 'f16':
      return f16ToNumber(view.getUint16(at, true));
    case 'u64':
      return view.getBigUint64(at, true);
    case 'i64':
      return view.getBigInt64(at, true);
    case 'u32':
      return view.getUint32(at, true);
    case 'i32':
      return view.getInt32(at, true);
    case 'u16':
      return view.getUint16(at, true);
    case 'i16':
      return view.getInt16(at, true);
    case 'u8':
      return view.getUint8(at);
    case 'i8':
      return view.getInt8(at);
  }
}
