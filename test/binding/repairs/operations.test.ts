/** What LLVM selects wrong instructions for, and is repaired (wasm/repairs/operations.mjs). */
import { artifact, compile, text } from '../../support/llvm.js';
import { assembly, CPUS, LEVELS, stored } from '../../support/repaired.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('binding/repairs/operations', { tests: 10 });

const DOT = /v_dot4/;

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

/** What OpenCL's get_work_dim reads, in a kernel whose groups have this size. */
const dimensions = (size: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) #0 !reqd_work_group_size !0 {
    %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
    %at = getelementptr i8, ptr addrspace(4) %implicit, i64 64
    %n = load i16, ptr addrspace(4) %at
    store i16 %n, ptr addrspace(1) %out
    ret void
  }
  declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
  !0 = !{${size}}`;

test('groups of one dimension do not make grids of one', async () => {
  const optimised = async (ir: string): Promise<string> =>
    text(artifact(await compile(ir, { mcpu: 'gfx906', optimize: 'O1', meld: 'off', emit: ['ll'] }), 'll'));
  for (const size of ['i32 64, i32 1, i32 1', 'i32 8, i32 8, i32 1'])
    assert.match(await optimised(dimensions(size)), /load i16/, size);
  assert.match(await optimised(dimensions('i32 4, i32 4, i32 4')), /store i16 3/);
});

/** What two halves of a word are packed from: the upper one by each thread; the lower word is the same for all. */
const packed = (word: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %end = getelementptr i32, ptr addrspace(1) %out, i32 64
    %zero = load i32, ptr addrspace(1) %end
    %uniform = add i32 %zero, 1234567
    %short = trunc i32 %id to i16
    %product = mul i16 %short, 3
    %wide = zext i16 %product to i32
    %high = shl i32 %wide, 16
    %result = or i32 ${word}
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %result, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('what is packed with a word that is the same for all threads gets the upper half of that word', async () => {
  for (const [word, value] of [
    ['%high, %uniform', 1234567],
    ['%uniform, %high', 1234567],
    ['%high, 1234567', 1234567],
    ['%high, 5', 5],
  ] as const) {
    const expected = Uint32Array.from({ length: 64 }, (_, id) => ((id * 3) << 16) | value);
    for (const mcpu of CPUS) assert.equal(await stored(packed(word), mcpu), expected, `${word}, ${mcpu}`);
  }
});

test('it is so on a target that the simulator does not know', async () => {
  for (const word of ['%high, %uniform', '%high, 5'])
    assert.match(await assembly(packed(word), 'gfx1201'), /v_lshl_or_b32|v_or_b32/, word);
});

test('what is packed with a word of each thread is an operation on its upper half', async () => {
  const ir = packed('%high, %own').replace('%result =', '%own = load i32, ptr addrspace(1) %own.at\n    %result =');
  const own = '%own.at = getelementptr i32, ptr addrspace(1) %out, i32 %id\n    %own =';
  assert.match(await assembly(ir.replace('%own =', own), 'gfx1100'), /v_or_b16/);
});

test.run();
