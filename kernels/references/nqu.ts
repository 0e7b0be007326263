/** Reference of nqu.hip: counts the ways to complete a board by trying every column in every row. */
import { bySize, type Reference } from './reference.js';

function completions(queens: readonly number[], n: number): number {
  if (queens.length === n) return 1;
  let total = 0;
  for (let column = 0; column < n; column++)
    if (queens.every((other, row) => other !== column && Math.abs(other - column) !== queens.length - row))
      total += completions([...queens, column], n);
  return total;
}

export const nqu = bySize('nqu', [64, 96, 128, 256], (threads): Reference => ({
  scalars: { n: 'u32' },
  compute({ buffers, scalars, grid: [groups] }) {
    const n = scalars['n']!;
    const known = new Map<string, number>();
    const solutions = new Uint32Array(groups);
    for (let at = 0; at < groups * threads; at++) {
      const start = buffers['starts']![at]!;
      const first = start % n;
      const second = (first + 2 + (Math.floor(start / n) % (n - 3))) % n;
      const key = `${first} ${second}`;
      if (!known.has(key)) known.set(key, completions([first, second], n));
      solutions[Math.floor(at / threads)]! += known.get(key)!;
    }
    return { solutions };
  },
}));
