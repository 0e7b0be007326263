/** Loads, stores and atomics of the wide family of random kernels (wide-operations.ts), of all widths and memories. */
import { at } from './random-emitter.js';
import type { Leaf } from './random-kernel.js';
import type { WideEmitter, WideOperation } from './wide-emitter.js';
import { INTEGER_TYPES } from './wide-integers.js';

/** Number of sums that all threads add to. */
export const ATOMICS = 24;

const MEMORY = [
  'i8',
  'i16',
  'i32',
  'i64',
  '<2 x i32>',
  '<3 x i32>',
  '<4 x i32>',
  '<2 x i16>',
  'half',
  '<4 x i8>',
] as const;
const SIZES = { i8: 1, i16: 2, i32: 4, i64: 8, '<2 x i32>': 8, '<3 x i32>': 16, '<4 x i32>': 16, '<2 x i16>': 4, half: 2, '<4 x i8>': 4 } as const; // prettier-ignore

/** Loads or stores `type` at a pointer, to or from a variable of a fitting class. */
function access(e: WideEmitter, s: Leaf, type: (typeof MEMORY)[number], pointer: string, align: number): void {
  const load = (): string => e.value(`load ${type}, ${pointer}, align ${align}`);
  const store = (value: string): void => e.emit(`store ${type} ${value}, ${pointer}, align ${align}`);
  const isLoad = (s.k & 1) === 0;
  switch (type) {
    case 'i8':
    case 'i16': {
      const wider = at(['v', 'w', 'h'] as const, s.k >> 20);
      if (isLoad && (wider !== 'h' || type === 'i8')) return e.put(wider, s.d, e.value(`${at(['zext', 'sext'], s.c)} ${type} ${load()} to ${INTEGER_TYPES[wider]}`)); // prettier-ignore
      if (isLoad) return e.put('s', s.d, e.value(`insertelement <2 x i16> ${e.get('s', s.c)}, i16 ${load()}, i32 ${s.c & 1}`)); // prettier-ignore
      if (type === 'i16' && s.k & 1024) return store(e.value(`extractelement <2 x i16> ${e.get('s', s.b)}, i32 1`));
      return store(e.value(`trunc i32 ${s.k & 512 ? e.value(`lshr i32 ${e.get('v', s.b)}, 16`) : e.get('v', s.b)} to ${type}`)); // prettier-ignore
    }
    case 'half':
      if (isLoad) return e.put('x', s.d, e.quiet('x', load()));
      return store(e.quiet('x', e.get('x', s.b)));
    case 'i32':
      return isLoad ? e.put('v', s.d, load()) : store(e.get('v', s.b));
    case 'i64':
      return isLoad ? e.put('w', s.d, load()) : store(e.get('w', s.b));
    case '<2 x i16>':
      return isLoad ? e.put('s', s.d, load()) : store(e.get('s', s.b));
    case '<4 x i8>':
      return isLoad
        ? e.put('v', s.d, e.value(`bitcast <4 x i8> ${load()} to i32`))
        : store(e.value(`bitcast i32 ${e.get('v', s.b)} to <4 x i8>`));
    case '<2 x i32>':
      return isLoad
        ? e.put('w', s.d, e.value(`bitcast <2 x i32> ${load()} to i64`))
        : store(e.value(`bitcast i64 ${e.get('w', s.b)} to <2 x i32>`));
    case '<3 x i32>': {
      if (!isLoad) return store(e.value(`shufflevector <4 x i32> ${e.get('q', s.b)}, <4 x i32> poison, <3 x i32> <i32 2, i32 0, i32 1>`)); // prettier-ignore
      const three = load();
      e.put('v', s.d, e.value(`extractelement <3 x i32> ${three}, i32 2`));
      return e.put('v', s.d + 1, e.value(`extractelement <3 x i32> ${three}, i32 0`));
    }
    case '<4 x i32>':
      return isLoad ? e.put('q', s.d, load()) : store(e.get('q', s.b));
  }
}

