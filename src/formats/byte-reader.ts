/**
 * Bounds-checked reads from untrusted bytes, little-endian unless the name says otherwise. A read outside of the bytes
 * throws `DarmError('bad-input')`.
 */
import { DarmError } from '../errors.js';

export class ByteReader {
  readonly #view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    /** What the bytes are, for messages: `the ELF file`. */
    readonly what: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Throws unless `[offset, offset + size)` lies within the bytes. */
  check(offset: number, size: number, field: string): void {
    if (
      !Number.isSafeInteger(offset) ||
      !Number.isSafeInteger(size) ||
      offset < 0 ||
      size < 0 ||
      offset + size > this.length
    )
      throw new DarmError('bad-input', `${this.what} is damaged or truncated: ${field} lies outside of it`);
  }

  u8(offset: number, field: string): number {
    this.check(offset, 1, field);
    return this.#view.getUint8(offset);
  }

  u16(offset: number, field: string): number {
    this.check(offset, 2, field);
    return this.#view.getUint16(offset, true);
  }

  u32(offset: number, field: string): number {
    this.check(offset, 4, field);
    return this.#view.getUint32(offset, true);
  }

  u16be(offset: number, field: string): number {
    this.check(offset, 2, field);
    return this.#view.getUint16(offset);
  }

  u32be(offset: number, field: string): number {
    this.check(offset, 4, field);
    return this.#view.getUint32(offset);
  }

  /** A 64-bit value that has to fit into 53 bits, as every offset and size in a real file does. */
  u64(offset: number, field: string): number {
    this.check(offset, 8, field);
    const value = this.#view.getBigUint64(offset, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new DarmError('bad-input', `${this.what} is damaged: ${field} is out of range`);
    return Number(value);
  }

  slice(offset: number, size: number, field: string): Uint8Array {
    this.check(offset, size, field);
    return this.bytes.subarray(offset, offset + size);
  }

  /** Whether the bytes from `offset` on are `text`, which is ASCII. */
  startsWith(text: string, offset: number, field: string): boolean {
    this.check(offset, text.length, field);
    for (let i = 0; i < text.length; i++) if (this.bytes[offset + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** A NUL-terminated string, which has to end before `end`. */
  string(offset: number, end: number, field: string): string {
    this.check(offset, 1, field);
    this.check(end, 0, field);
    const terminator = this.bytes.subarray(offset, end).indexOf(0);
    if (terminator < 0) throw new DarmError('bad-input', `${this.what} is damaged: ${field} has no end`);
    return new TextDecoder().decode(this.bytes.subarray(offset, offset + terminator));
  }
}
