/** Reference of hashjoin.hip: follows each key's chain in the table, from its home slot to an empty slot. */
import { perThread, u32 } from '../reference.js';

const EMPTY = 0xffffffff;
const TOMBSTONE = 0xfffffffe;

/** The slot at which the chain of a key begins. kernels/inputs builds the table with this function. */
export const homeSlot = (key: number, mask: number): number => (Math.imul(key, 2654435761) >>> 16) & mask;

export const hashjoin = perThread(
  { matches: 'u32', totals: 'u32', steps: 'u32' },
  (thread, { buffers: { keys, table, rows }, scalars: { mask } }) => {
    const key = keys![thread]!;
    const slots = mask! + 1;
    const chain: { key: number; row: number }[] = [];
    for (let at = homeSlot(key, mask!); chain.length < slots && table![2 * at] !== EMPTY; at = (at + 1) % slots)
      chain.push({ key: table![2 * at]!, row: table![2 * at + 1]! });
    const matching = chain.filter((slot) => slot.key === key);
    return {
      matches: matching.length,
      totals: matching.reduce((total, { row }) => u32(total + Math.imul(rows![2 * row]!, rows![2 * row + 1]!)), 0),
      steps: u32((chain.length << 16) | chain.filter((slot) => slot.key === TOMBSTONE).length),
    };
  },
  { mask: 'u32' },
);
