/**
 * The kernel descriptor: 64 bytes by which a kernel tells the hardware what it wants to find in its registers
 * (llvm/docs/AMDGPUUsage.rst, "Kernel Descriptor" and the tables of COMPUTE_PGM_RSRC1 to 3).
 */
import { ByteReader } from '../../formats/byte-reader.js';
import type { FloatMode } from '../wave.js';

export const DESCRIPTOR_BYTES = 64;

export interface LaunchDescriptor {
  /** LDS that the kernel declares, bytes per workgroup. */
  readonly groupSegmentBytes: number;
  /** Scratch, bytes per work-item. */
  readonly privateSegmentBytes: number;
  readonly kernargBytes: number;
  /** Bytes from the descriptor to the first instruction; may be negative. */
  readonly entryOffset: number;
  readonly wave32: boolean;
  /**
   * The kernel has calls that the compiler could not follow (recursion, function pointers), so the scratch that it
   * needs is not known.
   */
  readonly dynamicStack: boolean;
  readonly float: FloatMode;
  /** Scalar registers before the workgroup ids, unused ones included. */
  readonly userSgprs: number;
  /** Which values the user registers hold; in this order. */
  readonly user: {
    readonly privateSegmentBuffer: boolean;
    readonly dispatchPtr: boolean;
    readonly queuePtr: boolean;
    readonly kernargPtr: boolean;
    readonly dispatchId: boolean;
    readonly flatScratchInit: boolean;
    readonly privateSegmentSize: boolean;
  };
  /** Kernel arguments that arrive in registers (gfx90a, gfx942), in words. */
  readonly preload: { readonly length: number; readonly offset: number };
  /** Which scalar registers follow; in this order. */
  readonly system: {
    readonly workgroupIds: readonly [x: boolean, y: boolean, z: boolean];
    readonly workgroupInfo: boolean;
    /** The kernel uses scratch; the wave's offset into it is passed where the hardware does not keep it to itself. */
    readonly privateSegment: boolean;
  };
  /** Highest dimension whose work-item id is wanted: 0 (x) to 2 (z). */
  readonly workItemIds: number;
}

export function parseDescriptor(bytes: Uint8Array): LaunchDescriptor {
  const reader = new ByteReader(bytes, 'the kernel descriptor');
  const word = (at: number): number => reader.u32(at, 'a field');
  const [resources1, resources2, properties] = [word(48), word(52), word(56)];
  const field = (from: number, at: number, bits: number): number => (from >>> at) & ((1 << bits) - 1);
  const bit = (from: number, at: number): boolean => field(from, at, 1) !== 0;
  return {
    groupSegmentBytes: word(0),
    privateSegmentBytes: word(4),
    kernargBytes: word(8),
    entryOffset: (word(20) | 0) * 2 ** 32 + word(16),
    wave32: bit(properties, 10),
    dynamicStack: bit(properties, 11),
    float: {
      roundF32: field(resources1, 12, 2),
      roundF16F64: field(resources1, 14, 2),
      denormF32: field(resources1, 16, 2),
      denormF16F64: field(resources1, 18, 2),
      dx10Clamp: bit(resources1, 21),
      ieee: bit(resources1, 23),
    },
    userSgprs: field(resources2, 1, 5),
    user: {
      privateSegmentBuffer: bit(properties, 0),
      dispatchPtr: bit(properties, 1),
      queuePtr: bit(properties, 2),
      kernargPtr: bit(properties, 3),
      dispatchId: bit(properties, 4),
      flatScratchInit: bit(properties, 5),
      privateSegmentSize: bit(properties, 6),
    },
    preload: { length: field(properties, 16, 7), offset: field(properties, 23, 9) },
    system: {
      workgroupIds: [bit(resources2, 7), bit(resources2, 8), bit(resources2, 9)],
      workgroupInfo: bit(resources2, 10),
      privateSegment: bit(resources2, 0),
    },
    workItemIds: Math.min(field(resources2, 11, 2), 2),
  };
}
