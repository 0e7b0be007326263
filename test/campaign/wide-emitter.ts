/**
 * Variables and helpers of the wide family of random kernels (wide-operations.ts): floating-point numbers of any value,
 * packed pairs, values that are uniform at first, and an exchange through LDS at every barrier.
 *
 * Kernels compute with NaNs, but their bits never reach memory or integers: `bitsOf` and `fromBits` replace each NaN by
 * one fixed pattern.
 */
import { COUNTS, Emitter, OF_OPENCL, TYPES, at, type Operation } from './random-emitter.js';
import type { Leaf, Statement } from './random-kernel.js';

export const FLOATS = ['g', 'd', 'x'] as const;
export type Float = (typeof FLOATS)[number];

/** Besides those of random-emitter.ts: f32, f64, f16, packed i16 and f16. `u` and `z` are uniform at first. */
export const WIDE_COUNTS = { g: 3, d: 2, x: 2, s: 2, y: 2, u: 2, z: 2, ...COUNTS } as const;
export const WIDE_TYPES = {
  g: 'float',
  d: 'double',
  x: 'half',
  s: '<2 x i16>',
  y: '<2 x half>',
  u: 'i32',
  z: 'i64',
  ...TYPES,
} as const;
export type WideClass = keyof typeof WIDE_COUNTS;
export const WIDE_CLASSES = ['g', 'd', 'x', 's', 'y', 'u', 'z'] as const;

export const FLOAT_TYPES = {
  g: { type: 'float', int: 'i32', name: 'f32', nan: '0x7FF8000000000000', bits: 32 },
  d: { type: 'double', int: 'i64', name: 'f64', nan: '0x7FF8000000000000', bits: 64 },
  x: { type: 'half', int: 'i16', name: 'f16', nan: '0xH7E00', bits: 16 },
  y: { type: '<2 x half>', int: '<2 x i16>', name: 'v2f16', nan: '<half 0xH7E00, half 0xH7E00>', bits: 32 },
} as const;
export type FloatLike = keyof typeof FLOAT_TYPES;
/** Integer types of the same size, for bit casts. */
export const asWords = { g: 'i32', d: 'i64', x: 'i16', s: 'i32', y: 'i32' } as const;

/** Writes one statement without control flow. */
export type WideOperation = (e: WideEmitter, s: Leaf) => void;

export class WideEmitter extends Emitter {
  #exchanges = 0;

  constructor(operations: readonly Operation[], threads: number) {
    super(operations, threads);
  }

  get(of: WideClass, index: number): string {
    return this.value(`load ${WIDE_TYPES[of]}, ptr addrspace(5) %${of}${index % WIDE_COUNTS[of]}`);
  }
  put(of: WideClass, index: number, value: string): void {
    this.emit(`store ${WIDE_TYPES[of]} ${value}, ptr addrspace(5) %${of}${index % WIDE_COUNTS[of]}`);
  }
  /**
   * `call TYPE @llvm.NAME(…)`, with operands of that type unless they give another. Half of the functions of
   * floating-point numbers are called as LLVM calls them for OpenCL.
   */
  call(type: string, name: string, ...operands: readonly string[]): string {
    const list = operands.map((each) => (each.includes(' ') ? each : `${type} ${each}`));
    const isOfOpencl = /float|double|half/.test(type) && name.length % 2 === 0;
    return this.value(`call ${type} @llvm.${name}(${list.join(', ')})${isOfOpencl ? OF_OPENCL : ''}`);
  }
  quiet(of: FloatLike, value: string): string {
    const { type, nan } = FLOAT_TYPES[of];
    const unordered = this.value(`fcmp uno ${type} ${value}, ${value}`);
    return this.value(`select ${of === 'y' ? '<2 x i1>' : 'i1'} ${unordered}, ${type} ${nan}, ${type} ${value}`);
  }
  bitsOf(of: FloatLike, value: string): string {
    const { type, int } = FLOAT_TYPES[of];
    return this.value(`bitcast ${type} ${this.quiet(of, value)} to ${int}`);
  }
  fromBits(of: FloatLike, value: string): string {
    const { type, int } = FLOAT_TYPES[of];
    return this.quiet(of, this.value(`bitcast ${int} ${value} to ${type}`));
  }
  /** The bits of any variable of WIDE_CLASSES as one integer. */
  integerOf(of: 'g' | 'd' | 'x' | 's' | 'y', index: number): string {
    const value = this.get(of, index);
    if (of === 's') return this.value(`bitcast <2 x i16> ${value} to i32`);
    const bits = this.bitsOf(of, value);
    return of === 'y' ? this.value(`bitcast <2 x i16> ${bits} to i32`) : bits;
  }
  putInteger(of: 'g' | 'd' | 'x' | 's' | 'y', index: number, bits: string): void {
    if (of === 's') return this.put(of, index, this.value(`bitcast i32 ${bits} to <2 x i16>`));
    const pair = of === 'y' ? this.value(`bitcast i32 ${bits} to <2 x i16>`) : bits;
    this.put(of, index, this.fromBits(of, pair));
  }
  /** The number with its exponent moved closer to zero, so that sums and quotients are rounded. */
  moderate(of: Float, value: string, spread: number): string {
    const [mantissa, exponent, shift, bias] = {
      g: [0x807fffffn, 7n, 23n, 124n],
      d: [0x800fffffffffffffn, 7n, 52n, 1020n],
      x: [0x83ffn, 7n, 10n, 12n],
    }[of] as [bigint, bigint, bigint, bigint];
    const { int, type, bits: width } = FLOAT_TYPES[of];
    const bits = this.bitsOf(of, value);
    const kept = this.value(`and ${int} ${bits}, ${BigInt.asIntN(width, mantissa)}`);
    const low = this.value(`and ${int} ${bits}, ${exponent & BigInt(spread)}`);
    const high = this.value(`shl ${int} ${this.value(`add ${int} ${low}, ${bias}`)}, ${shift}`);
    return this.value(`bitcast ${int} ${this.value(`or ${int} ${kept}, ${high}`)} to ${type}`);
  }

  /** A barrier without an exchange. */
  synchronize(): void {
    super.statement({ kind: 'barrier' });
  }

  /** At a barrier threads exchange values. */
  override statement(s: Statement): void {
    if (s.kind !== 'barrier') return super.statement(s);
    const n = this.#exchanges++;
    const partner =
      n % 2 === 0
        ? this.value(`urem i32 ${this.value(`add i32 %tid, ${[1, 7, 31, 64][n % 4]!}`)}, ${this.threads}`)
        : this.value(`sub i32 ${this.threads - 1}, %tid`);
    const place = (of: string): string =>
      this.value(`getelementptr inbounds i64, ptr addrspace(3) @exchange, i32 ${of}`);
    this.synchronize();
    const [mine, theirs] = [place('%tid'), place(partner)];
    const wide = at(['w', 'z'] as const, n);
    this.emit(`store i64 ${this.get(wide, n)}, ptr addrspace(3) ${mine}, align 8`);
    this.synchronize();
    this.put('w', n, this.value(`load i64, ptr addrspace(3) ${theirs}, align 8`));
    this.synchronize();
    this.emit(`store i32 ${this.integerOf('g', n)}, ptr addrspace(3) ${mine}, align 8`);
    this.synchronize();
    this.put('v', n, this.value(`load i32, ptr addrspace(3) ${theirs}, align 8`));
    this.synchronize();
  }
}
