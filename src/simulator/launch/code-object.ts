/**
 * A code object as the loader needs it: segments, dynamic relocations, code, and the kernels with their descriptors.
 * Plain data; all addresses are relative to the image.
 *
 * Relocations are found as a dynamic loader finds them, through the dynamic segment (System V ABI, "Dynamic Section";
 * types: llvm/docs/AMDGPUUsage.rst, "Relocation Records").
 */
import { DarmError } from '../../errors.js';
import { inspectCodeObject, type KernelInfo } from '../../formats/code-object.js';
import {
  ElfType,
  elfSymbols,
  parseElf,
  SegmentFlag,
  SegmentType,
  symbolBytes,
  type ElfFile,
  type ElfSegment,
} from '../../formats/elf.js';
import { lineSections, type LineSections } from '../../formats/line-table.js';
import { simulatedTarget, type SimulatedTarget } from '../target.js';
import { DESCRIPTOR_BYTES, parseDescriptor, type LaunchDescriptor } from './descriptor.js';

export interface ImageSegment {
  readonly address: number;
  /** Bytes in memory; what `bytes` does not cover is zero. */
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly writable: boolean;
}

export interface ImageRelocation {
  readonly address: number;
  readonly type: number;
  /** Address of the symbol relative to the image; null for a weak symbol that is not defined, whose value is 0. */
  readonly symbol: number | null;
  readonly addend: bigint;
}

export interface LoadableKernel {
  readonly info: KernelInfo;
  readonly descriptor: LaunchDescriptor;
  /** Relative to the image. */
  readonly descriptorAddress: number;
  readonly entryAddress: number;
  /** End of the kernel's own code, where its symbol tells; functions that it calls lie elsewhere. */
  readonly endAddress: number | null;
}

/** Module variables that kernels may write, as the symbol table names them. */
export interface ImageVariable {
  readonly name: string;
  readonly address: number;
  readonly size: number;
}

/** What the symbol table names in the executable segment. */
export interface ImageFunction {
  readonly name: string;
  readonly address: number;
  readonly size: number;
}

export interface LoadableCodeObject {
  readonly target: SimulatedTarget;
  readonly segments: readonly ImageSegment[];
  readonly relocations: readonly ImageRelocation[];
  readonly kernels: readonly LoadableKernel[];
  readonly variables: readonly ImageVariable[];
  readonly functions: readonly ImageFunction[];
  /** Null: there is no debug information about lines. */
  readonly lineSections: LineSections | null;
  /** The executable segment. */
  readonly code: { readonly address: number; readonly bytes: Uint8Array };
}

/** @throws DarmError `bad-input` (no code object, a damaged one), `bad-target` (a processor that is not simulated) */
export function readCodeObject(bytes: Uint8Array): LoadableCodeObject {
  const info = inspectCodeObject(bytes);
  if (!info.linked) throw new DarmError('bad-input', 'the code object is not linked; darm compile --emit hsaco links');
  const target = simulatedTarget(info.target.split(':')[0]!);
  const elf = parseElf(bytes);
  const segments = elf.segments.filter(({ type }) => type === SegmentType.Load).map((each) => imageSegment(elf, each));
  const executable = elf.segments.filter(({ type, flags }) => type === SegmentType.Load && flags & SegmentFlag.Execute);
  const [code] = executable;
  if (code === undefined || executable.length > 1)
    throw new DarmError('bad-input', `the code object has ${executable.length} executable segments instead of one`);
  const symbols = new Map(elfSymbols(elf).map((symbol) => [symbol.name, symbol]));
  const kernels = info.kernels.map((kernel): LoadableKernel => {
    const descriptorSymbol = symbols.get(kernel.symbol);
    const raw = descriptorSymbol === undefined ? null : symbolBytes(elf, descriptorSymbol);
    if (descriptorSymbol === undefined || raw === null || raw.length < DESCRIPTOR_BYTES)
      throw new DarmError('bad-input', `kernel '${kernel.name}' has no kernel descriptor`);
    const descriptor = parseDescriptor(raw);
    const entry = symbols.get(kernel.name);
    return {
      info: kernel,
      descriptor,
      descriptorAddress: descriptorSymbol.value,
      entryAddress: descriptorSymbol.value + descriptor.entryOffset,
      endAddress: entry === undefined || entry.size === 0 ? null : entry.value + entry.size,
    };
  });
  const variables = [...symbols.values()].filter(
    ({ section, value, size }) =>
      section !== 0 &&
      size > 0 &&
      segments.some((each) => each.writable && value >= each.address && value + size <= each.address + each.size),
  );
  const functions = [...symbols.values()].filter(
    ({ section, value, size }) =>
      section !== 0 && size > 0 && value >= code.address && value + size <= code.address + code.memorySize,
  );
  return {
    target,
    segments,
    relocations: dynamicRelocations(elf),
    kernels,
    functions: functions.map(({ name, value, size }) => ({ name, address: value, size })),
    lineSections: lineSections(elf),
    variables: variables.map(({ name, value, size }) => ({ name, address: value, size })),
    code: { address: code.address, bytes: elf.reader.slice(code.offset, code.fileSize, 'the code') },
  };
}

