/**
 * Checks a launch spec against the kernel's metadata (counts, sizes, limits) and writes the kernel argument segment:
 * the explicit arguments, then the hidden ones of code objects v4 to v6 (llvm/docs/AMDGPUUsage.rst, "Kernarg Segment"
 * and "AMDHSA Code Object V5 Metadata").
 */
import { DarmError } from '../../errors.js';
import type { KernelArgument } from '../../formats/code-object.js';
import { PRIVATE_APERTURE, SHARED_APERTURE } from '../memory.js';
import type { LoadableKernel } from './code-object.js';
import { addressOf } from './loader.js';
import type { ArgumentSpec, Dimensions, KernelLaunch } from './spec.js';

/** Most LDS of a workgroup on every target here. */
const MAX_LDS = 65536;
/** Most work-items of a workgroup on every target here, whatever the metadata allows. */
const MAX_WORK_ITEMS = 1024;
/** Largest kernel argument segment: far more than any compiler makes, far less than damaged metadata may claim. */
const MAX_KERNARG = 2 ** 20;

const isHidden = ({ valueKind }: KernelArgument): boolean => valueKind.startsWith('hidden_');

/** The arguments that a caller passes. */
export const explicitArguments = ({ info }: LoadableKernel): KernelArgument[] =>
  info.arguments.filter((argument) => !isHidden(argument));

const volume = ([x, y, z]: readonly number[]): number => x! * y! * z!;

/** @throws DarmError `bad-input` when the launch is not one that the kernel allows */
export function checkLaunch(kernel: LoadableKernel, launch: KernelLaunch): void {
  const { info, descriptor } = kernel;
  const explicit = explicitArguments(kernel);
  if (explicit.length !== launch.args.length)
    fail(
      kernel,
      `takes ${explicit.length} argument${explicit.length === 1 ? '' : 's'}, the launch spec has ${launch.args.length}`,
    );
  explicit.forEach((argument, index) => {
    const complaint = misfit(argument, launch.args[index]!);
    if (complaint !== null) fail(kernel, `argument ${index}${argument.name ? ` (${argument.name})` : ''} ${complaint}`);
  });
  const items = volume(launch.block);
  const most = Math.min(info.maxWorkgroupSize ?? MAX_WORK_ITEMS, MAX_WORK_ITEMS);
  if (items > most) fail(kernel, `allows ${most} work-items per workgroup, the launch spec has ${items}`);
  const required = info.requiredBlock;
  if (required !== null && required.some((size, axis) => size !== launch.block[axis]))
    fail(kernel, `requires blocks of ${required.join('x')}, the launch spec has ${launch.block.join('x')}`);
  const lds = descriptor.groupSegmentBytes + launch.dynamicLds;
  if (lds > MAX_LDS) fail(kernel, `would use ${lds} bytes of LDS, of ${MAX_LDS} that there are`);
  const bytes = kernargSize(kernel);
  if (bytes > MAX_KERNARG) fail(kernel, `has ${bytes} bytes of arguments, more than ${MAX_KERNARG}`);
  if (volume(launch.grid) >= 2 ** 31) fail(kernel, 'is launched with 2^31 workgroups or more');
}

function fail({ info }: LoadableKernel, complaint: string): never {
  throw new DarmError('bad-input', `kernel '${info.name}' ${complaint}`);
}

function misfit({ valueKind, size }: KernelArgument, given: ArgumentSpec): string | null {
  const bytes = given.kind === 'bytes' ? given.bytes.length : 8;
  const pointer = valueKind === 'global_buffer';
  if (!pointer && valueKind !== 'by_value' && valueKind !== 'dynamic_shared_pointer')
    return `is of a kind that the simulator does not know, ${valueKind}`;
  if (bytes === size) return null;
  if (given.kind === 'buffer') return `is a value of ${size} bytes, the launch spec passes a buffer`;
  return `${pointer ? 'is a pointer and has' : 'has'} ${size} bytes, the launch spec passes ${bytes}`;
}

export interface ArgumentAddresses {
  /** Lower word of a buffer's address. */
  readonly buffer: (index: number) => number;
  readonly queue: number;
}

/** Bytes that the kernel argument segment takes: rounded up, as LLVM's loads of it may read up to its alignment. */
export function kernargSize({ info, descriptor }: LoadableKernel): number {
  const ends = info.arguments.map(({ offset, size }) => offset + size);
  return Math.ceil(Math.max(descriptor.kernargBytes, info.kernargSize ?? 0, ...ends) / 16) * 16;
}

