/**
 * Reads what an AMD code object says about itself: target, kernels, arguments, registers, LDS. It has two sources: the
 * metadata note (in MessagePack, with the register counts) and the 64-byte kernel descriptors that the `.kd` symbols
 * name (llvm/docs/AMDGPUUsage.rst, "Code Object Metadata" and "Kernel Descriptor"). Reads code objects v4 to v6, linked
 * or relocatable. A damaged file gives `DarmError('bad-input')`; metadata of an unexpected shape is left out.
 */
import { DarmError } from '../errors.js';
import { ByteReader } from './byte-reader.js';
import { ElfType, elfNote, elfSymbols, parseElf, symbolBytes, type ElfFile, type ElfSymbol } from './elf.js';
import { decodeMessagePack } from './message-pack.js';
import { MACHINE_AMDGPU, targetIdOf } from './elf-target.js';

const OS_ABI_HSA = 64;
export const METADATA_NOTE = { name: 'AMDGPU', type: 32 } as const;
const DESCRIPTOR_BYTES = 64;
/** An entry of one byte in the metadata may stand for a kernel, whose description is far larger. */
const MAX_KERNELS = 65536;

export interface KernelArgument {
  readonly name: string | null;
  /** Bytes from the start of the kernel argument segment. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** `by_value`, `global_buffer`, `hidden_block_count_x` … */
  readonly valueKind: string;
  readonly addressSpace: string | null;
}

/** What the hardware reads about a kernel. */
export interface KernelDescriptor {
  /** Bytes. */
  readonly groupSegmentSize: number;
  /** Bytes per work-item. */
  readonly privateSegmentSize: number;
  /** Bytes. */
  readonly kernargSize: number;
  /** The field's value. How many registers make a granule depends on the target. */
  readonly vgprGranules: number;
  readonly sgprGranules: number;
  readonly wave32: boolean;
}

export interface KernelInfo {
  readonly name: string;
  readonly symbol: string;
  readonly arguments: readonly KernelArgument[];
  readonly kernargSize: number | null;
  /** LDS, bytes per workgroup. */
  readonly groupSegmentSize: number | null;
  /** Scratch, bytes per work-item. */
  readonly privateSegmentSize: number | null;
  readonly sgprs: number | null;
  readonly vgprs: number | null;
  readonly agprs: number | null;
  readonly sgprSpills: number | null;
  readonly vgprSpills: number | null;
  readonly maxWorkgroupSize: number | null;
  /** The only block size that it may be launched with; null if any will do. */
  readonly requiredBlock: readonly number[] | null;
  readonly wavefrontSize: number | null;
  /** Bytes of machine code. */
  readonly codeBytes: number | null;
  readonly descriptor: KernelDescriptor | null;
}

export interface CodeObjectInfo {
  readonly kind: 'code-object';
  readonly target: string;
  /** 4, 5 or 6. */
  readonly version: number;
  /** False for an object file that lld has not linked yet: no runtime loads it. */
  readonly linked: boolean;
  readonly kernels: readonly KernelInfo[];
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** All numbers in the metadata are counts, sizes or offsets: safe integers that are not negative. */
const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
};
const blockOf = (value: unknown): number[] | null => {
  const sizes = listOf(value).map((each) => numberOf(each) ?? 0);
  return sizes.length === 3 && !sizes.includes(0) ? sizes : null;
};
const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** @throws DarmError `bad-input` when the bytes are not an AMD code object, or a damaged one */
export function inspectCodeObject(bytes: Uint8Array): CodeObjectInfo {
  const elf = parseElf(bytes);
  if (elf.machine !== MACHINE_AMDGPU) throw new DarmError('bad-input', 'the ELF file holds no AMD GPU code');
  if (elf.osAbi !== OS_ABI_HSA) throw new DarmError('bad-input', 'the code object is not for the HSA runtime');
  const symbols = new Map(elfSymbols(elf).map((symbol) => [symbol.name, symbol]));
  const note = elfNote(elf, METADATA_NOTE.name, METADATA_NOTE.type);
  if (note === null) throw new DarmError('bad-input', 'the code object has no metadata');
  const metadata = fieldsOf(decodeMessagePack(note, 'the metadata of the code object'));
  const kernels = listOf(metadata['amdhsa.kernels']);
  if (kernels.length > MAX_KERNELS)
    throw new DarmError('bad-input', `the code object has more than ${MAX_KERNELS} kernels`);
  return {
    kind: 'code-object',
    target: targetIdOf(elf.flags),
    version: elf.abiVersion + 2,
    linked: elf.type === ElfType.Shared,
    kernels: kernels.map((kernel) => kernelInfo(elf, symbols, fieldsOf(kernel))),
  };
}

