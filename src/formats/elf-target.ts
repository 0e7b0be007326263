/**
 * Target ids (`gfx90a:sramecc+:xnack-`) from the `e_flags` of a code object (llvm/BinaryFormat/ELF.h, code object v4
 * and later).
 */

/** `e_machine` of code objects. */
export const MACHINE_AMDGPU = 224;

/** Values of EF_AMDGPU_MACH, the low byte of the flags. */
// prettier-ignore
const PROCESSORS: Readonly<Record<number, string>> = {
  0x20: 'gfx600', 0x21: 'gfx601', 0x22: 'gfx700', 0x23: 'gfx701', 0x24: 'gfx702', 0x25: 'gfx703', 0x26: 'gfx704',
  0x28: 'gfx801', 0x29: 'gfx802', 0x2a: 'gfx803', 0x2b: 'gfx810', 0x2c: 'gfx900', 0x2d: 'gfx902', 0x2e: 'gfx904',
  0x2f: 'gfx906', 0x30: 'gfx908', 0x31: 'gfx909', 0x32: 'gfx90c', 0x33: 'gfx1010', 0x34: 'gfx1011', 0x35: 'gfx1012',
  0x36: 'gfx1030', 0x37: 'gfx1031', 0x38: 'gfx1032', 0x39: 'gfx1033', 0x3a: 'gfx602', 0x3b: 'gfx705', 0x3c: 'gfx805',
  0x3d: 'gfx1035', 0x3e: 'gfx1034', 0x3f: 'gfx90a', 0x41: 'gfx1100', 0x42: 'gfx1013', 0x43: 'gfx1150', 0x44: 'gfx1103',
  0x45: 'gfx1036', 0x46: 'gfx1101', 0x47: 'gfx1102', 0x48: 'gfx1200', 0x49: 'gfx1250', 0x4a: 'gfx1151', 0x4c: 'gfx942',
  0x4e: 'gfx1201', 0x4f: 'gfx950', 0x51: 'gfx9-generic', 0x52: 'gfx10-1-generic', 0x53: 'gfx10-3-generic',
  0x54: 'gfx11-generic', 0x55: 'gfx1152', 0x58: 'gfx1153', 0x59: 'gfx12-generic', 0x5a: 'gfx1251', 0x5f: 'gfx9-4-generic',
};

/** A feature's state has two bits: 0 unsupported, 1 any, 2 off, 3 on. Target ids leave out the first two. */
const feature = (name: string, state: number): string => (state === 2 ? `:${name}-` : state === 3 ? `:${name}+` : '');

/** An unknown processor is called `mach-0x…`. */
export function targetIdOf(flags: number): string {
  const mach = flags & 0xff;
  const processor = PROCESSORS[mach] ?? `mach-0x${mach.toString(16).padStart(2, '0')}`;
  return processor + feature('sramecc', (flags >>> 10) & 3) + feature('xnack', (flags >>> 8) & 3);
}