/** @param into the segment, all zero */
export function writeKernarg(
  into: Uint8Array,
  kernel: LoadableKernel,
  launch: KernelLaunch,
  addresses: ArgumentAddresses,
): void {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  explicitArguments(kernel).forEach(({ offset }, index) => {
    const given = launch.args[index]!;
    if (given.kind === 'bytes') into.set(given.bytes, offset);
    else view.setBigUint64(offset, addressOf(addresses.buffer(given.buffer) + given.offset), true);
  });
  for (const argument of kernel.info.arguments.filter(isHidden)) {
    const value = hiddenValue(argument.valueKind, launch, addresses);
    const { offset, size } = argument;
    if (size === 8) view.setBigUint64(offset, value, true);
    else if (size === 4) view.setUint32(offset, Number(value), true);
    else if (size === 2) view.setUint16(offset, Number(value), true);
    else fail(kernel, `has a hidden argument of ${size} bytes, ${argument.valueKind}`);
  }
}

function hiddenValue(kind: string, { grid, block, dynamicLds }: KernelLaunch, { queue }: ArgumentAddresses): bigint {
  const axis = 'xyz'.indexOf(kind.slice(-1));
  switch (kind) {
    case 'hidden_block_count_x':
    case 'hidden_block_count_y':
    case 'hidden_block_count_z':
      return BigInt(grid[axis]!);
    case 'hidden_group_size_x':
    case 'hidden_group_size_y':
    case 'hidden_group_size_z':
      return BigInt(block[axis]!);
    case 'hidden_grid_dims':
      return BigInt(dimensionsOf({ grid, block }));
    case 'hidden_dynamic_lds_size':
      return BigInt(dynamicLds);
    case 'hidden_private_base':
      return BigInt(PRIVATE_APERTURE);
    case 'hidden_shared_base':
      return BigInt(SHARED_APERTURE);
    case 'hidden_queue_ptr':
      return addressOf(queue);
    default:
      // Remainders and global offsets are zero: a grid is made of whole workgroups that begin at zero. There is no
      // printf buffer, no hostcall service, no device heap and no second grid. Their pointers are null, so that using
      // one is a fault.
      return 0n;
  }
}

/** How many dimensions the grid has. */
const dimensionsOf = ({ grid, block }: Pick<KernelLaunch, 'grid' | 'block'>): number =>
  grid[2] * block[2] > 1 ? 3 : grid[1] * block[1] > 1 ? 2 : 1;

/** `hsa_kernel_dispatch_packet_t`, 64 bytes (HSA Runtime Specification 1.2, section 2.9.6). */
export function dispatchPacket(
  kernel: LoadableKernel,
  launch: KernelLaunch,
  addresses: { readonly descriptor: number; readonly kernarg: number },
): Uint8Array {
  const view = new DataView(new ArrayBuffer(64));
  const { grid, block } = launch;
  const HSA_PACKET_TYPE_KERNEL_DISPATCH = 2;
  view.setUint16(0, HSA_PACKET_TYPE_KERNEL_DISPATCH, true);
  view.setUint16(2, dimensionsOf(launch), true);
  block.forEach((size, axis) => view.setUint16(4 + 2 * axis, size, true));
  grid.forEach((groups, axis) => view.setUint32(12 + 4 * axis, groups * block[axis]!, true));
  view.setUint32(24, kernel.descriptor.privateSegmentBytes, true);
  view.setUint32(28, kernel.descriptor.groupSegmentBytes + launch.dynamicLds, true);
  view.setBigUint64(32, addressOf(addresses.descriptor), true);
  view.setBigUint64(40, addressOf(addresses.kernarg), true);
  return new Uint8Array(view.buffer);
}

/** The part of `amd_queue_t` that kernels read: the apertures (ROCR-Runtime, inc/amd_hsa_queue.h). */
export function queueDescriptor(): Uint8Array {
  const view = new DataView(new ArrayBuffer(256));
  view.setUint32(64, SHARED_APERTURE, true);
  view.setUint32(68, PRIVATE_APERTURE, true);
  return new Uint8Array(view.buffer);
}

export const totalWorkgroups = ({ grid }: { readonly grid: Dimensions }): number => volume(grid);
