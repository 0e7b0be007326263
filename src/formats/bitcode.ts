/**
 * Tells what an input is by its content, never by its name, and unwraps LLVM's bitcode wrapper
 * (llvm/docs/BitCodeFormat.rst, "Bitcode Wrapper Format"). LLVM itself parses bitcode and IR text.
 */
import { DarmError } from '../errors.js';
import { ByteReader } from './byte-reader.js';
import { isContainer } from './offload/magic.js';

export type InputKind =
  | 'bitcode'
  /** Bitcode behind a 20-byte header (0x0B17C0DE), as Apple's tools write it. */
  | 'bitcode-wrapper'
  /** LLVM IR as text, or any other text: LLVM's parser finds out. */
  | 'text'
  | 'elf'
  /** Anything that `readContainer` reads: bundles (binary, text or compressed) and OffloadBinaries. */
  | 'offload-bundle'
  | 'empty'
  | 'other';

const WRAPPER_MAGIC = 0x0b17c0de;
const WRAPPER_HEADER_BYTES = 20;
/** How many bytes are read to tell text from binary data. */
const TEXT_PROBE_BYTES = 64 * 1024;

/** Of static libraries: `!<arch>` and a line feed. */
const ARCHIVE_MAGIC = [0x21, 0x3c, 0x61, 0x72, 0x63, 0x68, 0x3e, 0x0a];

function startsWith(bytes: Uint8Array, ...magic: readonly number[]): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);
}

function isText(bytes: Uint8Array): boolean {
  const probe = bytes.subarray(0, TEXT_PROBE_BYTES);
  // Tab, line feed, form feed and carriage return are the only control characters that text holds.
  if (probe.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(probe, { stream: bytes.length > probe.length });
    return true;
  } catch {
    return false;
  }
}

export function sniffInput(bytes: Uint8Array): InputKind {
  if (bytes.length === 0) return 'empty';
  if (startsWith(bytes, 0x42, 0x43, 0xc0, 0xde)) return 'bitcode';
  if (startsWith(bytes, 0xde, 0xc0, 0x17, 0x0b)) return 'bitcode-wrapper';
  if (startsWith(bytes, 0x7f, 0x45, 0x4c, 0x46)) return 'elf';
  if (isContainer(bytes)) return 'offload-bundle';
  return isText(bytes) ? 'text' : 'other';
}

/**
 * Gives the bytes for LLVM's readers: raw bitcode or IR text.
 *
 * @throws DarmError `bad-input` when `bytes` are neither, with a message that says what they are.
 */
export function unwrapModule(bytes: Uint8Array): Uint8Array {
  switch (sniffInput(bytes)) {
    case 'bitcode':
    case 'text':
      return bytes;
    case 'bitcode-wrapper':
      return unwrapBitcode(bytes);
    case 'empty':
      throw new DarmError('bad-input', 'the input is empty');
    case 'elf':
      throw new DarmError(
        'bad-input',
        'the input is an ELF file (machine code); LLVM bitcode or IR text is needed (darm bundle --extract takes it out of host objects)',
      );
    case 'offload-bundle':
      throw new DarmError(
        'bad-input',
        'the input is an offload bundle, not a module: compile it with --emit fatbin, or take a module out with darm bundle --extract',
      );
    case 'other':
      if (startsWith(bytes, ...ARCHIVE_MAGIC))
        throw new DarmError('bad-input', 'the input is an archive, not a module: take its members out first (ar x)');
      throw new DarmError('bad-input', 'the input is neither LLVM bitcode nor LLVM IR text');
  }
}

function unwrapBitcode(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes, 'the bitcode wrapper');
  reader.check(0, WRAPPER_HEADER_BYTES, 'the header');
  if (reader.u32(0, 'the magic number') !== WRAPPER_MAGIC)
    throw new DarmError('bad-input', 'this is not a bitcode wrapper');
  const offset = reader.u32(8, 'the offset of the bitcode');
  if (offset < WRAPPER_HEADER_BYTES)
    throw new DarmError('bad-input', 'the bitcode wrapper is damaged: the bitcode overlaps the header');
  const inner = reader.slice(offset, reader.u32(12, 'the size of the bitcode'), 'the bitcode');
  if (sniffInput(inner) !== 'bitcode') throw new DarmError('bad-input', 'the bitcode wrapper holds no bitcode');
  return inner;
}
