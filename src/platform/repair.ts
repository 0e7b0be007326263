import type { FileFacts } from './interface.js';

/** Repairs an unpacked file in place (wasm/repair.mjs). */
export function repair(file: Uint8Array, { repairs = [] }: FileFacts): void {
  for (const { at, bytes } of repairs) file.set(bytes.match(/../g)!.map(byteOf), at);
}

const byteOf = (digits: string): number => Number.parseInt(digits, 16);
