/** Whether a value is a Uint8Array: a Proxy of one is an instance of it, and has no bytes. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && ArrayBuffer.isView(value);

/** Whether its buffer was transferred, of which there are no views. (`detached` says so only from Node 22 on.) */
export function isGone({ buffer }: Uint8Array): boolean {
  try {
    void new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