function kernelInfo(elf: ElfFile, symbols: ReadonlyMap<string, ElfSymbol>, kernel: Fields): KernelInfo {
  const name = stringOf(kernel['.name']) ?? '';
  const symbol = stringOf(kernel['.symbol']) ?? `${name}.kd`;
  const descriptorSymbol = symbols.get(symbol);
  return {
    name,
    symbol,
    arguments: listOf(kernel['.args']).map((argument) => argumentInfo(fieldsOf(argument))),
    kernargSize: numberOf(kernel['.kernarg_segment_size']),
    groupSegmentSize: numberOf(kernel['.group_segment_fixed_size']),
    privateSegmentSize: numberOf(kernel['.private_segment_fixed_size']),
    sgprs: numberOf(kernel['.sgpr_count']),
    vgprs: numberOf(kernel['.vgpr_count']),
    agprs: numberOf(kernel['.agpr_count']),
    sgprSpills: numberOf(kernel['.sgpr_spill_count']),
    vgprSpills: numberOf(kernel['.vgpr_spill_count']),
    maxWorkgroupSize: numberOf(kernel['.max_flat_workgroup_size']),
    requiredBlock: blockOf(kernel['.reqd_workgroup_size']),
    wavefrontSize: numberOf(kernel['.wavefront_size']),
    codeBytes: symbols.get(name)?.size ?? null,
    descriptor: descriptorSymbol === undefined ? null : kernelDescriptor(elf, descriptorSymbol),
  };
}

/** A field that is missing counts as 0. An impossible value is an error: the arguments would be laid out wrongly. */
function required(argument: Fields, field: string): number {
  const number = numberOf(argument[field] ?? 0);
  if (number === null) throw new DarmError('bad-input', `the metadata has an argument with an impossible ${field}`);
  return number;
}

function argumentInfo(argument: Fields): KernelArgument {
  return {
    name: stringOf(argument['.name']),
    offset: required(argument, '.offset'),
    size: required(argument, '.size'),
    valueKind: stringOf(argument['.value_kind']) ?? 'unknown',
    addressSpace: stringOf(argument['.address_space']),
  };
}

function kernelDescriptor(elf: ElfFile, symbol: ElfSymbol): KernelDescriptor {
  const bytes = symbolBytes(elf, symbol);
  if (bytes === null || bytes.length < DESCRIPTOR_BYTES)
    throw new DarmError('bad-input', `the code object is damaged: ${symbol.name} is not a kernel descriptor`);
  const reader = new ByteReader(bytes, 'the kernel descriptor');
  const resources1 = reader.u32(48, 'COMPUTE_PGM_RSRC1');
  const properties = reader.u16(56, 'the code properties');
  return {
    groupSegmentSize: reader.u32(0, 'the LDS size'),
    privateSegmentSize: reader.u32(4, 'the scratch size'),
    kernargSize: reader.u32(8, 'the size of the arguments'),
    vgprGranules: resources1 & 0x3f,
    sgprGranules: (resources1 >>> 6) & 0x0f,
    wave32: (properties & (1 << 10)) !== 0,
  };
}
