import { concatenate, latin1, type Inputs } from '../inputs.js';
import { groups, i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

/** Words of fixed width, padded with zeros. */
function words(d: Inputs, n: number, width: number): Uint8Array {
  const all = new Uint8Array(n * width);
  for (let i = 0; i < n; i++)
    all.set(
      d.prose(1 + d.whole(2, width - 2)).map((c) => Math.max(c, 97)),
      i * width,
    );
  return all;
}

/** Two sequences of four letters that are related: every fifth letter differs, and few are lost. */
function related(d: Inputs, n: number): [Uint8Array, Uint8Array] {
  const a = d.bytes(n, 0, 3);
  return [a, a.map((letter) => (d.chance(0.2) ? d.whole(0, 3) : letter))];
}

export const search: Family = {
  find_pattern: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.u8(n), d.prose(n), latin1('e t'), i32(3), i32(n));
  },
  find_horspool: (d) => {
    const [n, piece] = [d.count(12000), 48];
    const pattern = latin1('tion');
    const skips = new Uint8Array(256).fill(pattern.length);
    pattern.slice(0, -1).forEach((c, k) => (skips[c] = pattern.length - 1 - k));
    const threads = Math.ceil(n / piece);
    const text = d.prose(n);
    for (let k = 0; k + 4 < n; k += d.whole(20, 200)) text.set(pattern, k);
    return line(threads, 64, out.i32(threads), text, pattern, skips, i32(pattern.length), i32(piece), i32(n));
  },
  match_wildcards: (d) => {
    const n = d.count(500);
    const { text, starts } = concatenate(Array.from({ length: n }, () => d.prose(d.whole(3, 24))));
    const pattern = latin1('*e?*t*');
    return line(n, 64, out.u8(n), text, starts, pattern, i32(pattern.length), i32(n));
  },
  run_automaton: (d) => {
    const n = d.count(600);
    // Numbers such as 12 or 12.5; classes: other, digit, point, blank.
    const next = Uint8Array.from([0, 0, 0, 0, 0, 3, 0, 1, 0, 3, 0, 0, 0, 3, 2, 3]);
    const classes = Uint8Array.from({ length: 256 }, (_, c) =>
      c >= 48 && c <= 57 ? 1 : c === 46 ? 2 : c === 32 ? 3 : 0,
    );
    const list = Array.from({ length: n }, () => {
      const number = `${d.chance(0.3) ? '  ' : ''}${d.skewed(99999)}${d.chance(0.5) ? `.${d.whole(0, 999)}` : ''}`;
      return latin1(d.chance(0.25) ? number.replace(/.$/, 'x9') : number);
    });
    const { text, starts } = concatenate(list);
    return line(n, 64, out.u8(n), out.i32(n), text, starts, next, classes, i32(n));
  },
  edit_distance: (d) => {
    const [n, width] = [d.count(300), 12];
    return line(n, 64, out.i32(n), words(d, n, width), latin1('letters'), i32(7), i32(width), i32(n));
  },
  needleman_tile: (d) => {
    const blocks = d.count(8);
    const [a, b] = related(d, 32 * blocks);
    return groups(blocks, 32, out.i32(32 * blocks), a, b, i32(2));
  },
  smith_waterman: (d) => {
    const [n, length] = [d.count(150), 16];
    const [a, b] = related(d, 16 * n);
    return line(n, 64, out.i32(n), out.i32(n), a, b, i32(length), i32(n));
  },
  search_sorted: (d) => {
    const [n, count] = [d.count(2000), 3000];
    const keys = d.ints(count, 0, 9000).sort();
    return line(n, 128, out.i32(n), d.ints(n, -100, 9500), keys, i32(count), i32(n));
  },
  longest_prefix: (d) => {
    const n = d.count(1500);
    // Routes of 4 to 24 bits; addresses mostly of networks that are known.
    const nodes = [0, 0, 0, 0];
    const known: number[] = [];
    for (let route = 1; route <= 200; route++) {
      const address = d.whole(0, 2 ** 32 - 1);
      known.push(address);
      let node = 0;
      for (let level = d.whole(1, 11), bits = address; level >= 0; level--, bits = (bits << 2) >>> 0) {
        const at = 4 * node + (bits >>> 30);
        if (nodes[at]! < 0) break;
        if (level === 0) nodes[at] ||= -route;
        else {
          if (nodes[at] === 0) {
            nodes[at] = nodes.length / 4;
            nodes.push(0, 0, 0, 0);
          }
          node = nodes[at]!;
        }
      }
    }
    const addresses = Uint32Array.from({ length: n }, () =>
      d.chance(0.8) ? d.pick(known) ^ d.whole(0, 4095) : d.whole(0, 2 ** 32 - 1),
    );
    return line(n, 128, out.i32(n), addresses, Int32Array.from(nodes), i32(n));
  },
  merge_pairs: (d) => {
    const [n, width] = [d.count(200), 12];
    const ranks = Uint8Array.from({ length: 1024 }, () => (d.chance(0.25) ? d.whole(0, 254) : 255));
    return line(n, 64, out.i32(n), words(d, n, width), ranks, i32(width), i32(n));
  },
};
