/** The first bytes of containers of device images. */
export const BUNDLE_MAGIC = '__CLANG_OFFLOAD_BUNDLE__';
export const COMPRESSED_MAGIC = 'CCOB';
/** The bytes `10 ff 10 ad`. */
export const OFFLOAD_BINARY_MAGIC = '\x10\xff\x10\xad';

/** What follows the comment sign in the comment lines of the text form. */
export const TEXT_START = ` ${BUNDLE_MAGIC}__START__ `;
export const TEXT_END = ` ${BUNDLE_MAGIC}__END__ `;
const TEXT_BEGINNING = new RegExp(`^\\n*(;|#|//)${TEXT_START}`);
const TEXT_PROBE_BYTES = 64;

export function hasMagic(bytes: Uint8Array, magic: string): boolean {
  if (bytes.length < magic.length) return false;
  for (let i = 0; i < magic.length; i++) if (bytes[i] !== magic.charCodeAt(i)) return false;
  return true;
}

/** The comment sign of the text bundle at the start of `bytes`; null when there is not one. */
export function textBundleComment(bytes: Uint8Array): string | null {
  const probe = new TextDecoder('latin1').decode(bytes.subarray(0, TEXT_PROBE_BYTES));
  return TEXT_BEGINNING.exec(probe)?.[1] ?? null;
}

export const isContainer = (bytes: Uint8Array): boolean =>
  [BUNDLE_MAGIC, COMPRESSED_MAGIC, OFFLOAD_BINARY_MAGIC].some((magic) => hasMagic(bytes, magic)) ||
  textBundleComment(bytes) !== null;
