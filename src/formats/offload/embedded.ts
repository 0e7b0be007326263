/** Containers inside of host objects and programs: HIP's fat binaries, and those that clang's linker wrapper embeds. */
import { elfSectionBytes, parseElf } from '../elf.js';

const SECTIONS = ['.hip_fatbin', '.llvm.offloading'];

/** The contents of the section that holds device images, or null when the ELF file has none. */
export function embeddedContainer(bytes: Uint8Array): Uint8Array | null {
  const elf = parseElf(bytes);
  for (const name of SECTIONS) {
    const section = elfSectionBytes(elf, name);
    if (section !== null && section.length > 0) return section;
  }
  return null;
}
