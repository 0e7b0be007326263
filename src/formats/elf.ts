/**
 * Reads the parts of ELF64 (little-endian) that code objects use: header, program headers, sections, symbols, notes.
 * The bytes are not trusted: every offset is checked, and every count is compared with the file's size before anything
 * is allocated for it. Tables, names and notes of a hostile file may overlap, so that reading each of them takes the
 * square of the file's size. Therefore what is read in all is compared with the file's size as well.
 */
import { DarmError } from '../errors.js';
import { ByteReader } from './byte-reader.js';

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const SECTION_HEADER_BYTES = 64;
const SYMBOL_BYTES = 24;

/** More than any linker writes; searches go through all segments. */
const MAX_SEGMENTS = 256;
/**
 * Symbols may share names, or the ends of names: together, their names have at most this many times the file's size.
 */
const MAX_NAME_SHARING = 16;

export const ElfType = { Relocatable: 1, Shared: 3 } as const;
export const SegmentType = { Load: 1, Dynamic: 2, Note: 4 } as const;
/** Bits of `ElfSegment.flags`. */
export const SegmentFlag = { Execute: 1, Write: 2, Read: 4 } as const;
/** A kernel has a type of its own where it is no HSA code object, as for Mesa (`STT_AMDGPU_HSA_KERNEL`). */
export const SymbolType = { Function: 2, Kernel: 10 } as const;
export const SectionType = { SymbolTable: 2, Note: 7, NoBits: 8, DynamicSymbols: 11 } as const;

export interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  /** At least `fileSize`. Bytes beyond the file's are zero. */
  readonly memorySize: number;
}

export interface ElfSection {
  /** Where its name begins in the table of section names. */
  readonly nameOffset: number;
  readonly type: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  /** Where its header is in the file. */
  readonly headerOffset: number;
}

export interface ElfSymbol {
  readonly name: string;
  /** `SymbolType`, or another one. */
  readonly type: number;
  readonly section: number;
  /** An address in a linked file; an offset into the section in a relocatable one. */
  readonly value: number;
  readonly size: number;
}

export interface ElfFile {
  readonly reader: ByteReader;
  readonly osAbi: number;
  readonly abiVersion: number;
  readonly type: number;
  readonly machine: number;
  readonly flags: number;
  readonly segments: readonly ElfSegment[];
  readonly sections: readonly ElfSection[];
  /** The section with the names of sections; null without one. */
  readonly names: ElfSection | null;
}

export function parseElf(bytes: Uint8Array): ElfFile {
  const reader = new ByteReader(bytes, 'the ELF file');
  reader.check(0, HEADER_BYTES, 'the header');
  if (reader.u32(0, 'the magic number') !== 0x464c457f) throw new DarmError('bad-input', 'this is not an ELF file');
  if (reader.u8(4, 'the class') !== 2 || reader.u8(5, 'the byte order') !== 1)
    throw new DarmError('bad-input', 'the ELF file is not 64-bit little-endian');

  const table = (offsetAt: number, countAt: number, entryAt: number, entryBytes: number, field: string): number[] => {
    const offset = reader.u64(offsetAt, field);
    const count = reader.u16(countAt, field);
    if (count === 0 || offset === 0) return [];
    const stride = reader.u16(entryAt, field);
    if (stride < entryBytes)
      throw new DarmError('bad-input', `the ELF file is damaged: ${field} has entries of a wrong size`);
    reader.check(offset, count * stride, field);
    return Array.from({ length: count }, (_, i) => offset + i * stride);
  };

  if (reader.u16(56, 'the number of program headers') > MAX_SEGMENTS)
    throw new DarmError('bad-input', `the ELF file has more than ${MAX_SEGMENTS} program headers`);
  const segments = table(32, 56, 54, PROGRAM_HEADER_BYTES, 'the table of program headers').map((at) => ({
    type: reader.u32(at, 'a program header'),
    flags: reader.u32(at + 4, 'a program header'),
    offset: reader.u64(at + 8, 'a segment offset'),
    address: reader.u64(at + 16, 'a segment address'),
    fileSize: reader.u64(at + 32, 'a segment size'),
    memorySize: reader.u64(at + 40, 'a segment size'),
  }));
  const sections = table(40, 60, 58, SECTION_HEADER_BYTES, 'the table of section headers').map((at) => ({
    nameOffset: reader.u32(at, 'a section header'),
    type: reader.u32(at + 4, 'a section header'),
    address: reader.u64(at + 16, 'a section address'),
    offset: reader.u64(at + 24, 'a section offset'),
    size: reader.u64(at + 32, 'a section size'),
    link: reader.u32(at + 40, 'a section header'),
    headerOffset: at,
  }));
  const names = sections[reader.u16(62, 'the index of the section names')] ?? null;
  return {
    reader,
    osAbi: reader.u8(7, 'the OS ABI'),
    abiVersion: reader.u8(8, 'the ABI version'),
    type: reader.u16(16, 'the type'),
    machine: reader.u16(18, 'the machine'),
    flags: reader.u32(48, 'the flags'),
    segments,
    sections,
    names: names?.type === SectionType.NoBits ? null : names,
  };
}

