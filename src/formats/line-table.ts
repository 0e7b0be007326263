/**
 * Which line of source an address of machine code is of: DWARF's line tables, versions 2 to 5 ("DWARF Debugging
 * Information Format", version 5, 6.2), of linked code objects. The bytes are not trusted: every read is checked, rows
 * are at most as many as bytes, and names are read only when an address asks for them.
 *
 * Not read: compressed sections, columns, discriminators, and tables of string offsets (`DW_FORM_strx`).
 */
import { DarmError } from '../errors.js';
import { ByteReader } from './byte-reader.js';
import { elfSectionBytes, type ElfFile } from './elf.js';

export interface LineSections {
  readonly lines: Uint8Array;
  /** `.debug_line_str` and `.debug_str`, empty where there is none. */
  readonly lineStrings: Uint8Array;
  readonly strings: Uint8Array;
}

export interface SourceLine {
  /** As the compiler named it, with the folder unless that is the one it ran in. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface LineTable {
  /** @param offset as `readLineTable` counts; null: no line is known */
  at(offset: number): SourceLine | null;
}

/** Null for a file without a line table. */
export function lineSections(elf: ElfFile): LineSections | null {
  const lines = elfSectionBytes(elf, '.debug_line');
  if (lines === null) return null;
  const strings = (name: string): Uint8Array => elfSectionBytes(elf, name) ?? new Uint8Array();
  return { lines, lineStrings: strings('.debug_line_str'), strings: strings('.debug_str') };
}

/** Addresses from `start` to before `end` are of a line. */
interface LineRange {
  readonly start: number;
  readonly end: number;
  readonly file: () => string;
  readonly line: number;
}

/**
 * @param base the address from which offsets count
 * @throws DarmError `bad-input`
 */
export function readLineTable(sections: LineSections, base: number): LineTable {
  const ranges: LineRange[] = [];
  const cursor = new Cursor(sections.lines);
  while (cursor.at < sections.lines.length) readUnit(cursor, sections, ranges);
  ranges.sort((a, b) => a.start - b.start);
  return {
    at(offset) {
      let [low, high] = [0, ranges.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (ranges[middle]!.start <= base + offset) low = middle + 1;
        else high = middle;
      }
      const found = ranges[low - 1];
      if (found === undefined || base + offset >= found.end || found.line < 1) return null;
      return { file: found.file(), line: found.line };
    },
  };
}

const WHAT = 'the line table';
/** In bytes. Names may overlap, so that reading all of them must not take the square of the file's size. */
const LONGEST_NAME = 4096;

/** Reads one number after the other. */
class Cursor {
  at = 0;
  readonly reader: ByteReader;

  constructor(readonly bytes: Uint8Array) {
    this.reader = new ByteReader(bytes, WHAT);
  }

  u8(): number {
    return this.reader.u8(this.at++, 'a byte');
  }

  s8(): number {
    return (this.u8() << 24) >> 24;
  }

  /** Addresses may be all ones, so 64 bits are not held to be exact. */
  unsigned(bytes: number): number {
    let value = 0;
    for (let place = 0; place < bytes; place++) value += this.u8() * 2 ** (8 * place);
    return value;
  }

  uleb(): number {
    let value = 0;
    for (let place = 0; ; place += 7) {
      const byte = this.u8();
      if (place < 63) value += (byte & 0x7f) * 2 ** place;
      if (byte < 0x80) return value;
    }
  }

  sleb(): number {
    let value = 0;
    for (let place = 0; ; place += 7) {
      const byte = this.u8();
      if (place < 63) value += (byte & 0x7f) * 2 ** place;
      if (byte < 0x80) return (byte & 0x40) === 0 || place >= 63 ? value : value - 2 ** (place + 7);
    }
  }

  text(): string {
    const start = this.at;
    const end = this.bytes.indexOf(0, start);
    if (end < 0) throw damaged('a name does not end');
    this.at = end + 1;
    return decoded(this.bytes.subarray(start, end));
  }

  skip(bytes: number): void {
    this.reader.check(this.at, bytes, 'a field');
    this.at += bytes;
  }
}

