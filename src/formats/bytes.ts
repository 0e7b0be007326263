/** Whether a value is a Uint8Array and has its bytes: a Proxy of one is an instance of it, and has none. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && ArrayBuffer.isView(value);