/** Symbols of the symbol table or, in a stripped file, of the dynamic one. */
export function elfSymbols(elf: ElfFile): ElfSymbol[] {
  const { reader, sections } = elf;
  const table =
    sections.find((s) => s.type === SectionType.SymbolTable) ??
    sections.find((s) => s.type === SectionType.DynamicSymbols);
  if (table === undefined) return [];
  const strings = sections[table.link];
  if (strings === undefined) throw new DarmError('bad-input', 'the ELF file is damaged: a symbol table has no names');
  reader.check(table.offset, table.size, 'the symbol table');
  reader.check(strings.offset, strings.size, 'the string table');
  const stringsEnd = strings.offset + strings.size;
  let namesLeft = reader.length * MAX_NAME_SHARING;
  const symbols: ElfSymbol[] = [];
  for (let at = table.offset; at + SYMBOL_BYTES <= table.offset + table.size; at += SYMBOL_BYTES) {
    const nameOffset = reader.u32(at, 'a symbol');
    if (nameOffset === 0) continue;
    const name = reader.string(strings.offset + nameOffset, stringsEnd, 'a symbol name');
    namesLeft -= name.length;
    if (namesLeft < 0) throw new DarmError('bad-input', 'the ELF file is damaged: the names of its symbols overlap');
    symbols.push({
      name,
      type: reader.u8(at + 4, 'a symbol') & 0xf,
      section: reader.u16(at + 6, 'a symbol'),
      value: reader.u64(at + 8, 'a symbol value'),
      size: reader.u64(at + 16, 'a symbol size'),
    });
  }
  return symbols;
}

/** Bytes of code, by the name of the function or kernel. */
export const elfFunctionSizes = (bytes: Uint8Array): Map<string, number> =>
  new Map(
    elfSymbols(parseElf(bytes)).flatMap(({ name, type, size }) =>
      type === SymbolType.Function || type === SymbolType.Kernel ? [[name, size]] : [],
    ),
  );

/**
 * The bytes of the file that a symbol names; null for an undefined symbol, or one of memory that the file does not
 * fill.
 */
export function symbolBytes(elf: ElfFile, symbol: ElfSymbol): Uint8Array | null {
  if (elf.type === ElfType.Relocatable) {
    const section = elf.sections[symbol.section];
    if (section === undefined || section.type === SectionType.NoBits || symbol.section === 0) return null;
    if (symbol.value + symbol.size > section.size) return null;
    return elf.reader.slice(section.offset + symbol.value, symbol.size, `symbol ${symbol.name}`);
  }
  for (const { type, address, offset, fileSize } of elf.segments) {
    if (type !== SegmentType.Load || symbol.value < address || symbol.value + symbol.size > address + fileSize)
      continue;
    return elf.reader.slice(offset + (symbol.value - address), symbol.size, `symbol ${symbol.name}`);
  }
  return null;
}

/** The bytes of the first section with this name, or null. */
export function elfSectionBytes({ reader, sections, names }: ElfFile, name: string): Uint8Array | null {
  if (names === null) return null;
  const section = sections.find(
    ({ nameOffset, type }) =>
      type !== SectionType.NoBits &&
      nameOffset + name.length < names.size &&
      reader.startsWith(`${name}\0`, names.offset + nameOffset, 'a section name'),
  );
  return section === undefined ? null : reader.slice(section.offset, section.size, `section ${name}`);
}

/**
 * The contents of the first note with this name and type, or null. Looks into the note segments or, in a relocatable
 * file, into the note sections.
 */
export function elfNote(elf: ElfFile, name: string, type: number): Uint8Array | null {
  const { reader } = elf;
  const segments = elf.segments
    .filter((s) => s.type === SegmentType.Note)
    .map((s) => ({ offset: s.offset, size: s.fileSize }));
  const places = segments.length > 0 ? segments : elf.sections.filter((s) => s.type === SectionType.Note);
  if (places.reduce((sum, { size }) => sum + size, 0) > reader.length)
    throw new DarmError('bad-input', 'the ELF file is damaged: its notes overlap');
  const align = (value: number): number => Math.ceil(value / 4) * 4;
  for (const { offset, size } of places) {
    reader.check(offset, size, 'a list of notes');
    const end = offset + size;
    for (let at = offset; at + 12 <= end;) {
      const nameBytes = reader.u32(at, 'a note');
      const dataBytes = reader.u32(at + 4, 'a note');
      const dataAt = at + 12 + align(nameBytes);
      if (dataAt + dataBytes > end)
        throw new DarmError('bad-input', 'the ELF file is damaged: a note runs over its end');
      const found = nameBytes === name.length + 1 && reader.u32(at + 8, 'a note') === type;
      if (found && reader.startsWith(`${name}\0`, at + 12, 'a note name'))
        return reader.slice(dataAt, dataBytes, 'a note');
      at = dataAt + align(dataBytes);
    }
  }
  return null;
}