const damaged = (why: string): DarmError => new DarmError('bad-input', `${WHAT} is damaged: ${why}`);
const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

interface FileName {
  readonly name: () => string;
  readonly folder: number;
}

/** What a unit's header says. */
interface UnitHeader {
  readonly instructionBytes: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Operands of each standard opcode. */
  readonly operands: readonly number[];
  readonly folders: readonly (() => string)[];
  readonly files: readonly FileName[];
}

function readUnit(cursor: Cursor, sections: LineSections, ranges: LineRange[]): void {
  let length = cursor.unsigned(4);
  const offsetBytes = length === 0xffffffff ? 8 : 4;
  if (offsetBytes === 8) length = cursor.unsigned(8);
  cursor.reader.check(cursor.at, length, 'a unit');
  const end = cursor.at + length;
  const version = cursor.unsigned(2);
  if (version >= 2 && version <= 5) {
    // Whatever a unit says, it is read out of its own bytes.
    const own = new Cursor(cursor.bytes.subarray(0, end));
    own.at = cursor.at;
    const header = readHeader(own, version, offsetBytes, sections);
    runProgram(own, header, ranges);
  }
  cursor.at = end;
}

function readHeader(cursor: Cursor, version: number, offsetBytes: 4 | 8, sections: LineSections): UnitHeader {
  if (version >= 5) cursor.skip(2); // sizes of addresses and of segment selectors
  const headerBytes = cursor.unsigned(offsetBytes);
  cursor.reader.check(cursor.at, headerBytes, 'a header');
  const program = cursor.at + headerBytes;
  const instructionBytes = cursor.u8();
  // Bundles of instructions, and whether rows are statements.
  cursor.skip(version >= 4 ? 2 : 1);
  const lineBase = cursor.s8();
  const lineRange = cursor.u8();
  const opcodeBase = cursor.u8();
  const operands = Array.from({ length: Math.max(0, opcodeBase - 1) }, () => cursor.u8());
  const names =
    version >= 5
      ? {
          folders: readEntries(cursor, offsetBytes, sections).map(({ name }) => name),
          files: readEntries(cursor, offsetBytes, sections),
        }
      : readOldNames(cursor);
  cursor.at = program;
  return { instructionBytes, lineBase, lineRange, opcodeBase, operands, ...names };
}

/** Up to version 4: names that end with an empty one, numbered from 1. */
function readOldNames(cursor: Cursor): Pick<UnitHeader, 'folders' | 'files'> {
  const folders: (() => string)[] = [() => ''];
  for (let name = cursor.text(); name !== ''; name = cursor.text()) {
    const folder = name;
    folders.push(() => folder);
  }
  const files: FileName[] = [{ name: () => '?', folder: 0 }];
  for (let name = cursor.text(); name !== ''; name = cursor.text()) {
    const file = name;
    const folder = cursor.uleb();
    cursor.uleb(); // time
    cursor.uleb(); // size
    files.push({ name: () => file, folder });
  }
  return { folders, files };
}

const Content = { Path: 1, Folder: 2 } as const;

/** Version 5: entries in a format that the table itself declares. */
function readEntries(cursor: Cursor, offsetBytes: 4 | 8, sections: LineSections): FileName[] {
  const formats = Array.from({ length: cursor.u8() }, () => [cursor.uleb(), cursor.uleb()] as const);
  const count = cursor.uleb();
  if (count > cursor.bytes.length) throw damaged('it has more names than bytes');
  return Array.from({ length: count }, () => {
    let name = (): string => '?';
    let folder = 0;
    for (const [content, form] of formats) {
      const value = readForm(cursor, form, offsetBytes, sections);
      if (content === Content.Path && typeof value === 'function') name = value;
      if (content === Content.Folder && typeof value === 'number') folder = value;
    }
    return { name, folder };
  });
}

