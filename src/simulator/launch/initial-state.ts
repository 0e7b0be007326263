/**
 * What the hardware has put into a wave's registers when its first instruction runs (llvm/docs/AMDGPUUsage.rst,
 * "Initial Kernel Execution State"). Registers that the document does not mention are zero here.
 */
import { ADDRESS_HIGH } from '../memory.js';
import type { KernelLayout } from '../kernel-layout.js';
import type { SimulatedTarget } from '../target.js';
import { EXEC, type Wave } from '../wave.js';
import type { LaunchDescriptor } from './descriptor.js';
import type { Dimensions } from './spec.js';

/** Lower words of addresses. */
export interface LaunchAddresses {
  readonly dispatchPacket: number;
  readonly queue: number;
  readonly kernarg: number;
  /** Scratch of the first wave; that of wave n follows n times `scratchBytesPerWave` later. */
  readonly scratch: number;
}

export interface InitialState {
  readonly target: SimulatedTarget;
  readonly waveSize: 32 | 64;
  readonly descriptor: LaunchDescriptor;
  readonly block: Dimensions;
  readonly addresses: LaunchAddresses;
  readonly scratchBytesPerWave: number;
  readonly wavesPerWorkgroup: number;
  /** The kernel argument segment as words, for the part that arrives in registers. */
  readonly kernarg: Uint32Array;
}

/** The scalar registers that are the same for all waves of a launch, in order. */
export function userRegisters(state: InitialState): number[] {
  const { descriptor, addresses, scratchBytesPerWave, wavesPerWorkgroup } = state;
  const { user, preload } = descriptor;
  const address = (low: number): number[] => [low, ADDRESS_HIGH];
  const words = [
    ...(user.privateSegmentBuffer ? scratchResource(state, scratchBytesPerWave * wavesPerWorkgroup) : []),
    ...(user.dispatchPtr ? address(addresses.dispatchPacket) : []),
    ...(user.queuePtr ? address(addresses.queue) : []),
    ...(user.kernargPtr ? address(addresses.kernarg) : []),
    ...(user.dispatchId ? [0, 0] : []),
    ...(user.flatScratchInit ? address(addresses.scratch) : []),
    ...(user.privateSegmentSize ? [descriptor.privateSegmentBytes] : []),
    ...state.kernarg.subarray(preload.offset, preload.offset + preload.length),
  ].slice(0, descriptor.userSgprs);
  while (words.length < descriptor.userSgprs) words.push(0);
  return words;
}

/**
 * The buffer resource of scratch: swizzled, the lane's number added, elements of 4 bytes, so that byte a of lane l lies
 * at ((a >> 2) * waveSize + l) * 4 + (a & 3). Fields: Vega and RDNA 2 ISA documents, "Buffer Resource Descriptor".
 */
function scratchResource({ target, waveSize, addresses }: InitialState, bytes: number): number[] {
  const SWIZZLE_ENABLE = 1 << 31;
  const ADD_TID = 1 << 23;
  const indexStride = (waveSize === 64 ? 3 : 2) << 21;
  const format = target.bufferDescriptor.dwordFormat;
  return [addresses.scratch, (ADDRESS_HIGH | SWIZZLE_ENABLE) >>> 0, bytes, (format | indexStride | ADD_TID) >>> 0];
}

/** @param user what `userRegisters` returned */
export function initializeWave(
  wave: Wave,
  layout: KernelLayout,
  state: InitialState,
  user: readonly number[],
  workgroup: Dimensions,
): void {
  const { descriptor, target, block } = state;
  const { system } = descriptor;
  wave.u32.set(user, 0);
  let next = user.length;
  workgroup.forEach((id, axis) => {
    if (system.workgroupIds[axis]) wave.u32[next++] = id;
  });
  if (system.workgroupInfo) wave.u32[next++] = (wave.id === 0 ? 1 << 31 : 0) | state.wavesPerWorkgroup;
  if (system.privateSegment && !target.architectedFlatScratch) wave.u32[next++] = wave.id * state.scratchBytesPerWave;

  Object.assign(wave.mode, descriptor.float);
  wave.modeChanged();

  const items = block[0] * block[1] * block[2];
  const first = wave.id * wave.size;
  const lanes = Math.min(wave.size, items - first);
  const [x, y, z] = [layout.vgpr(0), layout.vgpr(1), layout.vgpr(2)];
  for (let lane = 0; lane < lanes; lane++) {
    const item = first + lane;
    const itemX = item % block[0];
    const row = Math.floor(item / block[0]);
    const itemY = descriptor.workItemIds >= 1 ? row % block[1] : 0;
    const itemZ = descriptor.workItemIds >= 2 ? Math.floor(row / block[1]) : 0;
    if (target.packedWorkItemIds) {
      wave.u32[x + lane] = itemX | (itemY << 10) | (itemZ << 20);
    } else {
      wave.u32[x + lane] = itemX;
      wave.u32[y + lane] = itemY;
      wave.u32[z + lane] = itemZ;
    }
  }
  if (lanes < wave.size) {
    wave.u32[EXEC] = lanes >= 32 ? 0xffffffff : 2 ** lanes - 1;
    wave.u32[EXEC + 1] = lanes > 32 ? 2 ** (lanes - 32) - 1 : 0;
    wave.execChanged();
  }
}
