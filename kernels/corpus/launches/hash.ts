import { concatenate, type Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out, u32 } from '../launch.js';
import type { Family } from '../family.js';

/** As in hash.hip. */
function mix(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** A table with linear probing, filled to two thirds, and the keys in it. */
function table(d: Inputs, slots: number): { table: Uint32Array; keys: number[] } {
  const table = new Uint32Array(2 * slots);
  const keys: number[] = [];
  for (let k = 0; k < (2 * slots) / 3; k++) {
    const key = d.whole(1, 2 ** 31);
    let slot = mix(key) & (slots - 1);
    while (table[2 * slot] !== 0) slot = (slot + 1) & (slots - 1);
    table.set([key, k], 2 * slot);
    keys.push(key);
  }
  return { table, keys };
}

/** Requests, of which `hits` are for known keys. */
const requests = (d: Inputs, n: number, keys: readonly number[], hits: number): Uint32Array =>
  Uint32Array.from({ length: n }, () => (d.chance(hits) ? d.pick(keys) : d.whole(1, 2 ** 31)));

export const hash: Family = {
  probe_linear: (d) => {
    const n = d.count(2000);
    const { table: slots, keys } = table(d, 4096);
    return line(n, 256, out.u32(n), requests(d, n, keys, 0.7), slots, u32(4095), i32(n));
  },
  probe_cuckoo: (d) => {
    const n = d.count(2000);
    const first = new Uint32Array(2 * 2048);
    const second = new Uint32Array(2 * 2048);
    const stash = new Uint32Array(2 * 12);
    const keys = Array.from({ length: 1800 }, () => d.whole(1, 2 ** 31));
    keys.forEach((key, k) => {
      const [a, b] = [mix(key) & 2047, mix((key ^ 0x9e3779b9) >>> 0) & 2047];
      if (first[2 * a] === 0) first.set([key, k], 2 * a);
      else if (second[2 * b] === 0) second.set([key, k], 2 * b);
      else stash.set([key, k], 2 * (k % 12));
    });
    return line(n, 256, out.u32(n), requests(d, n, keys, 0.9), first, second, stash, i32(12), u32(2047), i32(n));
  },
  insert_unique: (d) => {
    const n = d.count(1000);
    // Words of a text: a few are most of them. Where a key ends up depends on who comes first, so the table is no
    // output.
    const keys = Uint32Array.from({ length: n }, () => 1 + d.skewed(500));
    return line(n, 128, new Uint32Array(1024), out.u32(1), keys, u32(1023), i32(n));
  },
  bloom_test: (d) => {
    const n = d.count(2000);
    const filter = new Uint32Array(512);
    const keys = Array.from({ length: 1500 }, () => d.whole(1, 2 ** 31));
    for (const key of keys)
      for (let k = 0, h = mix(key); k < 4; k++, h = mix((h + 0x9e3779b9) >>> 0))
        filter[(h & 16383) >> 5]! |= 1 << (h & 31);
    return line(n, 256, out.u8(n), requests(d, n, keys, 0.4), filter, u32(16384), i32(n));
  },
  murmur_strings: (d) => {
    const n = d.count(1000);
    const { text, starts } = concatenate(Array.from({ length: n }, () => d.prose(d.whole(1, 12) + d.skewed(40))));
    return line(n, 128, out.u32(n), text, starts, i32(n));
  },
  lru_four_ways: (d) => {
    const [sets, count] = [d.count(512), 24];
    const wanted = Uint32Array.from({ length: sets * count }, () => 1 + d.skewed(12));
    return line(sets, 128, out.u32(sets), inOut(new Uint32Array(4 * sets)), wanted, i32(count), i32(sets));
  },
  histogram_range: (d) => {
    const n = d.count(4000);
    return line(n / 2, 256, out.u32(66), d.normals(n), f32(-2), f32(2), i32(n));
  },
  histogram_weighted: (d) => {
    const n = d.count(3000);
    const category = Int32Array.from({ length: n }, () => (d.chance(0.02) ? -1 : d.skewed(63)));
    return line(n, 256, out.u32(64), out.u32(64), category, d.uints(n, 1, 9), d.flags(n, 0.3), i32(64), i32(n));
  },
};
