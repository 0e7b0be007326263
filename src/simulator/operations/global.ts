/**
 * `global_*`: a 64-bit address in vector registers, or in scalar registers plus 32 unsigned bits in a vector register;
 * plus a signed constant (ISA documents, "Flat memory instructions").
 */
import { AccessKind } from '../access-description.js';
import { at, locateFromScalar, locateGlobal, type MemoryAccess, type ScalarBase } from '../access.js';
import type { Site } from '../site.js';
import type { Step, Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';
import { named } from './operation.js';
import { loadOf, LOADS, rowOf, storeOf, type AccessFactory } from './transfers.js';
import { globalWord, globalWordFromScalar, isWord, type GlobalWord } from './word-access.js';
import { atomics, flatAccess, ldsTarget, loadsAndStores, signedOffset } from './vector-memory.js';

type Locate = (w: Wave) => number;

function locator(site: Site, access: MemoryAccess): Locate {
  const { instruction } = site;
  const offset = signedOffset(site);
  const bits = site.target.cacheLineBits;
  const v = rowOf(site, 'vaddr');
  if (!instruction.has('saddr')) return (w) => locateGlobal(w, v, offset, access, bits);
  const s = site.scalarSource('saddr', 2);
  const address: ScalarBase = { s, v, vectorStride: 1, offset, perLane: 0 };
  return (w) => locateFromScalar(w, address, access, bits);
}

/** A word for each lane, one behind the other. */
function addtidLocator(site: Site, access: MemoryAccess): Locate {
  const offset = signedOffset(site);
  const bits = site.target.cacheLineBits;
  const zero = site.layout.constant(0, 0);
  const s = site.instruction.has('saddr') ? site.scalarSource('saddr', 2) : zero;
  const address: ScalarBase = { s, v: zero, vectorStride: 0, offset, perLane: 4 };
  return (w) => locateFromScalar(w, address, access, bits);
}

function globalStep(site: Site, access: MemoryAccess, locate: Locate, fast: ((w: Wave) => boolean) | null): Step {
  const { transfer } = access;
  return site.step((w) => {
    const { races } = w.lds;
    if (fast !== null && races === null && fast(w)) return;
    const low = locate(w);
    if (races !== null) races.inMemory(w, at, access, 1);
    transfer(w, w.memory.i32, w.memory.u8, low, 1);
  });
}

const bind = (factory: AccessFactory): Operation => {
  return (site) => {
    const access = flatAccess(site, factory);
    return globalStep(site, access, locator(site, access), fastPath(site, access));
  };
};

function fastPath(site: Site, access: MemoryAccess): ((w: Wave) => boolean) | null {
  if (!isWord(access)) return null;
  const isStore = access.kind === AccessKind.Write;
  const { size, target } = site;
  const r = rowOf(site, isStore ? 'vdata' : 'vdst');
  const word: GlobalWord = { isStore, r, offset: signedOffset(site), size, bits: target.cacheLineBits };
  const v = rowOf(site, 'vaddr');
  if (!site.instruction.has('saddr')) return globalWord(word, v);
  return globalWordFromScalar(word, site.scalarSource('saddr', 2), v);
}

const bindAddtid =
  (factory: AccessFactory): Operation =>
  (site) => {
    const access = flatAccess(site, factory);
    return globalStep(site, access, addtidLocator(site, access), null);
  };

const bindToLds =
  (factory: AccessFactory): Operation =>
  (site) => {
    const { row, store } = ldsTarget(site);
    const access = factory(site, { at, result: row, data: -1, second: -1 });
    site.after(store);
    return globalStep(site, access, locator(site, access), null);
  };

/** The loads that leave a word: 32 bits, or less and extended. */
const toLds = LOADS.filter(([[name]]) => /^([us](byte|short)|dword)$/.test(name)).map(([names, factory]) =>
  named(bindToLds(factory), ...names.map((name) => `global_load_lds_${name}`)),
);

export const global: OperationTable = Object.assign(
  {},
  loadsAndStores('global', bind),
  atomics('global', bind),
  named(bindAddtid(loadOf(1)), 'global_load_dword_addtid', 'global_load_addtid_b32'),
  named(bindAddtid(storeOf(1)), 'global_store_dword_addtid', 'global_store_addtid_b32'),
  ...toLds,
) as OperationTable;