function imageSegment(elf: ElfFile, { address, offset, fileSize, memorySize, flags }: ElfSegment): ImageSegment {
  if (memorySize < fileSize || elf.type !== ElfType.Shared)
    throw new DarmError('bad-input', 'the code object is damaged: a segment has a wrong size');
  return {
    address,
    size: memorySize,
    bytes: elf.reader.slice(offset, fileSize, 'a segment'),
    writable: (flags & SegmentFlag.Write) !== 0,
  };
}

const Tag = { PltRelaSize: 2, Strings: 5, Symbols: 6, Rela: 7, RelaSize: 8, Rel: 17, PltRela: 23 } as const;
const RELA_BYTES = 24;
const SYMBOL_BYTES = 24;
const WEAK = 2;

function dynamicRelocations(elf: ElfFile): ImageRelocation[] {
  const { reader, segments } = elf;
  const dynamic = segments.find(({ type }) => type === SegmentType.Dynamic);
  if (dynamic === undefined) return [];
  const entries = new Map<number, number>();
  for (let at = dynamic.offset; at + 16 <= dynamic.offset + dynamic.fileSize; at += 16) {
    const tag = reader.u64(at, 'the dynamic segment');
    if (tag === 0) break;
    entries.set(tag, reader.u64(at + 8, 'the dynamic segment'));
  }
  if (entries.has(Tag.Rel)) throw new DarmError('bad-input', 'the code object has relocations without addends');
  const relocations: ImageRelocation[] = [];
  for (const [table, size] of [
    [entries.get(Tag.Rela), entries.get(Tag.RelaSize)],
    [entries.get(Tag.PltRela), entries.get(Tag.PltRelaSize)],
  ]) {
    if (table === undefined || size === undefined || size === 0) continue;
    const start = fileOffset(elf, table, size, 'the relocations');
    for (let at = start; at + RELA_BYTES <= start + size; at += RELA_BYTES)
      relocations.push({
        address: reader.u64(at, 'a relocation'),
        type: reader.u32(at + 8, 'a relocation'),
        symbol: symbolAddress(elf, entries, reader.u32(at + 12, 'a relocation')),
        addend: BigInt.asIntN(
          64,
          (BigInt(reader.u32(at + 20, 'an addend')) << 32n) | BigInt(reader.u32(at + 16, 'an addend')),
        ),
      });
  }
  return relocations;
}

function symbolAddress(elf: ElfFile, entries: ReadonlyMap<number, number>, index: number): number | null {
  if (index === 0) return null;
  const { reader } = elf;
  const table = entries.get(Tag.Symbols) ?? 0;
  const at = fileOffset(elf, table + index * SYMBOL_BYTES, SYMBOL_BYTES, 'a symbol');
  if (reader.u16(at + 6, 'a symbol') !== 0) return reader.u64(at + 8, 'a symbol');
  if (reader.u8(at + 4, 'a symbol') >>> 4 === WEAK) return null;
  const nameAt = fileOffset(elf, (entries.get(Tag.Strings) ?? 0) + reader.u32(at, 'a symbol'), 1, 'a symbol name');
  const name = reader.string(nameAt, reader.length, 'a symbol name');
  throw new DarmError('bad-input', `the code object needs '${name}', which it does not define`);
}

/** The place in the file of the bytes that are loaded at an address. */
function fileOffset({ segments }: ElfFile, address: number, size: number, what: string): number {
  for (const each of segments)
    if (each.type === SegmentType.Load && address >= each.address && address + size <= each.address + each.fileSize)
      return each.offset + (address - each.address);
  throw new DarmError('bad-input', `the code object is damaged: ${what} lie outside of its segments`);
}
