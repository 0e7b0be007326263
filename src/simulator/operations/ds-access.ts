/** LDS instructions from the data side of an access: one address, two addresses, or one that follows from the lane. */
import { AccessKind } from '../access-description.js';
import { at, type MemoryAccess } from '../access.js';
import { Fault } from '../fault.js';
import { checkWritten, countPasses, locateLds, outsideLds, type LdsShape } from '../lds-access.js';
import type { Site } from '../site.js';
import { M0, type Step, type Wave } from '../wave.js';
import type { Operation } from './operation.js';
import { rowOf, type AccessFactory } from './transfers.js';
import { isWord, ldsWord } from './word-access.js';

/** The step of an instruction that accesses the global data share instead, which no launch has; null for others. */
export function globalDataShare({ instruction }: Site): Step | null {
  if (instruction.immediate('gds') === 0) return null;
  return () => {
    throw new Fault('the global data share is not simulated');
  };
}

/** Uninitialised reads and races, where they are looked for. */
export function watchLds(w: Wave, located: Int32Array, access: MemoryAccess): void {
  if (w.lds.written !== null) checkWritten(w, located, access.bytes, access);
  if (w.lds.races !== null) w.lds.races.inLds(w, located, access);
}

/** 96 and 128 bits go together. */
const naturalAlignment = (bytes: number): number => (bytes === 12 ? 16 : bytes);

function shapeOf(access: MemoryAccess, strict: boolean): LdsShape {
  return { bytes: access.bytes, alignment: naturalAlignment(access.bytes), strict, access };
}

/** `swapped`: data1 is what is stored, data0 the second data. */
export function single(factory: AccessFactory, swapped = false): Operation {
  return (site) => {
    const data = rowOf(site, swapped ? 'data1' : 'data0');
    const second = rowOf(site, swapped ? 'data0' : 'data1');
    const access = factory(site, { at, result: rowOf(site, 'vdst'), data, second });
    const shape = shapeOf(access, access.kind === AccessKind.Atomic);
    const a = rowOf(site, 'addr');
    const offset = site.instruction.immediate('offset');
    const { bytes, transfer } = access;
    const isStore = access.kind === AccessKind.Write;
    const fast = isWord(access) ? ldsWord(isStore, isStore ? data : rowOf(site, 'vdst'), a, offset) : null;
    return (
      globalDataShare(site) ??
      site.step((w) => {
        const { lds } = w;
        const watched = lds.written !== null || lds.races !== null;
        if (fast !== null && !watched && fast(w)) return;
        const low = locateLds(w, at, a, offset, shape);
        if (watched) watchLds(w, at, access);
        countPasses(w, at, null, bytes);
        transfer(w, lds.i32, lds.u8, low, 1);
      })
    );
  };
}

const second = new Int32Array(64);

/**
 * Two accesses of `words` words at addr + offset0 and addr + offset1, which count in units of the access's size, 64 of
 * them in the `st64` forms. The results lie one behind the other.
 */
export function pair(factory: AccessFactory, words: 1 | 2, stride: 1 | 64): Operation {
  return (site) => {
    const { instruction, size } = site;
    const a = rowOf(site, 'addr');
    const unit = 4 * words * stride;
    const offset0 = instruction.immediate('offset0') * unit;
    const offset1 = instruction.immediate('offset1') * unit;
    const result = rowOf(site, 'vdst');
    let data1 = rowOf(site, 'data1');
    if (result >= 0 && data1 >= 0) data1 = copied(site, data1, words);
    const accessA = factory(site, { at, result, data: rowOf(site, 'data0'), second: -1 });
    const resultB = result < 0 ? -1 : result + words * size;
    const accessB = factory(site, { at: second, result: resultB, data: data1, second: -1 });
    const shapeA = shapeOf(accessA, true);
    const shapeB = shapeOf(accessB, true);
    const bytes = 4 * words;
    return (
      globalDataShare(site) ??
      site.step((w) => {
        const { lds } = w;
        locateLds(w, at, a, offset0, shapeA);
        locateLds(w, second, a, offset1, shapeB);
        if (lds.written !== null || lds.races !== null) {
          watchLds(w, at, accessA);
          watchLds(w, second, accessB);
        }
        countPasses(w, at, second, bytes);
        accessA.transfer(w, lds.i32, lds.u8, 0, 1);
        accessB.transfer(w, lds.i32, lds.u8, 0, 1);
      })
    );
  };
}

/** A copy of data that the first half of the instruction may overwrite with its result. */
function copied(site: Site, row: number, words: number): number {
  const copy = site.row();
  if (words === 2) site.row();
  site.before((w) => w.i32.copyWithin(copy, row, row + words * w.size));
  return copy;
}

/** The address is M0 (16 bits) + offset + 4 * lane. */
export function byLane(factory: AccessFactory): Operation {
  return (site) => {
    const access = factory(site, { at, result: rowOf(site, 'vdst'), data: rowOf(site, 'data0'), second: -1 });
    const offset = site.instruction.immediate('offset');
    const { bytes, transfer } = access;
    return (
      globalDataShare(site) ??
      site.step((w) => {
        const base = (w.i32[M0]! & 0xffff) + offset;
        const low = locateByLane(w, base, access);
        watchLds(w, at, access);
        countPasses(w, at, null, bytes);
        transfer(w, w.lds.i32, w.lds.u8, low, 1);
      })
    );
  };
}

/** Locates a word per lane, of all lanes one behind the other. */
export function locateByLane(w: Wave, base: number, access: MemoryAccess): number {
  const { lanes, active, lds } = w;
  if ((base & 3) !== 0) throw new Fault(`an LDS access to words one behind the other at ${base}, no multiple of 4`);
  for (let k = 0; k < active; k++) {
    const x = base + 4 * lanes[k]!;
    if (x + 4 > lds.size) throw outsideLds(w, x, access, lanes[k]!);
    at[k] = x;
  }
  return 0;
}
