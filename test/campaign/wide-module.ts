/** The wide family of random kernels: three phases with barriers between them, more types, and sums of all threads. */
import type { Operation } from './random-emitter.js';
import type { Argument } from './execute-host.js';
import type { Family } from './random-module.js';
import { OPS } from './random-operations.js';
import { WIDE_CLASSES, WIDE_COUNTS, WIDE_TYPES, WideEmitter, asWords } from './wide-emitter.js';
import { ATOMICS } from './wide-memory.js';
import { WIDE_OPS } from './wide-operations.js';

/**
 * Half of the statements are from the plain family, which makes less code. A statement's number is below the length of
 * OPS; the highest bits of `k` also take part in the choice.
 */
const OPERATIONS: readonly Operation[] = OPS.map((plain, index) => (e, s) => {
  const more = s.k >>> 26;
  return (more & 1 ? plain : WIDE_OPS[(index * 5 + more) % WIDE_OPS.length]!)(e, s);
});

const TABLE = Array.from({ length: 16 }, (_, index) => `i32 ${Math.imul(index + 1, 0x9e3779b1) | 0}`).join(', ');

const frame = (threads: number): string => `
@exchange = internal addrspace(3) global [${threads} x i64] undef, align 16
@own = internal addrspace(3) global [${threads} x [32 x i8]] undef, align 16
@sums = internal addrspace(3) global [${ATOMICS} x i32] undef, align 16
@longs = internal addrspace(3) global [${ATOMICS} x i64] undef, align 16
@table = internal unnamed_addr addrspace(4) constant [16 x i32] [${TABLE}], align 16

define internal i64 @long(i64 %a, i32 %b, i64 %c) #2 {
  %m = mul i64 %a, %c
  %s = and i32 %b, 63
  %z = zext i32 %s to i64
  %l = lshr i64 %m, %z
  %r = add i64 %l, %a
  ret i64 %r
}

define internal double @curve(double %a, float %b, half %c) #2 {
  %bd = fpext float %b to double
  %cd = fpext half %c to double
  %p = fmul double %a, %bd
  %q = fadd double %p, %cd
  ret double %q
}

define internal i32 @many(i32 %a, <2 x i16> %b, i64 %c, <4 x i32> %d, i32 %e, ptr addrspace(5) %p) #1 {
  %old = load i32, ptr addrspace(5) %p
  %x = bitcast <2 x i16> %b to i32
  %y = trunc i64 %c to i32
  %z = extractelement <4 x i32> %d, i32 2
  %1 = add i32 %a, %x
  %2 = xor i32 %1, %y
  %3 = sub i32 %2, %z
  %4 = mul i32 %3, %e
  store i32 %4, ptr addrspace(5) %p
  %5 = add i32 %4, %old
  ret i32 %5
}
`;

