/**
 * The operations of random kernels: one template per operation, whose operands, flags and constants depend on the
 * statement's numbers. None has undefined behaviour, whatever the values of the variables (see random-kernel.ts).
 */
import { OF_OPENCL, P, at } from './random-emitter.js';
import type { Emitter, Operation } from './random-emitter.js';

const odd = (k: number): number => (k & 0xff) | 1;
const width = (k: number): 1 | 2 | 4 | 8 => at([1, 2, 4, 8] as const, k >> 8);
const ALIGN = { 1: [1], 2: [1, 2], 4: [4, 2, 4], 8: [8, 4, 8] } as const;
const typeOf = (bytes: number): string => `i${bytes * 8}`;

/** Stores an i32 value of the pool in `bytes` bytes. */
function narrowed(e: Emitter, value: string, bytes: number): string {
  if (bytes === 4) return value;
  return e.value(bytes === 8 ? `zext i32 ${value} to i64` : `trunc i32 ${value} to ${typeOf(bytes)}`);
}
function widened(e: Emitter, value: string, bytes: number): string {
  if (bytes === 4) return value;
  return e.value(bytes === 8 ? `trunc i64 ${value} to i32` : `zext ${typeOf(bytes)} ${value} to i32`);
}

const plain: Operation = (e, s) =>
  e.write('v', s.d, e.value(`${at(P.plain, s.c)} i32 ${e.v(s.a)}, ${s.k & 1 ? (s.k >> 3) & 0xffff : e.v(s.b)}`));
const loadLocal: Operation = (e, s) =>
  e.write('v', s.d, e.value(`load i32, ptr addrspace(3) ${e.local(s)}, align ${s.k & 8 ? 4 : 4}`));
const storeLocal: Operation = (e, s) => e.emit(`store i32 ${e.v(s.b)}, ptr addrspace(3) ${e.local(s)}, align 4`);
const loadCell: Operation = (e, s) => {
  const bytes = width(s.k);
  const value = e.value(
    `load ${s.c % 8 === 0 ? 'volatile ' : ''}${typeOf(bytes)}, ptr addrspace(1) ${e.cell(s, s.a, bytes)}, align ${at<number>(ALIGN[bytes], s.k)}`,
  );
  e.write('v', s.d, widened(e, value, bytes));
};
const storeCell: Operation = (e, s) => {
  const bytes = width(s.k);
  const value = narrowed(e, e.v(s.b), bytes);
  e.emit(
    `store ${s.c % 8 === 0 ? 'volatile ' : ''}${typeOf(bytes)} ${value}, ptr addrspace(1) ${e.cell(s, s.a, bytes)}, align ${at<number>(ALIGN[bytes], s.k)}`,
  );
};
const loadIn: Operation = (e, s) => {
  const slot = e.value(`zext i32 ${e.masked(s.a, 511)} to i64`);
  const pointer = e.value(`getelementptr inbounds i32, ptr addrspace(1) %in, i64 ${slot}`);
  e.write('v', s.d, e.value(`load i32, ptr addrspace(1) ${pointer}, align 4${s.k & 1 ? ', !invariant.load !0' : ''}`));
};

