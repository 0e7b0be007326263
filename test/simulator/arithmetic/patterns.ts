/** Bit patterns to test with: hard ones by table, and random ones of several kinds from a fixed seed. */
import type { Format } from './exact.js';
import { infinityBits } from './exact.js';

/**
 * Zeros, infinities, NaN, the ends of denormals and normals, ones and their neighbours, powers at rounding distance.
 */
export function hardPatterns(f: Format): bigint[] {
  const unit = 1n << BigInt(f.fraction);
  const infinity = infinityBits(f);
  const power = (e: number): bigint => BigInt(f.bias + e) << BigInt(f.fraction);
  const p = f.fraction + 1;
  const positive = [
    0n, 1n, 2n, unit / 2n, unit - 1n, unit, unit + 1n, 2n * unit - 1n, // denormals, the least normals
    power(0) - 1n, power(0), power(0) + 1n, power(0) + unit / 2n, power(1) - 1n, power(-1), // around one
    power(-p), power(-p) + 1n, power(1 - p), power(p), power(p) + 1n, // ties and near-ties with one
    infinity - 1n, infinity - 2n, infinity - unit, infinity / 2n + unit / 2n, infinity, infinity + unit / 2n,
  ]; // prettier-ignore
  return positive.flatMap((bits) => [bits, bits | (1n << BigInt(f.width - 1))]);
}

/** A linear congruential generator modulo 2^64 (Knuth's MMIX), its upper half taken. */
export class Source {
  private state: bigint;

  constructor(seed: number) {
    this.state = BigInt(seed);
  }

  word(): number {
    this.state = BigInt.asUintN(64, this.state * 6364136223846793005n + 1442695040888963407n);
    return Number(this.state >> 32n);
  }

  below(n: number): number {
    return this.word() % n;
  }

  /** Uniform bits. */
  uniform(f: Format): bigint {
    return BigInt.asUintN(f.width, (BigInt(this.word()) << 32n) | BigInt(this.word()));
  }

  /**
   * A mixture: uniform bits; exponents near one; exponents at the lower and upper end; few significant bits, so that
   * ties are frequent; neighbours of such.
   */
  pattern(f: Format): bigint {
    const bits = this.uniform(f);
    const sign = bits & (1n << BigInt(f.width - 1));
    const fractionMask = (1n << BigInt(f.fraction)) - 1n;
    const greatestField = Number(infinityBits(f) >> BigInt(f.fraction)) - 1;
    let fraction = bits & fractionMask;
    let field: number;
    switch (this.below(8)) {
      case 0:
        return bits;
      case 1:
        field = this.below(f.fraction + 3);
        break;
      case 2:
        field = greatestField - this.below(f.fraction + 3);
        break;
      default:
        field = f.bias + this.below(2 * f.fraction + 5) - f.fraction - 2;
        break;
    }
    field = Math.min(Math.max(field, 0), greatestField);
    const shape = this.below(4);
    if (shape >= 2) fraction &= fractionMask << BigInt(this.below(f.fraction + 1));
    if (shape === 3) fraction = (fraction + (this.below(2) === 0 ? 1n : fractionMask)) & fractionMask;
    return sign | (BigInt(field) << BigInt(f.fraction)) | fraction;
  }
}
