/** The wide family of random kernels: three phases with barriers between them, more types, sums that all threads share. */
import type { Operation } from './random-emitter.js';
import type { Argument } from './execute-host.js';
import { randomKernel, type Kernel, type Random, type Statement } from './random-kernel.js';
import { emitFamily, type Family } from './random-module.js';
import { OPS } from './random-operations.js';
import { WIDE_CLASSES, WIDE_COUNTS, WIDE_TYPES, WideEmitter, asWords } from './wide-emitter.js';
import { ATOMICS } from './wide-memory.js';
import { WIDE_OPS } from './wide-operations.js';

/** Waves are full and partial, of either size. */
const THREADS = 100;

/** One in four is of the plain family. A statement's number goes up to the length of OPS; the highest bits of `k` choose too. */
const OPERATIONS: readonly Operation[] = OPS.map((plain, index) => (e, s) => {
  const more = s.k >>> 26;
  return (more % 4 === 3 ? plain : WIDE_OPS[(index * 5 + more) % WIDE_OPS.length]!)(e, s);
});

const TABLE = Array.from({ length: 16 }, (_, index) => `i32 ${Math.imul(index + 1, 0x9e3779b1) | 0}`).join(', ');

const FRAME = `
@exchange = internal addrspace(3) global [${THREADS} x i64] undef, align 16
@own = internal addrspace(3) global [${THREADS} x [32 x i8]] undef, align 16
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

export const WIDE: Family<WideEmitter> = {
  threads: THREADS,
  cellBytes: 512,
  frame: FRAME,
  tail: '',
  parameters: ', ptr addrspace(1) %shared, i64 %long, double %real, half %small, i16 %narrow',
  emitter: () => new WideEmitter(OPERATIONS, THREADS),
  begin(e) {
    for (const of of WIDE_CLASSES)
      for (let i = 0; i < WIDE_COUNTS[of]; i++) e.emit(`%${of}${i} = alloca ${WIDE_TYPES[of]}, addrspace(5)`);
    e.put('u', 0, '%uniform');
    e.put('u', 1, e.value(`mul i32 ${e.value('sext i16 %narrow to i32')}, %uniform`));
    e.put('z', 0, '%long');
    e.put('z', 1, e.value(`mul i64 %long, ${e.value('zext i32 %uniform to i64')}`));
    for (let i = 0; i < WIDE_COUNTS.g; i++)
      e.put('g', i, i === 2 ? e.value('sitofp i32 %i3 to float') : e.moderate('g', e.fromBits('g', `%i${i * 2}`), 7));
    e.put('d', 0, '%real');
    e.put('d', 1, e.value('sitofp i32 %i6 to double'));
    // Not uniform: LLVM 22 for gfx11 loses halves that it moves to scalar registers.
    e.put('x', 0, e.value(`fadd half %small, ${e.value('uitofp i32 %tid to half')}`));
    e.put('x', 1, e.fromBits('x', e.value('trunc i32 %i7 to i16')));
    for (const [i, word] of ['%i0', '%i4'].entries()) {
      e.putInteger('s', i, word);
      e.putInteger('y', i, word);
    }
    const slot = e.value(`urem i32 %tid, ${ATOMICS}`);
    const at = (name: string, type: string): string =>
      e.value(`getelementptr inbounds ${type}, ptr addrspace(3) @${name}, i32 ${slot}`);
    e.emit(`store i32 ${e.value(`mul i32 ${slot}, 7`)}, ptr addrspace(3) ${at('sums', 'i32')}, align 4`);
    e.emit(`store i64 ${e.value(`zext i32 ${slot} to i64`)}, ptr addrspace(3) ${at('longs', 'i64')}, align 8`);
    for (let i = 0; i < 4; i++) {
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${i * 8}`);
      e.emit(`store i64 ${e.value(`sext i32 %i${i} to i64`)}, ptr addrspace(3) ${row}, align 8`);
    }
    e.statement({ kind: 'barrier' });
  },
  end(e, keep) {
    e.statement({ kind: 'barrier' });
    for (const of of ['u', 'z'] as const)
      for (let i = 0; i < WIDE_COUNTS[of]; i++) keep(WIDE_TYPES[of], e.get(of, i), of === 'u' ? 4 : 8);
    for (const of of ['g', 'd', 'x', 's', 'y'] as const)
      for (let i = 0; i < WIDE_COUNTS[of]; i++) {
        const bits = e.integerOf(of, i);
        keep(asWords[of], bits, Number(asWords[of].slice(1)) / 8);
      }
    const slot = e.value(`urem i32 %tid, ${ATOMICS}`);
    const sum = e.value(`getelementptr inbounds i32, ptr addrspace(3) @sums, i32 ${slot}`);
    keep('i32', e.value(`load i32, ptr addrspace(3) ${sum}, align 4`), 4);
    const long = e.value(`getelementptr inbounds i64, ptr addrspace(3) @longs, i32 ${slot}`);
    keep('i64', e.value(`load i64, ptr addrspace(3) ${long}, align 8`), 8);
    for (let i = 0; i < 4; i++) {
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${i * 8}`);
      keep('i64', e.value(`load i64, ptr addrspace(3) ${row}, align 8`), 8);
    }
  },
};

/** Phases are blocks, so that no thread leaves the kernel in front of a barrier. */
export function wideKernel(name: string, seed: number, size: number): Kernel {
  const body = [0, 1, 2].flatMap((part): Statement[] => [
    {
      kind: 'block',
      body: randomKernel(name, Math.imul(seed, 3) + part, size).body.filter(({ kind }) => kind !== 'barrier'),
    },
    ...(part < 2 ? [{ kind: 'barrier' } as const] : []),
  ]);
  return { name, body };
}

/** Arguments behind the common ones. */
export function wideArguments(r: Random): Argument[] {
  const shared = new Uint8Array(ATOMICS * 16);
  const words = new DataView(shared.buffer);
  // i32 sums, i64 sums, floats that are small integers.
  for (let i = 0; i < ATOMICS; i++) {
    words.setUint32(i * 4, r.below(1000), true);
    words.setUint32(ATOMICS * 4 + i * 8, r.below(1000), true);
    words.setFloat32(ATOMICS * 12 + i * 4, i % 2 === 0 ? r.below(100) : 0, true);
  }
  const long = (BigInt(r.below(2 ** 31)) << BigInt(r.below(34))) | BigInt(r.below(2 ** 31));
  const real = new DataView(new ArrayBuffer(8));
  real.setFloat64(0, (r.below(2 ** 31) - 2 ** 30) / (1 + r.below(1000)));
  return [
    { bytes: shared, out: true },
    { scalar: long, bytes: 8 },
    { scalar: real.getBigUint64(0), bytes: 8 },
    { scalar: BigInt(r.below(0x7c00)), bytes: 2 },
    { scalar: BigInt(r.below(0x10000)), bytes: 2 },
  ];
}

export const emitWideModule = (kernels: readonly Kernel[]): string => emitFamily(kernels, WIDE);
