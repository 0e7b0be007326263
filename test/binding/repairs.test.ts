/**
 * What LLVM does wrong and is repaired in the module (wasm/repair.mjs): sums of products, halves, loops that share a
 * header, what is copied in a loop, clamps and conversions. The other repairs show in what kernels compute
 * (test/melding/fixtures/, `structurizer-*` and `lost-*`).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LlvmModule } from '../../src/binding/module.js';
import type { JobOptions } from '../../src/job/options.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { FAMILIES } from '../campaign/families.js';
import { specOf } from '../fuzz/bench.js';
import { decoded } from '../support/kernel-launch.js';
import { REPOSITORY, runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/repairs', { tests: 14 });

const CPUS = ['gfx906', 'gfx1100'];
/** At level 0, loops reach the structurizer with several back edges; above it, CodeGenPrepare leaves them one. */
const LEVELS = [0, 3] as const;
const DOT = /v_dot4/;

async function assembly(ir: string, cpu: string): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
}

/** A kernel that stores `%s`. `%a` to `%d` are loaded bytes; `%p` is `%a * %b`, `%q` is `%c * %d`. */
const sums = (body: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i1 %wanted) {
    ${[...'abcd'].map((name, k) => `%${name}.at = getelementptr i8, ptr addrspace(1) %in, i32 ${8 * k}`).join('\n')}
    ${[...'abcd'].map((name) => `%${name}.byte = load i8, ptr addrspace(1) %${name}.at`).join('\n')}
    ${[...'abcd'].map((name) => `%${name} = zext i8 %${name}.byte to i32`).join('\n')}
    %p = mul i32 %a, %b
    %q = mul i32 %c, %d
    ${body}
    store i32 %s, ptr addrspace(1) %out
    ret void
  }`;

const MISTAKEN = {
  or: '%o = or i32 %q, %a\n %s = add i32 %p, %o',
  'or, its product second': '%o = or i32 %a, %q\n %s = add i32 %o, %p',
  select: '%o = select i1 %wanted, i32 %q, i32 %a\n %s = add i32 %p, %o',
  'a factor of ten bits':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 1023\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  'a factor of two bytes that are apart':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 16711935\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  shift: '%o = lshr i32 %q, %a\n %s = add i32 %p, %o',
  bytes:
    '%m = mul i8 %a.byte, %b.byte\n %o = or i8 %m, %a.byte\n %t = add i8 %o, %m\n %s = zext i8 %t to i32',
} as const; // prettier-ignore

test('an operation on a product that is no sum does not become a part of one', async () => {
  for (const cpu of CPUS)
    for (const [what, body] of Object.entries(MISTAKEN))
      assert.not.match(await assembly(sums(body), cpu), DOT, `${what}, ${cpu}`);
});

test('sums of products become dot products', async () => {
  for (const cpu of CPUS)
    assert.match(await assembly(sums('%t = add i32 %p, %a\n %s = add i32 %t, %q'), cpu), DOT, cpu);
});

test('a uniform half that the vector unit computes is there in another block', async () => {
  const ir = `target triple = "amdgcn-amd-amdhsa"
    define amdgpu_kernel void @f(ptr addrspace(1) %out, half %a, half %b, i32 %n) {
    entry:
      %id = call i32 @llvm.amdgcn.workitem.id.x()
      %uniform = fadd half %a, %b
      %c = icmp slt i32 %id, %n
      br i1 %c, label %then, label %end
    then:
      %p = getelementptr half, ptr addrspace(1) %out, i32 %id
      %h = load half, ptr addrspace(1) %p
      %r = call half @llvm.copysign.f16(half %h, half %uniform)
      store half %r, ptr addrspace(1) %p
      br label %end
    end:
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()
    declare half @llvm.copysign.f16(half, half)`;
  for (const cpu of CPUS) assert.match(await assembly(ir, cpu), /v_add_f16/, cpu);
});

/**
 * Three loops share the block `header`. Threads leave the first one at different times; `%b`, which it computes, decides
 * about the second.
 */
const SHARED_HEADER = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %seed = mul i32 %id, 74755
    br label %header
  header:
    %x = phi i32 [ %seed, %entry ], [ %next, %header ], [ %next, %middle ], [ %next, %outer ]
    %sum = phi i32 [ 0, %entry ], [ %sum.1, %header ], [ %sum.2, %middle ], [ %sum.3, %outer ]
    %m = mul i32 %x, 1664525
    %next = add i32 %m, 1013904223
    %low = and i32 %next, 805306368
    %a = icmp ne i32 %low, 0
    %high = and i32 %next, 1073741824
    %b = icmp ne i32 %high, 0
    %step = select i1 %b, i32 1, i32 3
    %sum.1 = add i32 %sum, %step
    br i1 %a, label %header, label %middle
  middle:
    %sum.2 = add i32 %sum, 256
    br i1 %b, label %header, label %outer
  outer:
    %sum.3 = add i32 %sum, 65536
    %c = icmp ult i32 %sum.3, 196608
    br i1 %c, label %header, label %end
  end:
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %sum.3, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

function expectedSum(id: number): number {
  let sum = 0;
  for (let x = Math.imul(id, 74755); ;) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    const [a, b] = [(x & 805306368) !== 0, (x & 1073741824) !== 0];
    if (a) sum += b ? 1 : 3;
    else if (b) sum += 256;
    else if ((sum += 65536) >= 196608) return sum;
  }
}

/** What 64 threads of the kernel store. Behind that is a word of zero. */
async function stored(ir: string, mcpu: string, more: Partial<JobOptions> = {}): Promise<Uint32Array> {
  const args = [{ buffer: 'u32', length: 65, out: true }];
  const spec = parseSpec(JSON.stringify({ kernel: 'f', grid: [1], block: [64], args }), () => new Uint8Array());
  const { object, disassembly } = await decoded(new TextEncoder().encode(ir), { mcpu, meld: 'off', ...more });
  const options = { ...DEFAULT_SIMULATION, cycles: false };
  const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
  return new Uint32Array(buffers[0]!.bytes.slice().buffer).subarray(0, 64);
}

test('a loop that shares its header is left for what each thread found', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedSum(id));
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(SHARED_HEADER, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

/**
 * As in `SHARED_HEADER`. `%d`, which the first loop computes, is used behind all of them, and the last one is left by all
 * threads at once.
 */
const USED_BEHIND = SHARED_HEADER.replace(
  '%step =',
  '%d = icmp slt i32 %next, 0\n    %more = select i1 %d, i32 0, i32 8\n    %sum.0 = add i32 %sum, %more\n    %step =',
)
  .replace('add i32 %sum, %step', 'add i32 %sum.0, %step')
  .replace(
    '%c = icmp ult i32 %sum.3, 196608',
    `%at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load volatile i32, ptr addrspace(1) %at
    %c = icmp ne i32 %flag, 0`,
  )
  .replace('%p =', '%last = select i1 %d, i32 16777216, i32 33554432\n    %result = or i32 %sum.3, %last\n    %p =')
  .replace('store i32 %sum.3', 'store i32 %result');

test('a condition that a loop with a shared header computes is the one each thread left it with', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => {
    let x = Math.imul(id, 74755);
    let sum = 0;
    for (;;) {
      x = (Math.imul(x, 1664525) + 1013904223) | 0;
      const [a, b] = [(x & 805306368) !== 0, (x & 1073741824) !== 0];
      if (a) sum += (x < 0 ? 0 : 8) + (b ? 1 : 3);
      else if (b) sum += 256;
      else return (sum + 65536) | (x < 0 ? 16777216 : 33554432);
    }
  });
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(USED_BEHIND, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

test('merging lane masks leaves a comparison to the branch behind it', async () => {
  const ir = await readFile(
    path.join(REPOSITORY, 'test', 'binding', 'fixtures', 'merged-behind-comparison.ll'),
    'utf8',
  );
  const spec = specOf(FAMILIES.retry.launch('k200_2', 201802));
  const options = { ...DEFAULT_SIMULATION, maxInstructions: 2e7, cycles: false };
  for (const mcpu of CPUS)
    for (const optimize of ['O1', 'O3'] as const) {
      const bytes = new TextEncoder().encode(ir.replaceAll('"gfx906"', `"${mcpu}"`));
      const { object, disassembly } = await decoded(bytes, { meld: 'off', optimize });
      const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
      const hash = createHash('sha256');
      for (const buffer of buffers) hash.update(buffer.bytes);
      // As the host leaves it (test/campaign/simulate.ts).
      assert.is(hash.digest('hex').slice(0, 16), 'e96ea9d2638678ec', `${mcpu} ${optimize}`);
    }
});

/** Two selects ask one uniform comparison. Between them, `%d` is computed, which is used behind the loop. */
const COMPARED_TWICE = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %seed = mul i32 %id, 74755
    br label %header
  header:
    %x = phi i32 [ %seed, %entry ], [ %next, %even ], [ %next, %odd ]
    %n = phi i32 [ 0, %entry ], [ %n.1, %even ], [ %n.1, %odd ]
    %s = phi i32 [ 1, %entry ], [ %s.1, %even ], [ %s.1, %odd ]
    %t = phi i32 [ 3, %entry ], [ %t.1, %even ], [ %t.1, %odd ]
    %m = mul i32 %x, 1664525
    %next = add i32 %m, 1013904223
    %n.1 = add i32 %n, 1
    %early = icmp ult i32 %n.1, 5
    %s.1 = select i1 %early, i32 %s, i32 %n.1
    %d = icmp slt i32 %next, 0
    %low = and i32 %next, 805306368
    %a = icmp ne i32 %low, 0
    %t.1 = select i1 %early, i32 %t, i32 %s.1
    %bit = and i32 %n, 1
    %u = icmp eq i32 %bit, 0
    br i1 %u, label %even, label %odd
  even:
    br label %header
  odd:
    br i1 %a, label %header, label %end
  end:
    %last = select i1 %d, i32 65536, i32 131072
    %t.2 = shl i32 %t.1, 8
    %both = or i32 %s.1, %t.2
    %result = or i32 %both, %last
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('merging lane masks leaves a comparison to users on both sides of it', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => {
    let [x, s, t] = [Math.imul(id, 74755), 1, 3];
    for (let n = 0; ; n++) {
      x = (Math.imul(x, 1664525) + 1013904223) | 0;
      if (n + 1 >= 5) s = t = n + 1;
      if (n % 2 === 1 && (x & 805306368) === 0) return s | (t << 8) | (x < 0 ? 65536 : 131072);
    }
  });
  for (const mcpu of CPUS) assert.equal(await stored(COMPARED_TWICE, mcpu, { codegenLevel: 0 }), expected, mcpu);
});

/**
 * Two ways back to the header. `%first` is one value for all threads in the loop; the first thread leaves the inner of
 * the structurizer's loops later than the others, and all leave the outer one together.
 */
const TWO_WAYS_BACK = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %zero = icmp eq i32 %id, 0
    %at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load i32, ptr addrspace(1) %at
    %again = icmp ne i32 %flag, 0
    br label %header
  header:
    %first = phi i1 [ true, %entry ], [ false, %back ]
    %c = and i1 %first, %zero
    br i1 %c, label %back, label %other
  back:
    br label %header
  other:
    br i1 %again, label %back, label %end
  end:
    %result = select i1 %first, i32 1, i32 2
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('a loop with several ways back keeps one back edge', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => (id === 0 ? 2 : 1));
  for (const mcpu of CPUS) assert.equal(await stored(TWO_WAYS_BACK, mcpu), expected, mcpu);
});

/**
 * `%v` has a part that differs between threads. The others are scalar registers that are copied in the loop.
 *
 * @param loop from `entry`'s branch on, to the blocks `header` and `end`
 * @param back where threads go on that stay in the loop
 */
const partlyUniform = (loop: string, back: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %low = and i32 %id, 1
    %odd = icmp ne i32 %low, 0
    %start = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %id, i64 0
    ${loop}
    %n.1 = add i32 %n, 1
    %begins = icmp ult i32 %n, 2
    %c = and i1 %begins, %odd
    %set = or <4 x i32> %v, splat (i32 1)
    %moved = shufflevector <4 x i32> zeroinitializer, <4 x i32> %set, <4 x i32> <i32 5, i32 1, i32 7, i32 1>
    br i1 %c, label ${back}, label %end
  end:
    %big = icmp ugt i32 %id, 40
    %chosen = select i1 %big, <4 x i32> zeroinitializer, <4 x i32> %moved
    %a = extractelement <4 x i32> %chosen, i64 0
    %b = extractelement <4 x i32> %chosen, i64 2
    %shifted = shl i32 %b, 8
    %result = or i32 %a, %shifted
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

const COPIED_IN = {
  'a loop': partlyUniform(
    `br label %header
  header:
    %v = phi <4 x i32> [ %start, %entry ], [ %moved, %header ]
    %n = phi i32 [ 0, %entry ], [ 2, %header ]`,
    '%header',
  ),
  // The header that FixIrreducible makes comes behind all other blocks.
  'a loop that is entered at two places': partlyUniform(
    `%at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load i32, ptr addrspace(1) %at
    %flagged = icmp ne i32 %flag, 0
    br i1 %flagged, label %before, label %header
  before:
    %v.before = phi <4 x i32> [ %start, %entry ], [ %moved, %header ]
    %n.before = phi i32 [ 0, %entry ], [ %n.1, %header ]
    %n.next = add i32 %n.before, 1
    br label %header
  header:
    %v = phi <4 x i32> [ %start, %entry ], [ %v.before, %before ]
    %n = phi i32 [ 0, %entry ], [ %n.next, %before ]`,
    '%before',
  ),
};

test('a copy of a scalar register stays in the loop that threads leave at different times', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => (id > 40 ? 0 : id % 2 ? 0x101 : 0x503));
  for (const mcpu of CPUS)
    for (const [where, ir] of Object.entries(COPIED_IN))
      for (const optimize of ['none', 'O3'] as const)
        assert.equal(await stored(ir, mcpu, { optimize }), expected, `${mcpu}, ${where}, ${optimize}`);
});

/** What audio does with its samples. LLVM makes a conversion that saturates of it. */
const CLAMPED = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %centred = sub i32 %id, 32
    %scaled = mul i32 %centred, 1500
    %x = sitofp i32 %scaled to float
    %n = fptosi float %x to i32
    %at.least = call i32 @llvm.smax.i32(i32 %n, i32 -32768)
    %at.most = call i32 @llvm.smin.i32(i32 %at.least, i32 32767)
    %s = trunc i32 %at.most to i16
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i16 %s, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('a number that is clamped to 16 bits keeps its value within them', async () => {
  const expected = Uint32Array.from(
    { length: 64 },
    (_, id) => Math.min(Math.max((id - 32) * 1500, -32768), 32767) & 0xffff,
  );
  for (const mcpu of [...CPUS, 'gfx1030']) assert.equal(await stored(CLAMPED, mcpu), expected, mcpu);
});

/** Halves, then bfloats, and what they are in 64 bits: with a sign, and without. */
const NUMBERS: readonly (readonly [bits: number, signed: bigint, unsigned: bigint])[] = [
  [0x7c00, 2n ** 63n - 1n, 2n ** 64n - 1n],
  [0xfc00, -(2n ** 63n), 0n],
  [0x7e00, 0n, 0n],
  [0x7bff, 65504n, 65504n],
  [0xfbff, -65504n, 0n],
  [0xc580, -5n, 0n],
  [0x0000, 0n, 0n],
  [0x5150, 42n, 42n],
  [0x7f80, 2n ** 63n - 1n, 2n ** 64n - 1n],
  [0xff80, -(2n ** 63n), 0n],
  [0x7fc0, 0n, 0n],
  [0x7149, 2n ** 63n - 1n, 2n ** 64n - 1n],
  [0x5f00, 2n ** 63n - 1n, 2n ** 63n],
  [0xde80, -(2n ** 62n), 0n],
  [0x4f00, 2n ** 31n, 2n ** 31n],
  [0xc0b0, -5n, 0n],
];

/** Four threads for each of `NUMBERS`: the lower and upper words with a sign, and those without. */
const SATURATED = `target triple = "amdgcn-amd-amdhsa"
  @numbers = internal addrspace(4) constant [16 x i16] [${NUMBERS.map(([bits]) => `i16 ${bits}`).join(', ')}]
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %index = lshr i32 %id, 2
    %at = getelementptr [16 x i16], ptr addrspace(4) @numbers, i32 0, i32 %index
    %bits = load i16, ptr addrspace(4) %at
    %half = bitcast i16 %bits to half
    %bfloat = bitcast i16 %bits to bfloat
    %hs = call i64 @llvm.fptosi.sat.i64.f16(half %half)
    %hu = call i64 @llvm.fptoui.sat.i64.f16(half %half)
    %bs = call i64 @llvm.fptosi.sat.i64.bf16(bfloat %bfloat)
    %bu = call i64 @llvm.fptoui.sat.i64.bf16(bfloat %bfloat)
    %first = icmp ult i32 %id, 32
    %signed = select i1 %first, i64 %hs, i64 %bs
    %unsigned = select i1 %first, i64 %hu, i64 %bu
    %kind = and i32 %id, 2
    %has.sign = icmp eq i32 %kind, 0
    %number = select i1 %has.sign, i64 %signed, i64 %unsigned
    %part = and i32 %id, 1
    %word = zext i32 %part to i64
    %by = shl i64 %word, 5
    %shifted = lshr i64 %number, %by
    %result = trunc i64 %shifted to i32
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('halves and bfloats saturate at the 64 bits that they are converted to', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => {
    const [, signed, unsigned] = NUMBERS[id >> 2]!;
    return Number(BigInt.asUintN(32, (id & 2 ? unsigned : signed) >> (id & 1 ? 32n : 0n)));
  });
  for (const mcpu of [...CPUS, 'gfx1030'])
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(SATURATED, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

/** Four products of bytes, added to a number beyond 32 bits. */
const WIDE_DOT = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %x = mul i32 %id, 66051
    %y = mul i32 %id, 50462976
    %start = zext i32 %id to i64
    %sum.0 = shl i64 %start, 33
    ${[0, 8, 16, 24]
      .map(
        (by, k) => `%xs.${k} = lshr i32 %x, ${by}
    %xb.${k} = and i32 %xs.${k}, 255
    %xw.${k} = zext i32 %xb.${k} to i64
    %ys.${k} = lshr i32 %y, ${by}
    %yb.${k} = and i32 %ys.${k}, 255
    %yw.${k} = zext i32 %yb.${k} to i64
    %product.${k} = mul i64 %xw.${k}, %yw.${k}
    %sum.${k + 1} = add i64 %sum.${k}, %product.${k}`,
      )
      .join('\n')}
    %upper = lshr i64 %sum.4, 32
    %result = trunc i64 %upper to i32
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('a sum of 64 bits is no dot product of 32', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => 2 * id);
  for (const mcpu of [...CPUS, 'gfx1030']) assert.equal(await stored(WIDE_DOT, mcpu), expected, mcpu);
});

