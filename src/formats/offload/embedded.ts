/** Finds containers in host objects and programs: HIP's fat binaries, and those that clang-linker-wrapper embeds. */
import { elfSectionBytes, parseElf } from '../elf.js';

const SECTIONS = ['.hip_fatbin', '.llvm.offloading'];

/** The contents of the section with device images; null when the ELF file does not have one. */
export function embeddedContainer(bytes: Uint8Array): Uint8Array | null {
  const elf = parseElf(bytes);
  for (const name of SECTIONS) {
    const section = elfSectionBytes(elf, name);
    if (section !== null && section.length > 0) return section;
  }
  return null;
}
