/** Brings bytes from the batch to the workers and back: in the queue itself while they are few, else by the store. */
import { DarmError } from '../errors.js';
import type { BlobStore } from '../remote-cache/blob-store.js';
import type { Blob } from './task.js';

/** The queue's server keeps them in its memory. */
const MOST_INLINE_BYTES = 32 * 1024;

/** Too large for the queue, and there is no store to write to: no other attempt would do better. */
export class NoWay extends DarmError {
  constructor(size: number) {
    super('io', `${size} bytes are too many for the queue: a remote cache is needed that can be written to`);
  }
}

export class Carrier {
  /** Code objects go with many jobs. */
  readonly #packed = new WeakMap<Uint8Array, Promise<Blob>>();

  constructor(private readonly store: BlobStore | null) {}

  /** @throws DarmError `io`; `NoWay` without a store */
  async pack(bytes: Uint8Array): Promise<Blob> {
    if (bytes.length <= MOST_INLINE_BYTES)
      return { inline: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') };
    if (this.store === null || !this.store.writes) throw new NoWay(bytes.length);
    let packed = this.#packed.get(bytes);
    if (packed === undefined) {
      packed = this.store.put(bytes);
      this.#packed.set(bytes, packed);
      packed.catch(() => this.#packed.delete(bytes));
    }
    return packed;
  }

  /** @throws DarmError `io` */
  async unpack(blob: Blob): Promise<Uint8Array> {
    if ('inline' in blob) return new Uint8Array(Buffer.from(blob.inline, 'base64'));
    if (this.store === null) throw new DarmError('io', 'bytes are in a remote cache, and none is named here');
    return this.store.get(blob);
  }

  async close(): Promise<void> {
    await this.store?.close();
  }
}
