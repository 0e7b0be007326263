/**
 * Cross-lane operations of random kernels. They are only in places that all threads reach, so that their results are
 * defined. A workgroup's last wave may still lack lanes, and no operation reads a lane that may be missing.
 */
import { at, type Operation } from './random-emitter.js';

/** Within four lanes, within rows of 16, mirrored (llvm/docs/AMDGPUUsage.rst, "DPP"). */
const DPP = [0x1b, 0x4e, 0xb1, 0x39, 0x101, 0x102, 0x111, 0x114, 0x121, 0x128, 0x140, 0x141];
/** Bit masks for and, or and xor; and permutations of four lanes. */
const SWIZZLE = [0x041f, 0x081f, 0x401f, 0x001f, 0x801b, 0x80b1];

const call = (name: string, list: string): string => `call i32 @llvm.amdgcn.${name}(${list})`;

const OPERATIONS: readonly Operation[] = [
  (e, s) => e.write('v', s.d, e.value(call('readfirstlane.i32', `i32 ${e.v(s.a)}`))),
  (e, s) => e.write('v', s.d, e.value(call('readlane.i32', `i32 ${e.v(s.a)}, i32 ${s.k & 3}`))),
  (e, s) => {
    const lane = s.k & 1 ? e.v(s.b) : e.value(`xor i32 %tid, ${(s.k >> 1) & 31}`);
    const address = e.value(`shl i32 ${lane}, 2`);
    e.write('v', s.d, e.value(call('ds.bpermute', `i32 ${address}, i32 ${e.v(s.a)}`)));
  },
  (e, s) => {
    const address = e.value(`shl i32 ${e.value(`xor i32 %tid, ${s.k & 15}`)}, 2`);
    e.write('v', s.d, e.value(call('ds.permute', `i32 ${address}, i32 ${e.v(s.a)}`)));
  },
  (e, s) => e.write('v', s.d, e.value(call('ds.swizzle', `i32 ${e.v(s.a)}, i32 ${at(SWIZZLE, s.k)}`))),
  (e, s) => {
    const [rows, banks] = [s.k & 64 ? 15 : (s.k >> 8) & 15, s.k & 128 ? 15 : (s.k >> 12) & 15];
    const control = `i32 ${at(DPP, s.k)}, i32 ${rows}, i32 ${banks}, i1 ${(s.k & 32) !== 0}`;
    e.write('v', s.d, e.value(call('update.dpp.i32', `i32 ${e.v(s.b)}, i32 ${e.v(s.a)}, ${control}`)));
  },
  (e, s) => {
    const mask = e.value(`call i64 @llvm.amdgcn.ballot.i64(i1 ${e.condition({ of: s.a, a: s.b, b: s.c, k: s.k })})`);
    e.write('w', s.d, mask);
  },
  (e, s) => {
    const name = at(['umin', 'umax'], s.c);
    e.write('v', s.d, e.value(call(`wave.reduce.${name}.i32`, `i32 ${e.v(s.a)}, i32 0`)));
  },
  (e, s) => {
    const low = e.value(call('mbcnt.lo', `i32 ${e.v(s.a)}, i32 0`));
    e.write('v', s.d, e.value(call('mbcnt.hi', `i32 ${e.v(s.b)}, i32 ${low}`)));
  },
];

export const lanes: Operation = (e, s) => at(OPERATIONS, s.op)(e, s);
