/**
 * Makes input data that looks like what real programs have: sorted, skewed, mostly the same, smooth with edges, text.
 * Everything follows from a seed through the generator of the launch specifications, and from arithmetic that every
 * engine rounds in the same way (no logarithm, no sine).
 */
import { createHash } from 'node:crypto';
import { SpecRandom } from '../../src/simulator/launch/random.js';

/** A sparse matrix or a graph: row r has `columns[starts[r]]` to `columns[starts[r + 1] - 1]`. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
}

export class Inputs {
  readonly #random: SpecRandom;
  readonly #size: number;

  /**
   * @param kernel gives every kernel data of its own
   * @param size scales all counts; 1 is the usual size
   */
  constructor(kernel: string, seed: number, size: number) {
    this.#random = new SpecRandom(createHash('sha256').update(`${kernel} ${seed}`).digest().readUInt32LE());
    this.#size = size;
  }

  /** `usual` things at size 1. */
  count(usual: number): number {
    return Math.max(1, Math.round(usual * this.#size));
  }

  /** The side of a square or a rectangle whose area is scaled. */
  side(usual: number): number {
    return Math.max(4, Math.round(usual * Math.sqrt(this.#size)));
  }

  fraction(): number {
    return this.#random.fraction();
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.#random.fraction() * (high - low + 1));
  }

  real(low: number, high: number): number {
    return low + this.#random.fraction() * (high - low);
  }

  chance(probability: number): boolean {
    return this.#random.fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)]!;
  }

  /** Bell-shaped with deviation 1: a sum of uniform numbers (Irwin and Hall). */
  normal(): number {
    let sum = -6;
    for (let k = 0; k < 12; k++) sum += this.#random.fraction();
    return sum;
  }

  /** From 0 to `most`, small values far more often than large ones. */
  skewed(most: number): number {
    const u = this.#random.fraction();
    return Math.floor((most + 1) * u * u * u * u);
  }

  ints(length: number, low: number, high: number): Int32Array {
    return Int32Array.from({ length }, () => this.whole(low, high));
  }

  uints(length: number, low = 0, high = 2 ** 32 - 1): Uint32Array {
    return Uint32Array.from({ length }, () => this.whole(low, high));
  }

  bytes(length: number, low = 0, high = 255): Uint8Array {
    return Uint8Array.from({ length }, () => this.whole(low, high));
  }

  floats(length: number, low: number, high: number): Float32Array {
    return Float32Array.from({ length }, () => this.real(low, high));
  }

  normals(length: number, mean = 0, deviation = 1): Float32Array {
    return Float32Array.from({ length }, () => mean + deviation * this.normal());
  }

  /** 0 and 1, with `probability` for 1. */
  flags(length: number, probability: number): Uint8Array {
    return Uint8Array.from({ length }, () => Number(this.chance(probability)));
  }

  /** Whole numbers in runs: each value stays for `run` elements on average. */
  runs(length: number, run: number, low: number, high: number): Int32Array {
    let value = this.whole(low, high);
    return Int32Array.from({ length }, () => (this.chance(1 / run) ? (value = this.whole(low, high)) : value));
  }

  /** The numbers below `length` in random order. */
  permutation(length: number): Int32Array {
    const order = Int32Array.from({ length }, (_, index) => index);
    for (let k = length - 1; k > 0; k--) {
      const other = this.whole(0, k);
      [order[k], order[other]] = [order[other]!, order[k]!];
    }
    return order;
  }

  /**
   * A picture as photographs are: smooth shading, some shapes with sharp edges, a little noise, and areas of one
   * colour. Values from 0 to 1. Of height 1 it is the same along a line: shading with steps.
   */
  picture(width: number, height: number): Float32Array {
    const values = new Float32Array(width * height);
    const [slopeX, slopeY, base] = [this.real(-0.3, 0.3), this.real(-0.3, 0.3), this.real(0.4, 0.6)];
    const shapes = Array.from({ length: height === 1 ? 24 : 6 }, () => ({
      x: this.real(0, width),
      y: height === 1 ? 0 : this.real(0, height),
      radius: this.real(0.08, 0.25) * (height === 1 ? width / 4 : Math.min(width, height)),
      value: this.fraction(),
      flat: this.chance(0.5),
    }));
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        let value = base + slopeX * (x / width - 0.5) + slopeY * (y / height - 0.5) + 0.03 * this.real(-1, 1);
        for (const shape of shapes)
          if ((x - shape.x) ** 2 + (y - shape.y) ** 2 < shape.radius ** 2)
            value = shape.value + (shape.flat ? 0 : 0.05 * this.real(-1, 1));
        values[y * width + x] = Math.min(1, Math.max(0, value));
      }
    return values;
  }

  /** The same in bytes. */
  greyPicture(width: number, height: number): Uint8Array {
    return toBytes(this.picture(width, height));
  }

  /** Red, green, blue and opacity of pixels along a line, from 0 to 1. */
  pixels(length: number, opacity = (): number => 1): Float32Array {
    const channels = [this.picture(length, 1), this.picture(length, 1), this.picture(length, 1)];
    return Float32Array.from({ length: 4 * length }, (_, k) => channels[k % 4]?.[k >> 2] ?? opacity());
  }

  /** Rows with `length()` sorted columns each, without duplicates. */
  sparse(rows: number, width: number, length: () => number): SparseRows {
    const starts = [0];
    const columns: number[] = [];
    for (let row = 0; row < rows; row++) {
      const chosen = new Set<number>();
      for (let k = Math.min(width, length()); k > 0; k--) chosen.add(this.whole(0, width - 1));
      columns.push(...[...chosen].sort((a, b) => a - b));
      starts.push(columns.length);
    }
    return { starts: Int32Array.from(starts), columns: Int32Array.from(columns) };
  }

  /** A graph with a few nodes of many edges and many nodes of few, as of links and friends. */
  skewedGraph(nodes: number, most = 48): SparseRows {
    return this.sparse(nodes, nodes, () => 1 + this.skewed(most - 1));
  }

  /** Words, separated by blanks: mostly letters, now and then a number or punctuation. */
  prose(length: number): Uint8Array {
    let text = '';
    while (text.length < length) {
      const kind = this.fraction();
      if (kind < 0.08) text += this.whole(0, 9999);
      else for (let k = 1 + this.skewed(11); k > 0; k--) text += LETTERS[this.skewed(LETTERS.length - 1)]!;
      text += kind > 0.9 ? this.pick(['. ', ', ', '; ', '\n']) : ' ';
    }
    return Uint8Array.from(Buffer.from(text.slice(0, length), 'latin1'));
  }
}

/** By how often English has them. */
const LETTERS = 'etaoinshrdlcumwfgypbvkjxqz';

/** Texts one after the other, and where each begins; the last entry is the end. */
export function concatenate(texts: readonly Uint8Array[]): { readonly text: Uint8Array; readonly starts: Int32Array } {
  const starts = [0];
  for (const { length } of texts) starts.push(starts.at(-1)! + length);
  return { text: Uint8Array.from(Buffer.concat(texts)), starts: Int32Array.from(starts) };
}

export const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** From 0 to 1 to what a byte holds. */
export const toBytes = (values: Float32Array): Uint8Array => Uint8Array.from(values, (v) => Math.round(255 * v));

/** In half precision, as bits, rounded to the nearest. */
export function halves(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(values, (value, k) => {
    const exponent = Math.max(-14, ((bits[k]! >>> 23) & 255) - 127);
    return ((bits[k]! >>> 16) & 0x8000) + (exponent + 14) * 1024 + Math.round(Math.abs(value) * 2 ** (10 - exponent));
  });
}