/** @param threads in a workgroup; with 100 there are full and partial waves, whether a wave has 32 or 64 lanes */
export const wideFamily = (threads: number): Family<WideEmitter> => ({
  threads,
  cellBytes: 512,
  frame: frame(threads),
  parameters: ', ptr addrspace(1) %shared, i64 %long, double %real, half %small, i16 %narrow',
  emitter: () => new WideEmitter(OPERATIONS, threads),
  begin(e, uses) {
    for (const of of WIDE_CLASSES)
      for (let i = 0; i < WIDE_COUNTS[of]; i++)
        if (uses(`%${of}${i}`)) {
          e.emit(`%${of}${i} = alloca ${WIDE_TYPES[of]}, addrspace(5)`);
          begin(e, of, i);
        }
    if (ADDED_UP.some(uses)) {
      const slot = e.value(`urem i32 %tid, ${ATOMICS}`);
      const at = (name: string, type: string): string =>
        e.value(`getelementptr inbounds ${type}, ptr addrspace(3) ${name}, i32 ${slot}`);
      if (uses('@sums'))
        e.emit(`store i32 ${e.value(`mul i32 ${slot}, 7`)}, ptr addrspace(3) ${at('@sums', 'i32')}, align 4`);
      if (uses('@longs'))
        e.emit(`store i64 ${e.value(`zext i32 ${slot} to i64`)}, ptr addrspace(3) ${at('@longs', 'i64')}, align 8`);
      e.synchronize();
    }
    if (uses('@own'))
      for (let i = 0; i < 4; i++) {
        const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${i * 8}`);
        e.emit(`store i64 ${e.value(`sext i32 %i${i} to i64`)}, ptr addrspace(3) ${row}, align 8`);
      }
  },
  end(e, keep, uses) {
    for (const of of WIDE_CLASSES)
      for (let i = 0; i < WIDE_COUNTS[of]; i++) {
        if (!uses(`%${of}${i}`)) continue;
        if (of === 'u' || of === 'z') keep(WIDE_TYPES[of], e.get(of, i), of === 'u' ? 4 : 8);
        else keep(asWords[of], e.integerOf(of, i), Number(asWords[of].slice(1)) / 8);
      }
    if (ADDED_UP.some(uses)) {
      e.synchronize();
      const slot = e.value(`urem i32 %tid, ${ATOMICS}`);
      for (const [name, type, bytes] of [['@sums', 'i32', 4], ['@longs', 'i64', 8]] as const) {
        if (!uses(name)) continue;
        const place = e.value(`getelementptr inbounds ${type}, ptr addrspace(3) ${name}, i32 ${slot}`);
        keep(type, e.value(`load ${type}, ptr addrspace(3) ${place}, align ${bytes}`), bytes);
      } // prettier-ignore
    }
    if (uses('@own'))
      for (let i = 0; i < 4; i++) {
        const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${i * 8}`);
        keep('i64', e.value(`load i64, ptr addrspace(3) ${row}, align 8`), 8);
      }
  },
});

/** LDS for the sums of all threads. */
const ADDED_UP = ['@sums', '@longs'];

/** Stores a variable's initial value. */
function begin(e: WideEmitter, of: (typeof WIDE_CLASSES)[number], i: number): void {
  switch (of) {
    case 'u':
      return e.put('u', i, i === 0 ? '%uniform' : e.value(`mul i32 ${e.value('sext i16 %narrow to i32')}, %uniform`));
    case 'z':
      return e.put('z', i, i === 0 ? '%long' : e.value(`mul i64 %long, ${e.value('zext i32 %uniform to i64')}`));
    case 'g': {
      const exact = i === 2 ? e.value('sitofp i32 %i3 to float') : null;
      return e.put('g', i, exact ?? e.moderate('g', e.fromBits('g', `%i${i * 2}`), 7));
    }
    case 'd':
      return e.put('d', i, i === 0 ? '%real' : e.value('sitofp i32 %i6 to double'));
    case 'x':
      // Not uniform: LLVM 22 for gfx11 loses halves that it moves to scalar registers.
      if (i === 0) return e.put('x', 0, e.value(`fadd half %small, ${e.value('uitofp i32 %tid to half')}`));
      return e.put('x', i, e.fromBits('x', e.value('trunc i32 %i7 to i16')));
    default:
      return e.putInteger(of, i, i === 0 ? '%i0' : '%i4');
  }
}

/** Parameters besides the common ones. */
export function wideArguments(below: (n: number) => number): Argument[] {
  const shared = new Uint8Array(ATOMICS * 16);
  const words = new DataView(shared.buffer);
  // Sums of i32 and i64, and of floats that are small integers.
  for (let i = 0; i < ATOMICS; i++) {
    words.setUint32(i * 4, below(1000), true);
    words.setUint32(ATOMICS * 4 + i * 8, below(1000), true);
    words.setFloat32(ATOMICS * 12 + i * 4, i % 2 === 0 ? below(100) : 0, true);
  }
  const long = (BigInt(below(2 ** 31)) << BigInt(below(34))) | BigInt(below(2 ** 31));
  const real = new DataView(new ArrayBuffer(8));
  real.setFloat64(0, (below(2 ** 31) - 2 ** 30) / (1 + below(1000)));
  return [
    { bytes: shared, out: true },
    { scalar: long, bytes: 8 },
    { scalar: real.getBigUint64(0), bytes: 8 },
    { scalar: BigInt(below(0x7c00)), bytes: 2 },
    { scalar: BigInt(below(0x10000)), bytes: 2 },
  ];
}
