/**
 * Makes the structured inputs of launch specs, which a random fill cannot make: the contents of the files in this
 * folder. All random numbers come from the generator of the launch specs, so the files are the same wherever they are
 * written.
 */
import { SpecRandom } from '../../src/simulator/launch/random.js';
import { homeSlot } from '../references/today/hashjoin.js';
import { compressBlock } from './lz4.js';
import { logLine, sourceLine } from './text.js';

const words = (values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

/**
 * A hash table of 512 slots, two words each. 384 rows with up to 300 different keys are inserted, which fills three
 * quarters of it; then about one row in eight is deleted.
 */
function hashjoinTable(): Uint8Array {
  const random = new SpecRandom(1);
  const mask = 511;
  const table = Array.from({ length: 2 * (mask + 1) }, () => 0xffffffff);
  for (let row = 0; row < 384; row++) {
    const key = Math.floor(random.fraction() * 300);
    let slot = homeSlot(key, mask);
    while (table[2 * slot] !== 0xffffffff) slot = (slot + 1) & mask;
    table[2 * slot] = key;
    table[2 * slot + 1] = row;
  }
  for (let slot = 0; slot <= mask; slot++)
    if (table[2 * slot] !== 0xffffffff && random.fraction() < 1 / 8) table[2 * slot] = 0xfffffffe;
  return words(table);
}

/** Row pointers of 512 rows: most rows have up to 8 elements, about every fourth has 9 to 32. */
function spmvStarts(): Uint8Array {
  const random = new SpecRandom(2);
  const starts = [0];
  for (let row = 0; row < 512; row++) {
    const isLong = random.fraction() < 1 / 4;
    const length = isLong ? 9 + Math.floor(random.fraction() * 24) : Math.floor(random.fraction() * 9);
    starts.push(starts[row]! + length);
  }
  return words(starts);
}

/** 128 lines of 64 bytes. */
function tokenizerText(): Uint8Array {
  const random = new SpecRandom(3);
  return Buffer.concat(Array.from({ length: 128 }, () => Buffer.from(sourceLine(random, 64), 'latin1')));
}

/**
 * 128 LZ4 blocks one after the other, which decompress to 128 bytes each; and their offsets, with the end of the last.
 */
function lz4Blocks(): { blocks: Uint8Array; starts: Uint8Array } {
  const random = new SpecRandom(4);
  const blocks = Array.from({ length: 128 }, () => compressBlock(Buffer.from(logLine(random, 128), 'latin1')));
  const starts = [0];
  for (const { length } of blocks) starts.push(starts.at(-1)! + length);
  return { blocks: Uint8Array.from(blocks.flat()), starts: words(starts) };
}

/** Contents by file name. */
export function makeInputs(): Readonly<Record<string, Uint8Array>> {
  const { blocks, starts } = lz4Blocks();
  return {
    'hashjoin-table.bin': hashjoinTable(),
    'lz4ish-blocks.bin': blocks,
    'lz4ish-starts.bin': starts,
    'spmv-starts.bin': spmvStarts(),
    'tokenizer-text.bin': tokenizerText(),
  };
}