/** A number, a text that is read on demand, or null for what is not needed. */
function readForm(
  cursor: Cursor,
  form: number,
  offsetBytes: 4 | 8,
  { lineStrings, strings }: LineSections,
): number | (() => string) | null {
  switch (form) {
    case 0x08: {
      // DW_FORM_string
      const start = cursor.at;
      const end = cursor.bytes.indexOf(0, start);
      if (end < 0) throw damaged('a name does not end');
      cursor.at = end + 1;
      return () => decoded(cursor.bytes.subarray(start, end));
    }
    case 0x1f: // DW_FORM_line_strp
    case 0x0e: {
      // DW_FORM_strp
      const table = form === 0x1f ? lineStrings : strings;
      const start = cursor.unsigned(offsetBytes);
      return () => {
        const rest = table.subarray(start, start + LONGEST_NAME);
        const end = rest.indexOf(0);
        return end < 0 ? '?' : decoded(rest.subarray(0, end));
      };
    }
    case 0x0b: // DW_FORM_data1
      return cursor.u8();
    case 0x05: // DW_FORM_data2
      return cursor.unsigned(2);
    case 0x06: // DW_FORM_data4
      return cursor.unsigned(4);
    case 0x07: // DW_FORM_data8
      return cursor.unsigned(8);
    case 0x0f: // DW_FORM_udata
      return cursor.uleb();
    case 0x1e: // DW_FORM_data16: a checksum
      cursor.skip(16);
      return null;
    case 0x09: // DW_FORM_block
      cursor.skip(cursor.uleb());
      return null;
    default:
      throw damaged(`it has names of an unknown form, 0x${form.toString(16)}`);
  }
}

/** Runs the program of a unit; its rows become ranges. */
function runProgram(cursor: Cursor, header: UnitHeader, ranges: LineRange[]): void {
  const { instructionBytes, lineBase, lineRange, opcodeBase, operands } = header;
  const names = new Map<number, string>();
  const nameOf = (file: number): string => {
    const known = names.get(file) ?? fileName(header, file);
    names.set(file, known);
    return known;
  };
  let [address, file, line] = [0, 1, 1];
  let previous: { address: number; file: number; line: number } | null = null;
  const emit = (): void => {
    if (previous !== null && previous.address < address) {
      const { file: whose } = previous;
      ranges.push({ start: previous.address, end: address, file: () => nameOf(whose), line: previous.line });
    }
    previous = { address, file, line };
  };
  const advance = (opcode: number): void => {
    if (lineRange === 0) throw damaged('its range of lines is empty');
    address += Math.floor((opcode - opcodeBase) / lineRange) * instructionBytes;
  };
  while (cursor.at < cursor.bytes.length) {
    const opcode = cursor.u8();
    if (opcode >= opcodeBase) {
      advance(opcode);
      line += lineBase + ((opcode - opcodeBase) % lineRange);
      emit();
      continue;
    }
    switch (opcode) {
      case 0: {
        const length = cursor.uleb();
        cursor.reader.check(cursor.at, length, 'an extended opcode');
        const end = cursor.at + length;
        const extended = length === 0 ? 0 : cursor.u8();
        if (extended === 1) {
          // DW_LNE_end_sequence
          emit();
          [address, file, line] = [0, 1, 1];
          previous = null;
        } else if (extended === 2) address = cursor.unsigned(Math.min(8, length - 1)); // DW_LNE_set_address
        cursor.at = end;
        break;
      }
      case 1: // DW_LNS_copy
        emit();
        break;
      case 2: // DW_LNS_advance_pc
        address += cursor.uleb() * instructionBytes;
        break;
      case 3: // DW_LNS_advance_line
        line += cursor.sleb();
        break;
      case 4: // DW_LNS_set_file
        file = cursor.uleb();
        break;
      case 8: // DW_LNS_const_add_pc
        advance(255);
        break;
      case 9: // DW_LNS_fixed_advance_pc
        address += cursor.unsigned(2);
        break;
      default:
        for (let operand = 0; operand < operands[opcode - 1]!; operand++) cursor.uleb();
    }
  }
}

/** With its folder, unless that is the one that the compiler ran in. */
function fileName({ folders, files }: UnitHeader, file: number): string {
  const found = files[file];
  if (found === undefined) return '?';
  const name = found.name();
  const folder = found.folder === 0 ? '' : (folders[found.folder]?.() ?? '');
  return folder === '' || folder === '.' || name.startsWith('/') ? name : `${folder}/${name}`;
}
