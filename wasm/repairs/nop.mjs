/** WebAssembly's `nop`, in hexadecimal. */
export const NOP = '01';