export const OPS: readonly Operation[] = [
  plain,
  plain,
  plain,
  loadLocal,
  loadLocal,
  storeLocal,
  storeLocal,
  loadCell,
  storeCell,
  storeCell,
  loadIn,
  // Flags on masked operands.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `${at(['add', 'mul'], s.k >> 4)}${at(P.flags, s.c)} i32 ${e.masked(s.a, 0x7fff)}, ${s.k & 1 ? s.k & 0xff0 : e.masked(s.b, 0xffff)}`,
      ),
    ),
  (e, s) => {
    const by = s.k & 15;
    const x = e.value(`and i32 ${e.v(s.a)}, ${0x7fffffff & ~((1 << by) - 1)}`);
    e.write('v', s.d, e.value(`${at(['lshr exact', 'ashr exact', 'lshr', 'ashr'], s.c)} i32 ${x}, ${by}`));
  },
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`${at(['shl', 'lshr', 'ashr'], s.c)} i32 ${e.v(s.a)}, ${s.k & 1 ? (s.k >> 4) & 31 : e.masked(s.b, 31)}`),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`or${s.k & 1 ? ' disjoint' : ''} i32 ${e.masked(s.a, 0xef0f0)}, ${e.masked(s.b, 0x10f0f)}`),
    ),
  // Divisions by odd numbers, by constants, and guarded.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `${at(['udiv', 'sdiv', 'urem', 'srem'], s.c)} i32 ${e.masked(s.a, 0x7fffffff)}, ${e.value(`or i32 ${e.v(s.b)}, 1`)}`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`${at(['udiv', 'sdiv', 'urem'], s.c)} i32 ${e.v(s.a)}, ${odd(s.k) + 2}`)),
  (e, s) => {
    const x = e.value(`mul nuw nsw i32 ${e.masked(s.a, 0xffff)}, ${odd(s.k)}`);
    e.write('v', s.d, e.value(`${at(['udiv exact', 'sdiv exact', 'udiv'], s.c)} i32 ${x}, ${odd(s.k)}`));
  },
  (e, s) => {
    const [divide, end] = [e.label(), e.label()];
    const divisor = e.masked(s.b, 3);
    e.emit(`br i1 ${e.value(`icmp ne i32 ${divisor}, 0`)}, label %${divide}, label %${end}`);
    e.block(divide);
    e.write('v', s.d, e.value(`${at(['udiv', 'urem'], s.c)} i32 ${e.v(s.a)}, ${divisor}`));
    e.jump(end);
    e.block(end);
  },
  // Comparisons and selects.
  (e, s) => {
    const samesign = s.k & 8 ? ' samesign' : '';
    const [x, y] = samesign
      ? [e.masked(s.a, 0xfff), e.masked(s.b, 0x7ff)]
      : [e.v(s.a), s.k & 4 ? String((s.k >> 4) & 1023) : e.v(s.b)];
    e.write('c', s.d, e.value(`icmp${samesign} ${at(P.icmp, s.c)} i32 ${x}, ${y}`));
  },
  (e, s) => {
    const c = e.value(`icmp ${at(P.icmp, s.c)} i32 ${e.v(s.a)}, ${e.v(s.b)}`);
    e.write('v', s.d, e.value(`select i1 ${c}, i32 ${e.v(s.a)}, i32 ${s.k & 1 ? e.v(s.k >> 1) : s.k & 255}`));
  },
  (e, s) => e.write('v', s.d, e.value(`select i1 ${e.read('c', s.c)}, i32 ${e.v(s.a)}, i32 ${e.v(s.b)}`)),
  (e, s) => e.write('c', s.d, e.value(`${at(['and', 'or', 'xor'], s.k)} i1 ${e.read('c', s.a)}, ${e.read('c', s.b)}`)),
  (e, s) =>
    e.write(
      'c',
      s.d,
      e.value(
        s.k & 1
          ? `select i1 ${e.read('c', s.a)}, i1 ${e.read('c', s.b)}, i1 false`
          : `select i1 ${e.read('c', s.a)}, i1 true, i1 ${e.read('c', s.b)}`,
      ),
    ),
  // Other widths.
  (e, s) => e.write('w', s.d, e.value(`${at(['zext', 'sext'], s.c)} i32 ${e.v(s.a)} to i64`)),
  (e, s) => e.write('w', s.d, e.value(`zext nneg i32 ${e.masked(s.a, 0xfffff)} to i64`)),
  (e, s) =>
    e.write(
      'w',
      s.d,
      e.value(`${at(P.plain, s.c)} i64 ${e.read('w', s.a)}, ${s.k & 1 ? (s.k >> 2) & 0xffff : e.read('w', s.b)}`),
    ),
  (e, s) => {
    const x = e.value(`and i64 ${e.read('w', s.a)}, ${s.k & 1 ? 0xffff : -1}`);
    e.write('v', s.d, e.value(`trunc${s.k & 1 ? at([' nuw', ' nsw', ' nuw nsw'], s.c) : ''} i64 ${x} to i32`));
  },
  (e, s) => e.write('h', s.d, e.value(`trunc i32 ${e.v(s.a)} to i16`)),
  (e, s) =>
    e.write(
      'h',
      s.d,
      e.value(`${at(P.plain, s.c)} i16 ${e.read('h', s.a)}, ${s.k & 1 ? (s.k >> 2) & 255 : e.read('h', s.b)}`),
    ),
  (e, s) => e.write('v', s.d, e.value(`${at(['zext', 'sext'], s.c)} i16 ${e.read('h', s.a)} to i32`)),
  (e, s) => e.write('b', s.d, e.value(`trunc i32 ${e.v(s.a)} to i8`)),
  (e, s) => e.write('b', s.d, e.value(`${at(P.plain, s.c)} i8 ${e.read('b', s.a)}, ${e.read('b', s.b)}`)),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`${at(['zext', 'sext'], s.c)} ${s.k & 1 ? `i8 ${e.read('b', s.a)}` : `i1 ${e.read('c', s.a)}`} to i32`),
    ),
  // Intrinsics, some with immediate arguments.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.${at(['umin', 'smax', 'usub.sat', 'sadd.sat'], s.c)}.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.fsh${s.c & 1 ? 'l' : 'r'}.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)}, i32 ${s.k & 1 ? (s.k >> 3) & 31 : e.v(s.c)})`,
      ),
    ),
  (e, s) =>
    e.write('v', s.d, e.value(`call i32 @llvm.${at(['ctpop', 'bitreverse', 'bswap'], s.c)}.i32(i32 ${e.v(s.a)})`)),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.${at(['ctlz', 'cttz'], s.c)}.i32(i32 ${s.k & 1 ? e.value(`or i32 ${e.v(s.a)}, 256`) : e.v(s.a)}, i1 ${(s.k & 1) === 1})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`call i32 @llvm.abs.i32(i32 ${s.k & 1 ? e.masked(s.a, 0xffff) : e.v(s.a)}, i1 ${(s.k & 1) === 1})`),
    ),
  // Aggregates.
  (e, s) => {
    const pair = e.value(
      `call { i32, i1 } @llvm.${at(['uadd', 'sadd', 'usub'], s.c)}.with.overflow.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)})`,
    );
    e.write('v', s.d, e.value(`extractvalue { i32, i1 } ${pair}, 0`));
    if (s.k & 1) e.write('c', s.d, e.value(`extractvalue { i32, i1 } ${pair}, 1`));
  },
  (e, s) => {
    const one = e.value(`insertvalue { i32, i32 } { i32 ${s.k & 63}, i32 7 }, i32 ${e.v(s.a)}, ${s.c & 1}`);
    const two = s.k & 64 ? e.value(`insertvalue { i32, i32 } ${one}, i32 ${e.v(s.b)}, ${(s.c >> 1) & 1}`) : one;
    e.write('v', s.d, e.value(`extractvalue { i32, i32 } ${two}, ${(s.k >> 7) & 1}`));
  },
  // Floats that hold small integers.
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.clamped(
        e.value(
          `${at(['fadd', 'fsub', 'fmul'], s.c)}${at(P.fast, s.k)} float ${e.read('f', s.a)}, ${s.k & 512 ? `${(s.k >> 10) & 7}.0` : e.read('f', s.b)}`,
        ),
      ),
    ),
  (e, s) => e.write('f', s.d, e.small(s.a)),
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.clamped(
        e.value(
          `call float @llvm.fmuladd.f32(float ${e.read('f', s.a)}, float ${e.small(s.b, 15)}, float ${e.read('f', s.c)})${OF_OPENCL}`,
        ),
      ),
    ),
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.value(`fneg${at(['', ' nnan', ' nsz'], s.k)} float ${e.value(`fadd float ${e.read('f', s.a)}, 1.0`)}`),
    ),
  (e, s) =>
    e.write(
      'c',
      s.d,
      e.value(
        `fcmp${at(P.fast, s.k)} ${at(P.fcmp, s.c)} float ${e.read('f', s.a)}, ${s.k & 64 ? `${(s.k >> 10) & 15}.0` : e.read('f', s.b)}`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`fptosi float ${e.read('f', s.a)} to i32`)),
  // Vectors.
  (e, s) =>
    e.write(
      'q',
      s.d,
      e.value(
        `insertelement <4 x i32> ${e.read('q', s.a)}, i32 ${e.v(s.b)}, i32 ${s.k & 1 ? s.c & 3 : e.masked(s.c, 3)}`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`extractelement <4 x i32> ${e.read('q', s.a)}, i32 ${s.k & 1 ? s.c & 3 : e.masked(s.c, 3)}`),
    ),
  (e, s) => {
    const mask = [0, 3, 6, 9].map((shift) => `i32 ${(s.k >> shift) & 7}`).join(', ');
    const other = e.value(`${at(P.plain, s.c)} <4 x i32> ${e.read('q', s.a)}, <i32 1, i32 5, i32 ${s.k & 31}, i32 -3>`);
    e.write('q', s.d, e.value(`shufflevector <4 x i32> ${e.read('q', s.a)}, <4 x i32> ${other}, <4 x i32> <${mask}>`));
  },
  // Private arrays, structs, pointers.
  (e, s) => e.write('v', s.d, e.value(`load i32, ptr addrspace(5) ${e.private(s)}`)),
  (e, s) => e.emit(`store i32 ${e.v(s.b)}, ptr addrspace(5) ${e.private(s)}`),
  (e, s) => {
    const slot = e.value(`zext i32 ${e.masked(s.a, 7)} to i64`);
    const [field, bytes] = at([[0, 4], [1, 2], [2, 2], [3, 8]] as const, s.c);
    const pointer = e.value(`getelementptr inbounds %record, ptr addrspace(1) %own, i64 ${slot}, i32 ${field}`);
    if (s.k & 1) e.emit(`store ${typeOf(bytes)} ${narrowed(e, e.v(s.b), bytes)}, ptr addrspace(1) ${pointer}`);
    else e.write('v', s.d, widened(e, e.value(`load ${typeOf(bytes)}, ptr addrspace(1) ${pointer}`), bytes));
  }, // prettier-ignore
  (e, s) =>
    e.write(
      'p',
      s.d,
      e.value(
        `getelementptr inbounds i32, ptr addrspace(1) %in, i64 ${e.value(`zext i32 ${e.masked(s.a, 511)} to i64`)}`,
      ),
    ),
  (e, s) => {
    const pointer = e.value(`getelementptr inbounds i32, ptr addrspace(1) ${e.read('p', s.a)}, i64 ${s.k & 7}`);
    e.write('v', s.d, e.value(`load i32, ptr addrspace(1) ${pointer}, align 4`));
  },
  (e, s) => {
    const flat =
      s.k & 1
        ? e.value(`addrspacecast ptr addrspace(3) ${e.local(s)} to ptr`)
        : e.value(`addrspacecast ptr addrspace(1) ${e.cell(s, s.a, 4)} to ptr`);
    if (s.k & 256) e.emit(`store i32 ${e.v(s.b)}, ptr ${flat}, align 4`);
    else e.write('v', s.d, e.value(`load i32, ptr ${flat}, align 4`));
  },
  // Atomics on the thread's own memory.
  (e, s) => {
    const [space, pointer] = s.k & 512 ? ['3', e.local(s)] : ['1', e.cell(s, s.a, 4)];
    const scope = s.k & 1024 ? ' syncscope("agent")' : '';
    const result = e.value(
      `atomicrmw ${at(['add', 'xor', 'umax', 'xchg', 'sub'], s.c)} ptr addrspace(${space}) ${pointer}, i32 ${e.v(s.b)}${scope} monotonic, align 4${s.k & 2048 ? ', !amdgpu.no.fine.grained.memory !0' : ''}`,
    );
    if (s.k & 4096) e.write('v', s.d, result);
  },
  (e, s) => {
    const result = e.value(
      `cmpxchg ptr addrspace(1) ${e.cell(s, s.a, 4)}, i32 ${e.v(s.b)}, i32 ${e.v(s.c)} monotonic monotonic, align 4`,
    );
    e.write('v', s.d, e.value(`extractvalue { i32, i1 } ${result}, 0`));
  },
  // Calls.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call ${s.k & 1 ? 'noundef ' : ''}i32 @mix(i32 ${e.v(s.a)}, i32 ${s.k & 16 ? String(s.k & 255) : e.v(s.b)})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @ratio(i32 ${s.k & 1 ? 'noundef ' : ''}${e.v(s.a)}, i32 ${s.k & 2 ? 'range(i32 1, 65536) ' : 'noundef '}${e.value(`or i32 ${e.masked(s.b, 0xfff)}, 1`)})`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`call i32 @touch(ptr addrspace(1) %own, i32 ${e.v(s.a)})`)),
  // Assumptions.
  (e, s) => {
    const x = e.masked(s.a, 1023);
    e.emit(`call void @llvm.assume(i1 ${e.value(`icmp ult i32 ${x}, 1024`)})`);
    e.write('v', s.d, e.value(`add i32 ${x}, ${e.v(s.b)}`));
  },
  (e, s) => e.write('v', s.d, e.value(`freeze i32 ${e.v(s.a)}`)),
  (e, s) => {
    const slot = e.value(`zext i32 ${e.masked(s.a, 511)} to i64`);
    const pointer = e.value(`getelementptr i8, ptr addrspace(1) %in, i64 ${slot}`);
    const byte = e.value(`load i8, ptr addrspace(1) ${pointer}, align 1, !noundef !0${s.k & 1 ? ', !range !1' : ''}`);
    e.write('v', s.d, e.value(`zext i8 ${byte} to i32`));
  },
  (e, s) =>
    e.emit(
      `call void @llvm.memset.p1.i64(ptr addrspace(1) ${e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${(s.k & 7) * 8}`)}, i8 ${s.c & 1 ? e.read('b', s.a) : s.k & 255}, i64 ${s.k & 8 ? 16 : 8}, i1 false)`,
    ),
];
