/**
 * `flat_*`: 64-bit addresses in vector registers plus an unsigned constant. What an address means depends on its upper
 * word: the LDS behind the shared aperture, private memory behind the private one, else global memory (memory.ts).
 * Lanes of one instruction may differ in that; each group of lanes is then executed by itself.
 */
import { AccessKind } from '../access-description.js';
import { at, countLines, locateGlobal, locatePrivate, type MemoryAccess } from '../access.js';
import { countPasses, locateLds, type LdsShape } from '../lds-access.js';
import { PRIVATE_APERTURE, SHARED_APERTURE } from '../memory.js';
import type { Step, Wave } from '../wave.js';
import { watchLds } from './ds-access.js';
import type { Operation, OperationTable } from './operation.js';
import { rowOf, type AccessFactory } from './transfers.js';
import { atomics, flatAccess, loadsAndStores } from './vector-memory.js';

/** Puts the active lanes with an upper address word (`equal`), or with neither aperture's, into `group`. */
function lanesOf(w: Wave, high: number, aperture: number, group: Uint8Array): number {
  let count = 0;
  for (let k = 0; k < w.active; k++) {
    const l = w.lanes[k]!;
    const upper = w.i32[high + l]!;
    const is = upper === SHARED_APERTURE || upper === PRIVATE_APERTURE ? upper : 0;
    if (is === aperture) group[count++] = l;
  }
  return count;
}

function flatStep(w: Wave, high: number, inGlobal: Step, inLds: Step, inPrivate: Step): void {
  const { i32, lanes, active } = w;
  let shared = 0;
  let own = 0;
  for (let k = 0; k < active; k++) {
    const upper = i32[high + lanes[k]!]!;
    if (upper === SHARED_APERTURE) shared++;
    else if (upper === PRIVATE_APERTURE) own++;
  }
  if (shared + own === 0) return inGlobal(w);
  if (shared === active) return inLds(w);
  if (own === active) return inPrivate(w);
  // Which lanes are in which group must be known before any result overwrites an address.
  const groups = [
    [0, inGlobal],
    [SHARED_APERTURE, inLds],
    [PRIVATE_APERTURE, inPrivate],
  ] as const;
  const parts = groups.map(([aperture, step]) => {
    const group = new Uint8Array(64);
    return { group, count: lanesOf(w, high, aperture, group), step };
  });
  try {
    for (const { group, count, step } of parts) {
      w.lanes = group;
      w.active = count;
      step(w);
    }
  } finally {
    w.lanes = lanes;
    w.active = active;
  }
}

/** For flat accesses LLVM assumes no more than a word's alignment. */
const ldsShape = (access: MemoryAccess): LdsShape => {
  const isAtomic = access.kind === AccessKind.Atomic;
  return {
    bytes: access.bytes,
    alignment: isAtomic ? access.bytes : Math.min(access.bytes, 4),
    strict: isAtomic,
    access,
  };
};

const bind =
  (factory: AccessFactory): Operation =>
  (site) => {
    const access = flatAccess(site, factory);
    const { bytes, transfer } = access;
    const shape = ldsShape(access);
    const bits = site.target.cacheLineBits;
    // The sign bit of the constant is not used.
    const offset = site.instruction.immediate('offset') & ((1 << (site.target.offsetBits - 1)) - 1);
    const a = rowOf(site, 'vaddr');
    const inGlobal: Step = (w) => {
      const low = locateGlobal(w, a, offset, access, bits);
      const { races } = w.lds;
      if (races !== null) races.inMemory(w, at, access, 1);
      transfer(w, w.memory.i32, w.memory.u8, low, 1);
    };
    const inLds: Step = (w) => {
      const low = locateLds(w, at, a, offset, shape);
      watchLds(w, at, access);
      countPasses(w, at, null, bytes);
      transfer(w, w.lds.i32, w.lds.u8, low, 1);
    };
    const inPrivate: Step = (w) => {
      const low = locatePrivate(w, a, offset, access);
      countLines(w, bytes, w.size, bits);
      transfer(w, w.memory.i32, w.memory.u8, low, w.size);
    };
    const high = a + site.size;
    return site.step((w) => flatStep(w, high, inGlobal, inLds, inPrivate));
  };

export const flat: OperationTable = { ...loadsAndStores('flat', bind), ...atomics('flat', bind) };
