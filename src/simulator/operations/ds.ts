/**
 * LDS instructions (ISA documents, "LDS instructions"): loads and stores with one and two addresses, the counters of
 * ds_append and ds_consume; atomics and exchanges between lanes are in ds-atomics.ts and ds-lanes.ts. Addresses,
 * alignment and bank conflicts: lds-access.ts. Not simulated: the `_src2_` forms, ordered counts and everything on the
 * GDS.
 */
import { AccessKind } from '../access-description.js';
import { at, type MemoryAccess } from '../access.js';
import { Fault } from '../fault.js';
import { INTEGER, atomic32, atomic64 } from './atomics.js';
import { byLane, globalDataShare, pair, single, watchLds } from './ds-access.js';
import { dsAtomics } from './ds-atomics.js';
import { dsLanes } from './ds-lanes.js';
import { named, type Operation, type OperationTable } from './operation.js';
import { loadOf, LOADS, rowOf, storeOf, STORES } from './transfers.js';
import { M0 } from '../wave.js';
import { outsideLds } from '../lds-access.js';

/** `d16_hi_u8` of GFX11's global loads is `u8_d16_hi` here, `d16_b16` is `u16_d16`. */
const ldsName = (name: string, half: string): string =>
  name.replace(/^(d16(?:_hi)?)_(\w+)$/, (_, part: string, type: string) => `${type === 'b16' ? half : type}_${part}`);

const reads = LOADS.map(([[, name], factory]) => {
  const type = ldsName(name, 'u16');
  return named(single(factory), `ds_read_${type}`, `ds_load_${type}`);
});
const writes = STORES.map(([[, name], factory]) => {
  const type = ldsName(name, 'b16');
  return named(single(factory), `ds_write_${type}`, `ds_store_${type}`);
});

const pairs = ([1, 2] as const).flatMap((words) =>
  ([1, 64] as const).map((stride): OperationTable => {
    const type = `b${32 * words}`;
    const [old, now] = stride === 1 ? ['2', '2addr'] : ['2st64', '2addr_stride64'];
    const swap = words === 1 ? atomic32(INTEGER['swap']![0]) : atomic64(INTEGER['swap']![1]);
    return {
      ...named(pair(loadOf(words), words, stride), `ds_read${old}_${type}`, `ds_load_${now}_${type}`),
      ...named(pair(storeOf(words), words, stride), `ds_write${old}_${type}`, `ds_store_${now}_${type}`),
      ...named(pair(swap, words, stride), `ds_wrxchg${old}_rtn_${type}`, `ds_storexchg_${now}_rtn_${type}`),
    };
  }),
);

/** The word at M0 (16 bits) + offset changes by the number of active lanes, each of which gets the old value. */
const counter =
  (sign: 1 | -1): Operation =>
  (site) => {
    const { instruction } = site;
    const offset = instruction.immediate('offset');
    const d = rowOf(site, 'vdst');
    const access: MemoryAccess = {
      instruction,
      bytes: 4,
      kind: AccessKind.Atomic,
      transfer: () => {},
      prefixes: [],
      clear: () => {},
      stored: null,
    };
    return (
      globalDataShare(site) ??
      site.step((w) => {
        const { i32, lanes, active, lds } = w;
        if (active === 0) return;
        const x = (i32[M0]! & 0xffff) + offset;
        if (x + 4 > lds.size) throw outsideLds(w, x, access, lanes[0]!);
        if ((x & 3) !== 0) throw new Fault(`an atomic at LDS address ${x}, which is no multiple of 4`);
        at.fill(x, 0, active);
        watchLds(w, at, access);
        const old = lds.i32[x >> 2]!;
        lds.i32[x >> 2] = old + sign * active;
        for (let k = 0; k < active; k++) i32[d + lanes[k]!] = old;
        w.transactions += 1;
      })
    );
  };

/** Global wave sync and the GDS's ordered counts reach beyond what a launch simulates. */
const unsupported: Operation = ({ instruction }) => {
  return () => {
    throw new Fault(`${instruction.mnemonic} is not simulated: there is no global data share`);
  };
};

export const ds: OperationTable = Object.assign(
  {
    ds_nop: (site) => site.step(() => {}),
    ds_append: counter(1),
    ds_consume: counter(-1),
  } satisfies OperationTable,
  named(byLane(loadOf(1)), 'ds_read_addtid_b32', 'ds_load_addtid_b32'),
  named(byLane(storeOf(1)), 'ds_write_addtid_b32', 'ds_store_addtid_b32'),
  named(
    unsupported,
    'ds_gws_barrier',
    'ds_gws_init',
    'ds_gws_sema_br',
    'ds_gws_sema_p',
    'ds_gws_sema_v',
    'ds_gws_sema_release_all',
    'ds_ordered_count',
    'ds_add_gs_reg_rtn',
    'ds_sub_gs_reg_rtn',
  ),
  dsAtomics,
  dsLanes,
  ...reads,
  ...writes,
  ...pairs,
) as OperationTable;
