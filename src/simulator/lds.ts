import type { Races } from './races.js';

/** A workgroup's local data share. */
export class Lds {
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  /** Which bytes were written, one flag a byte; null when uninitialised reads are not checked. */
  readonly written: Uint8Array | null;
  /** Checks for races in the LDS and in global memory; null when races are not checked. */
  races: Races | null = null;
  /**
   * Passes over the banks beyond the one that each group of lanes needs, summed over all accesses (see lds-access.ts).
   */
  bankConflicts = 0;

  constructor(
    /** Bytes, as the kernel declares and the launch adds. */
    readonly size: number,
    tracksWrites: boolean,
    /** Accesses need not be aligned to their size (see lds-access.ts). */
    public unaligned = false,
  ) {
    const buffer = new ArrayBuffer(Math.ceil(size / 8) * 8);
    this.u8 = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.written = tracksWrites ? new Uint8Array(size) : null;
  }

  /** Prepares for the next workgroup; the counts go on. */
  clear(): void {
    this.u8.fill(0);
    this.written?.fill(0);
  }
}
