/**
 * `scratch_*`: private memory at a vector register, a scalar register, both (RDNA 3 and CDNA 3) or neither, plus a
 * signed constant. The hardware adds FLAT_SCRATCH, the start of the wavefront's private memory, and interleaves the
 * lanes (access.ts); that start is the wave's own here, whatever the program has put into FLAT_SCRATCH.
 */
import { at, countLines, locatePrivate, type MemoryAccess } from '../access.js';
import type { Site } from '../site.js';
import type { Step } from '../wave.js';
import { named, type Operation, type OperationTable } from './operation.js';
import { LOADS, rowOf, type AccessFactory } from './transfers.js';
import { flatAccess, ldsTarget, loadsAndStores, signedOffset } from './vector-memory.js';

function scratchStep(site: Site, access: MemoryAccess): Step {
  const { bytes, transfer } = access;
  const bits = site.target.cacheLineBits;
  const offset = signedOffset(site);
  const v = rowOf(site, 'vaddr');
  const s = site.instruction.has('saddr') ? site.scalarSource('saddr') : site.layout.constant(0);
  return site.step((w) => {
    const low = locatePrivate(w, v, w.i32[s]! + offset, access);
    countLines(w, bytes, w.size, bits);
    transfer(w, w.memory.i32, w.memory.u8, low, w.size);
  });
}

const bind =
  (factory: AccessFactory): Operation =>
  (site) =>
    scratchStep(site, flatAccess(site, factory));

const bindToLds =
  (factory: AccessFactory): Operation =>
  (site) => {
    const { row, store } = ldsTarget(site);
    site.after(store);
    return scratchStep(site, factory(site, { at, result: row, data: -1, second: -1 }));
  };

const toLds = LOADS.filter(([[name]]) => /^([us](byte|short)|dword)$/.test(name)).map(([[name], factory]) =>
  named(bindToLds(factory), `scratch_load_lds_${name}`),
);

export const scratch: OperationTable = Object.assign({}, loadsAndStores('scratch', bind), ...toLds) as OperationTable;