/** The thread's own bytes in global, flat, LDS or private memory. */
const memory: WideOperation = (e, s) => {
  const type = at(MEMORY, s.c);
  const bytes = SIZES[type];
  const align = s.k & 4096 ? Math.max(1, (type === '<3 x i32>' ? 4 : bytes) >> 1) : type === '<3 x i32>' ? 4 : bytes;
  const offset = (size: number): string => e.value(`mul i32 ${e.masked(s.a, size / bytes - 1)}, ${bytes}`);
  switch ((s.k >> 5) % 5) {
    case 0: {
      const place = e.value(`zext i32 ${offset(128)} to i64`);
      const pointer = e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${place}`);
      return access(e, s, type, `ptr addrspace(1) ${pointer}`, align);
    }
    case 1: {
      const fixed = e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${((s.k >> 13) % (128 / bytes)) * bytes}`);
      return access(e, s, type, `ptr addrspace(1) ${fixed}`, align);
    } // prettier-ignore
    case 2: {
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${offset(32)}`);
      if ((s.k & 2) === 0) return access(e, s, type, `ptr addrspace(3) ${row}`, Math.min(align, 16));
      return access(e, s, type, `ptr ${e.value(`addrspacecast ptr addrspace(3) ${row} to ptr`)}`, align);
    }
    case 3: {
      const fixed = ((s.k >> 13) % (32 / bytes)) * bytes;
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${fixed}`);
      return access(e, s, type, `ptr addrspace(3) ${row}`, align);
    }
    default: {
      const place = e.value(`getelementptr inbounds i8, ptr addrspace(5) %array${s.k & 2 ? 1 : 0}, i32 ${offset(32)}`);
      if ((s.k & 8) === 0) return access(e, s, type, `ptr addrspace(5) ${place}`, Math.min(align, 4));
      return access(e, s, type, `ptr ${e.value(`addrspacecast ptr addrspace(5) ${place} to ptr`)}`, Math.min(align, 4));
    }
  }
};
/** Two neighbouring elements of LDS at once. */
const neighbours: WideOperation = (e, s) => {
  const place = (index: number): string =>
    e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${index}`);
  const [first, second] = [(s.k & 3) * 8, ((s.k >> 2) & 3) * 8];
  for (const [index, offset] of [first, second].entries())
    if (s.k & 64) e.emit(`store i64 ${e.get('w', s.a + index)}, ptr addrspace(3) ${place(offset)}, align 8`);
    else e.put('w', s.d + index, e.value(`load i64, ptr addrspace(3) ${place(offset)}, align 8`));
};
/** Read-only memory, at an address that is uniform or not. */
const lookUp: WideOperation = (e, s) => {
  const index = s.k & 1 ? e.value('and i32 %uniform, 7') : e.masked(s.a, 15);
  if (s.k & 2) {
    const place = e.value(`getelementptr inbounds [16 x i32], ptr addrspace(4) @table, i32 0, i32 ${index}`);
    return e.put('v', s.d, e.value(`load i32, ptr addrspace(4) ${place}, align 4`));
  }
  const place = e.value(`getelementptr inbounds <4 x i32>, ptr addrspace(1) %in, i32 ${index}`);
  if (s.k & 4) return e.put('q', s.d, e.value(`load <4 x i32>, ptr addrspace(1) ${place}, align 16`));
  const narrow = at(['i8', 'i16'], s.c);
  const value = e.value(`load ${narrow}, ptr addrspace(1) ${place}, align 2`);
  e.put(at(['v', 'u'] as const, s.k >> 3), s.d, e.value(`${at(['sext', 'zext'], s.k >> 4)} ${narrow} ${value} to i32`));
};

// --- Atomics whose final result does not depend on their order
// ------------------------------------------------------------

const SHARED = ['add', 'sub', 'and', 'or', 'xor', 'umin', 'umax', 'min', 'max', 'uinc_wrap', 'usub_sat'] as const;
const atomic: WideOperation = (e, s) => {
  const slot = s.c % SHARED.length;
  const name = SHARED[slot]!;
  const scope = s.k & 16 ? ' syncscope("agent")' : ' syncscope("workgroup")';
  const facts = ', !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0';
  const [of, type, bytes, base] = s.k & 1 ? (['w', 'i64', 8, ATOMICS * 4] as const) : (['v', 'i32', 4, 0] as const);
  const value = name === 'uinc_wrap' ? '1000' : (s.k >> 5) % 3 === 0 ? '3' : e.get(of, s.a);
  const order = s.k & 128 ? 'seq_cst' : 'monotonic';
  if (s.k & 2) {
    // Sums, minima and maxima of small integers as floats; even slots are for sums.
    const place = e.value(`getelementptr inbounds i8, ptr addrspace(1) %shared, i64 ${ATOMICS * 12 + s.c % ATOMICS * 4}`);
    const small = e.value(`uitofp i32 ${e.masked(s.a, 255)} to float`);
    const how = s.c % 2 === 0 ? 'fadd' : 'fmax';
    return void e.value(`atomicrmw ${how} ptr addrspace(1) ${place}, float ${small} syncscope("agent") monotonic, align 4${facts}`);
  } // prettier-ignore
  // LLVM 22 cannot select a saturating subtraction in LDS for gfx10.
  if (s.k & 4 && name !== 'usub_sat') {
    const array = s.k & 1 ? 'longs' : 'sums';
    const place = e.value(`getelementptr inbounds ${type}, ptr addrspace(3) @${array}, i32 ${slot}`);
    return void e.value(`atomicrmw ${name} ptr addrspace(3) ${place}, ${type} ${value}${scope} ${order}, align ${bytes}`);
  }
  const place = e.value(`getelementptr inbounds i8, ptr addrspace(1) %shared, i64 ${base + slot * bytes}`);
  e.value(`atomicrmw ${name} ptr addrspace(1) ${place}, ${type} ${value}${scope.replace('workgroup', 'agent')} ${order}, align ${bytes}${facts}`);
}; // prettier-ignore

export const MEMORY_OPS: readonly WideOperation[] = [
  memory, memory, memory, memory, neighbours, lookUp, lookUp, atomic, atomic,
]; // prettier-ignore
