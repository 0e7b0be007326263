/**
 * What `global_*`, `flat_*`, `scratch_*` and `buffer_*` instructions share: the names of their loads, stores and
 * atomics in all instruction sets, and the loads that go to the LDS instead of a register.
 */
import { at, type MemoryAccess } from '../access.js';
import type { Site } from '../site.js';
import { M0, type Wave } from '../wave.js';
import { addPackedBf16, addPackedF16, atomic32, atomic64, FLOAT, INTEGER } from './atomics.js';
import { locateByLane, watchLds } from './ds-access.js';
import { named, type Operation, type OperationTable } from './operation.js';
import { LOADS, rowOf, storeOf, STORES, type AccessFactory } from './transfers.js';

export type Role = 'load' | 'store' | 'atomic';

/** An instruction's operation from its data side. */
export type Bind = (factory: AccessFactory, role: Role) => Operation;

export function loadsAndStores(prefix: string, bind: Bind): OperationTable {
  return Object.assign(
    {},
    ...LOADS.map(([names, factory]) => named(bind(factory, 'load'), ...names.map((name) => `${prefix}_load_${name}`))),
    ...STORES.map(([names, factory]) =>
      named(bind(factory, 'store'), ...names.map((name) => `${prefix}_store_${name}`)),
    ),
  ) as OperationTable;
}

/** Updates with their old and new names, and the letter that GFX11 writes before the width. */
const INTEGERS: readonly (readonly [update: string, old: string, now: string, letter: string])[] = [
  ['swap', 'swap', 'swap', 'b'],
  ['cmpswap', 'cmpswap', 'cmpswap', 'b'],
  ['add', 'add', 'add', 'u'],
  ['sub', 'sub', 'sub', 'u'],
  ['smin', 'smin', 'min', 'i'],
  ['umin', 'umin', 'min', 'u'],
  ['smax', 'smax', 'max', 'i'],
  ['umax', 'umax', 'max', 'u'],
  ['and', 'and', 'and', 'b'],
  ['or', 'or', 'or', 'b'],
  ['xor', 'xor', 'xor', 'b'],
  ['inc', 'inc', 'inc', 'u'],
  ['dec', 'dec', 'dec', 'u'],
];

const FLOATS: readonly (readonly [update: string, old: string, now: string])[] = [
  ['fcmpswap', 'fcmpswap', 'cmpswap'],
  ['fmin', 'fmin', 'min'],
  ['fmax', 'fmax', 'max'],
];

export function atomics(prefix: string, bind: Bind): OperationTable {
  const full = (...names: readonly string[]): string[] => names.map((name) => `${prefix}_atomic_${name}`);
  return Object.assign(
    {},
    ...INTEGERS.map(([update, old, now, letter]) => {
      const [narrow, wide, second] = INTEGER[update]!;
      return {
        ...named(bind(atomic32(narrow, second), 'atomic'), ...full(old, `${now}_${letter}32`)),
        ...named(bind(atomic64(wide, second), 'atomic'), ...full(`${old}_x2`, `${now}_${letter}64`)),
      };
    }),
    ...FLOATS.map(([update, old, now]) => {
      const [narrow, wide, second] = FLOAT[update]!;
      return {
        ...named(bind(atomic32(narrow, second), 'atomic'), ...full(old, `${now}_f32`)),
        ...named(bind(atomic64(wide, second), 'atomic'), ...full(`${old}_x2`, `${now}_f64`)),
      };
    }),
    named(bind(atomic32(INTEGER['csub']![0]), 'atomic'), ...full('csub', 'csub_u32')),
    named(bind(atomic32(FLOAT['fadd']![0], 'none', 'f32'), 'atomic'), ...full('add_f32')),
    named(bind(atomic64(FLOAT['fadd']![1], 'none', 'f16f64'), 'atomic'), ...full('add_f64')),
    named(bind(addPackedF16, 'atomic'), ...full('pk_add_f16')),
    named(bind(addPackedBf16, 'atomic'), ...full('pk_add_bf16')),
  ) as OperationTable;
}

/**
 * Loads of up to a word into the LDS: the word of lane l goes to M0 (16 bits) + offset + 4 l (Vega ISA, "Memory buffer
 * load to LDS"; CDNA 3 ISA, "Memory loads to LDS").
 */
export interface LdsTarget {
  /** Where the load leaves its words. */
  readonly row: number;
  /** Follows the load. */
  readonly store: (w: Wave) => void;
}

export function ldsTarget(site: Site): LdsTarget {
  const row = site.row();
  const access: MemoryAccess = storeOf(1)(site, { at, result: -1, data: row, second: -1 });
  const offset = site.instruction.immediate('offset');
  return {
    row,
    store: (w) => {
      locateByLane(w, (w.i32[M0]! & 0xffff) + offset, access);
      watchLds(w, at, access);
      access.transfer(w, w.lds.i32, w.lds.u8, 0, 1);
    },
  };
}

/** The data side of a FLAT-encoded instruction. */
export function flatAccess(site: Site, factory: AccessFactory): MemoryAccess {
  return factory(site, { at, result: rowOf(site, 'vdst'), data: rowOf(site, 'vdata'), second: -1 });
}

/** The signed offset of `global_*` and `scratch_*`. */
export function signedOffset({ instruction, target }: Site): number {
  const unused = 32 - target.offsetBits;
  return (instruction.immediate('offset') << unused) >> unused;
}
