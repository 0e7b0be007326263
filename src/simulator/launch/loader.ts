/** Puts a code object into the launch's memory: segments at their distances from each other, then relocations. */
import { DarmError } from '../../errors.js';
import { ADDRESS_HIGH, type GlobalMemory, type MemoryPlan } from '../memory.js';
import type { ImageRelocation, LoadableCodeObject } from './code-object.js';

/** Reserves the image's place. @returns lower word of the address that stands for the image's address 0 */
export function planImage(plan: MemoryPlan, { segments }: LoadableCodeObject): number {
  return plan.addImage('the code object', segments);
}

/** A 64-bit address from its lower word. */
export const addressOf = (low: number): bigint => (BigInt(ADDRESS_HIGH) << 32n) | BigInt(low);

/** @param base what `planImage` returned */
export function writeImage(memory: GlobalMemory, object: LoadableCodeObject, base: number): void {
  for (const { address, bytes } of object.segments) memory.u8.set(bytes, base + address);
  const view = new DataView(memory.buffer);
  for (const relocation of object.relocations) {
    const width = relocationBytes(relocation.type);
    const { address } = relocation;
    if (!object.segments.some((each) => address >= each.address && address + width <= each.address + each.size))
      throw new DarmError('bad-input', 'the code object is damaged: a relocation lies outside of its segments');
    const value = relocationValue(relocation, base);
    if (width === 8) view.setBigUint64(base + address, BigInt.asUintN(64, value), true);
    else if (width === 4) view.setUint32(base + address, Number(BigInt.asUintN(32, value)), true);
  }
}

/** Types of relocation records, llvm/BinaryFormat/ELFRelocs/AMDGPU.def. */
const Relocation = {
  None: 0,
  Abs32Low: 1,
  Abs32High: 2,
  Abs64: 3,
  Rel32: 4,
  Rel64: 5,
  Abs32: 6,
  Rel32Low: 10,
  Rel32High: 11,
  Relative64: 13,
} as const;

function relocationBytes(type: number): 0 | 4 | 8 {
  switch (type) {
    case Relocation.None:
      return 0;
    case Relocation.Abs64:
    case Relocation.Rel64:
    case Relocation.Relative64:
      return 8;
    case Relocation.Abs32Low:
    case Relocation.Abs32High:
    case Relocation.Rel32:
    case Relocation.Abs32:
    case Relocation.Rel32Low:
    case Relocation.Rel32High:
      return 4;
    default:
      throw new DarmError('bad-input', `the code object has a relocation of an unknown type, ${type}`);
  }
}

function relocationValue({ type, symbol, addend, address }: ImageRelocation, base: number): bigint {
  const target = (symbol === null ? 0n : addressOf(base + symbol)) + addend;
  switch (type) {
    case Relocation.Relative64:
      return addressOf(base) + addend;
    case Relocation.Abs32High:
      return target >> 32n;
    case Relocation.Rel32:
    case Relocation.Rel64:
    case Relocation.Rel32Low:
      return target - addressOf(base + address);
    case Relocation.Rel32High:
      return (target - addressOf(base + address)) >> 32n;
    default:
      return target;
  }
}