/** The larger one of a number and its absolute value, between 0 and 1, in sixteenths. */
const CLAMPED_MAXIMUM = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %centred = sub i32 %id, 32
    %whole = sitofp i32 %centred to float
    %x = fmul float %whole, 6.25e-02
    %absolute = call float @llvm.fabs.f32(float %x)
    %most = call nnan float @llvm.maxnum.f32(float %x, float %absolute)
    %clamped = call float @llvm.amdgcn.fmed3.f32(float %most, float 0.0, float 1.0)
    %scaled = fmul float %clamped, 1.6e+01
    %result = fptoui float %scaled to i32
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('a maximum of a number and its absolute value is not that number', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => Math.min(16, Math.abs(id - 32)));
  for (const mcpu of [...CPUS, 'gfx1030']) assert.equal(await stored(CLAMPED_MAXIMUM, mcpu), expected, mcpu);
});

/** For each k a loop of `%high` iterations. Both a select and a branch ask whether k is beyond `%high`. */
const ASKED_TWICE = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %low, i64 %high, i64 %n) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %id.64 = zext nneg i32 %id to i64
    %own.out = getelementptr float, ptr addrspace(1) %out, i64 %id.64
    %any = icmp slt i64 %low, %n
    br i1 %any, label %start, label %end
  start:
    %own.in = getelementptr inbounds nuw float, ptr addrspace(1) %in, i64 %id.64
    br label %outer
  end:
    ret void
  outer:
    %k = phi i64 [ %low, %start ], [ %k.1, %next ]
    %beyond = icmp sgt i64 %k, %high
    %bound = select i1 %beyond, i64 0, i64 %high
    br i1 %beyond, label %next, label %begin
  begin:
    %none = icmp eq i64 %bound, 0
    br i1 %none, label %finish, label %inner
  finish:
    %sum = phi float [ 0.0, %begin ], [ %v.1, %inner ]
    %row = getelementptr float, ptr addrspace(1) %own.out, i64 %k
    %p = getelementptr i8, ptr addrspace(1) %row, i64 32
    store float %sum, ptr addrspace(1) %p
    br label %next
  inner:
    %r = phi i64 [ %r.1, %inner ], [ 0, %begin ]
    %v = phi float [ %v.1, %inner ], [ 0.0, %begin ]
    %at = getelementptr inbounds nuw float, ptr addrspace(1) %own.in, i64 %r
    %x = load float, ptr addrspace(1) %at
    %v.1 = fadd float %v, %x
    %r.1 = add nuw nsw i64 %r, 1
    %done = icmp eq i64 %r.1, %bound
    br i1 %done, label %finish, label %inner
  next:
    %k.1 = add nsw i64 %k, 1
    %more = icmp slt i64 %k.1, %n
    br i1 %more, label %outer, label %end
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('an operation whose SCC is used stays where its result is not needed', async () => {
  for (const mcpu of ['gfx906', 'gfx90a'])
    assert.match(await assembly(ASKED_TWICE, mcpu), /v_cmp_gt_i64.* vcc, .*\n\ts_and_b64 vcc, exec, vcc\n/, mcpu);
});

test.run();
