/**
 * Small sources over the features of HIP C++ and OpenCL C, each with what it computes, in TypeScript. A case is a
 * kernel's body: `i` is the thread's number, `t` that in its workgroup of 64, `a` random 32-bit integers, `x` random
 * floats from 0.5 to 4, `n` 128, the number of threads. It writes `out[i]`.
 */
export type Element = 'i32' | 'u32' | 'f32' | 'f64' | 'i64';

export interface Case {
  readonly name: string;
  readonly language: 'hip' | 'opencl';
  readonly out: Element;
  /** In front of the kernel. */
  readonly before?: string;
  readonly body: string;
  readonly want: (i: number, a: Int32Array, x: Float32Array) => number | bigint;
  readonly flags?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Relative; 0 where the result is exact. */
  readonly tolerance?: number;
  /** Bytes of dynamic LDS. */
  readonly dynamicLds?: number;
  /** Qualifiers of the kernel. */
  readonly qualifiers?: string;
  /** Only for processors of this wave size. */
  readonly target?: string;
}

const f = Math.fround;
const popcount = (value: number): number => {
  let count = 0;
  for (let bits = value >>> 0; bits !== 0; bits >>>= 1) count += bits & 1;
  return count;
};
/** Of the workgroup that thread `i` is in. */
const group = (i: number): number => i - (i % 64);
const sum = (from: number, to: number, of: (at: number) => number): number => {
  let total = 0;
  for (let at = from; at < to; at++) total += of(at);
  return total;
};

type Rest = Omit<Case, 'name' | 'language' | 'out' | 'body' | 'want'>;
const all: Case[] = [];
const hip = (name: string, out: Element, body: string, want: Case['want'], rest: Rest = {}): void =>
  void all.push({ name, language: 'hip', out, body, want, ...rest });
const cl = (name: string, out: Element, body: string, want: Case['want'], rest: Rest = {}): void =>
  void all.push({ name, language: 'opencl', out, body, want, ...rest });

// --- the model of threads ---
hip(
  'indices',
  'i32',
  'out[i] = blockIdx.x * 1000 + threadIdx.x + blockDim.x * gridDim.x;',
  (i) => (i >> 6) * 1000 + (i & 63) + 128,
);
hip(
  'shared memory and barrier',
  'i32',
  '__shared__ int s[64]; s[t] = a[i]; __syncthreads(); out[i] = s[63 - t];',
  (i, a) => a[group(i) + 63 - (i & 63)]!,
);
hip(
  'dynamic shared memory',
  'i32',
  'dyn[t] = a[i] * 2; __syncthreads(); out[i] = dyn[t ^ 1];',
  (i, a) => (a[i ^ 1]! * 2) | 0,
  {
    before: 'extern __shared__ int dyn[];',
    dynamicLds: 256,
  },
);
hip('launch bounds', 'i32', 'out[i] = a[i] + 1;', (i, a) => (a[i]! + 1) | 0, { qualifiers: '__launch_bounds__(64)' });
hip('constant memory', 'i32', 'out[i] = table[t & 3];', (i) => [7, 11, 13, 17][i & 3]!, {
  before: '__constant__ int table[4] = {7, 11, 13, 17};',
});
hip('device variable', 'i32', 'out[i] = scale * t;', (i) => 5 * (i & 63), { before: '__device__ int scale = 5;' });
hip(
  'divergent loop',
  'i32',
  'int s = 0; for (int k = 0; k < (t & 7); k++) s += a[k]; out[i] = s;',
  (i, a) => sum(0, i & 7, (k) => a[k]!) | 0,
);
hip(
  'two-sided branch',
  'i32',
  'int v = a[i]; if (t & 1) { v = v * 3 + 1; v ^= v >> 3; } else { v = v * 5 + 2; v ^= v >> 4; } out[i] = v;',
  (i, a) => {
    const v = i & 1 ? (Math.imul(a[i]!, 3) + 1) | 0 : (Math.imul(a[i]!, 5) + 2) | 0;
    return i & 1 ? v ^ (v >> 3) : v ^ (v >> 4);
  },
);
hip(
  'switch',
  'i32',
  'switch (a[i] & 3) { case 0: out[i] = 1; break; case 1: out[i] = t; break; case 2: out[i] = a[i]; break; default: out[i] = -1; }',
  (i, a) => [1, i & 63, a[i]!, -1][a[i]! & 3]!,
);
hip('goto', 'i32', 'int v = t; again: v += 3; if (v % 7) goto again; out[i] = v;', (i) => {
  let v = i & 63;
  do v += 3;
  while (v % 7);
  return v;
});
hip('early return', 'i32', 'out[i] = 0; if (a[i] & 1) return; out[i] = a[i];', (i, a) => (a[i]! & 1 ? 0 : a[i]!));
hip(
  'function that is not inlined',
  'i32',
  'out[i] = twice(a[i]) + twice(t);',
  (i, a) => (a[i]! * 2 + (i & 63) * 2) | 0,
  { before: '__device__ __noinline__ int twice(int v) { return 2 * v; }' },
);
hip(
  'array of a thread',
  'i32',
  'int v[8]; for (int k = 0; k < 8; k++) v[k] = a[(i + k) & 127]; out[i] = v[a[i] & 7];',
  (i, a) => a[(i + (a[i]! & 7)) & 127]!,
);

// --- C++ ---
hip('template', 'i32', 'out[i] = add<int>(a[i], 3) + add<short>(1, 2);', (i, a) => (a[i]! + 6) | 0, {
  before: 'template <class T> __device__ T add(T p, T q) { return p + q; }',
});
hip('fold expression', 'i32', 'out[i] = total(1, t, 10);', (i) => 11 + (i & 63), {
  before: 'template <class... T> __device__ int total(T... v) { return (v + ...); }',
});
hip('if constexpr', 'i32', 'out[i] = size<char>() + size<double>();', () => 101 + 8, {
  before:
    'template <class T> __device__ int size() { if constexpr (sizeof(T) == 1) return 101; else return sizeof(T); }',
});
hip(
  'lambda',
  'i32',
  'int base = t; auto g = [=](int v) { return v + base; }; out[i] = g(5) + g(6);',
  (i) => 11 + 2 * (i & 63),
);
hip('structured binding', 'i32', 'auto [p, q] = two(t); out[i] = p * 100 + q;', (i) => (i & 63) * 100 + (i & 63) + 1, {
  before: 'struct Two { int p, q; }; __device__ Two two(int v) { return {v, v + 1}; }',
});
hip(
  'class with operators',
  'i32',
  'V v{int(t), 1}; v += V{2, 3}; out[i] = (v * 2).x + v.y;',
  (i) => 2 * ((i & 63) + 2) + 4,
  {
    before:
      'struct V { int x, y; __device__ V &operator+=(const V &o) { x += o.x; y += o.y; return *this; } __device__ V operator*(int s) const { return {x * s, y * s}; } };',
  },
);
hip('constructor and destructor', 'i32', 'int count = 0; { Guard g(count); count += 10; } out[i] = count;', () => 111, {
  before: 'struct Guard { int &c; __device__ Guard(int &c) : c(c) { c += 1; } __device__ ~Guard() { c += 100; } };',
});
hip('union and bit field', 'i32', 'B b; b.low = t; b.high = 3; out[i] = b.low + 100 * b.high;', (i) => (i & 15) + 300, {
  before: 'struct B { unsigned low : 4, high : 3; };',
});
hip('reinterpreted bits', 'u32', 'out[i] = __float_as_uint(x[i]);', (i, _, x) => new Uint32Array(x.buffer)[i]!);
hip('std::array', 'i32', 'std::array<int, 4> v{1, 2, 3, 4}; out[i] = v[t & 3] + v.size();', (i) => (i & 3) + 5, {
  before: '#include <array>',
});
hip(
  'std::tuple',
  'i32',
  'auto v = std::make_tuple(int(t), 2); out[i] = std::get<0>(v) * std::get<1>(v);',
  (i) => 2 * (i & 63),
  { before: '#include <tuple>' },
);
hip(
  'type traits',
  'i32',
  'out[i] = std::is_same_v<std::remove_const_t<const int>, int> + 2 * std::is_floating_point_v<float>;',
  () => 3,
  { before: '#include <type_traits>' },
);
hip(
  'numeric limits',
  'i32',
  'out[i] = std::numeric_limits<int>::max() - std::numeric_limits<short>::max();',
  () => 2147483647 - 32767,
  { before: '#include <limits>' },
);
hip(
  'std::min and std::max',
  'i32',
  'out[i] = std::min(a[i], 100) + std::max<int>(t, 7);',
  (i, a) => (Math.min(a[i]!, 100) + Math.max(i & 63, 7)) | 0,
  { before: '#include <algorithm>' },
);
hip(
  'fixed-width integers',
  'i32',
  'out[i] = (int8_t)a[i] + (uint16_t)a[i];',
  (i, a) => ((a[i]! << 24) >> 24) + (a[i]! & 0xffff),
  { before: '#include <cstdint>' },
);
hip('std::forward and move', 'i32', 'int v = t; out[i] = pass(std::move(v));', (i) => (i & 63) + 1, {
  before: '#include <utility>\ntemplate <class T> __device__ int pass(T &&v) { return std::forward<T>(v) + 1; }',
});
hip('C++20 concepts', 'i32', 'out[i] = kind(1) * 10 + kind(1.0f);', () => 12, {
  before:
    '#include <concepts>\n__device__ int kind(std::integral auto) { return 1; }\n__device__ int kind(std::floating_point auto) { return 2; }',
  flags: ['-std=c++20'],
});
hip(
  'C++20 bits',
  'i32',
  'out[i] = std::popcount((unsigned)a[i]) + std::bit_width(unsigned(t));',
  (i, a) => popcount(a[i]!) + 32 - Math.clz32(i & 63),
  { before: '#include <bit>', flags: ['-std=c++20'] },
);
hip('host code beside kernels', 'i32', 'out[i] = 3;', () => 3, {
  before:
    '#include <vector>\n#include <iostream>\n__global__ void other(int *p) { *p = 1; }\nint main() { std::vector<int> v(3); int *d = nullptr; other<<<dim3(1), 64>>>(d); std::cout << v.size(); }',
});
hip('macro from the command line', 'i32', 'out[i] = WIDTH * t;', (i) => 12 * (i & 63), { flags: ['-DWIDTH=12'] });
hip('header by name', 'i32', 'out[i] = helper(t);', (i) => (i & 63) + 40, {
  before: '#include "lib/helper.h"',
  headers: {
    'lib/helper.h': '#pragma once\n#include "constant.h"\n__device__ int helper(int v) { return v + FORTY; }',
    'lib/constant.h': '#define FORTY 40',
  },
});
hip('name space and static member', 'i32', 'out[i] = n1::S<int>::value + n1::S<char>::value;', () => 5, {
  before: 'namespace n1 { template <class T> struct S { static constexpr int value = sizeof(T); }; }',
});
hip('recursion', 'i32', 'out[i] = fib(t & 7);', (i) => [0, 1, 1, 2, 3, 5, 8, 13][i & 7]!, {
  before: '__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }',
});

// --- integers ---
hip(
  '64-bit arithmetic',
  'i64',
  'long long v = a[i]; out[i] = v * v / 7 - (v << 20);',
  (i, a) => (BigInt(a[i]!) * BigInt(a[i]!)) / 7n - (BigInt(a[i]!) << 20n),
);
hip(
  'division and remainder',
  'i32',
  'int s = t; out[i] = a[i] / (s + 1) + a[i] % (s + 3);',
  (i, a) => (Math.trunc(a[i]! / ((i & 63) + 1)) + (a[i]! % ((i & 63) + 3))) | 0,
);
hip(
  'unsigned division',
  'u32',
  'out[i] = (unsigned)a[i] / (t + 3u) + (unsigned)a[i] % 11u;',
  (i, a) => (Math.floor((a[i]! >>> 0) / ((i & 63) + 3)) + ((a[i]! >>> 0) % 11)) >>> 0,
);
hip(
  'shifts',
  'i32',
  'out[i] = (a[i] >> (t & 31)) ^ (int)((unsigned)a[i] >> 5) ^ (a[i] << 3);',
  (i, a) => (a[i]! >> (i & 31)) ^ (a[i]! >>> 5) ^ (a[i]! << 3),
);
hip(
  'bit intrinsics',
  'i32',
  'out[i] = __popc(a[i]) + 100 * __clz(a[i]) + 10000 * __ffs(a[i]);',
  (i, a) => popcount(a[i]!) + 100 * Math.clz32(a[i]!) + 10000 * (a[i] === 0 ? 0 : 32 - Math.clz32(a[i]! & -a[i]!)),
);
hip('high half of a product', 'u32', 'out[i] = __umulhi(a[i], 0x12345678u);', (i, a) =>
  Number((BigInt(a[i]! >>> 0) * 0x12345678n) >> 32n),
);
hip('24-bit product', 'i32', 'out[i] = __mul24(t, 1000);', (i) => (i & 63) * 1000);
hip(
  'bytes and shorts',
  'i32',
  'const signed char *b = (const signed char *)a; const short *s = (const short *)a; out[i] = b[i] * s[i];',
  (i, a) => new Int8Array(a.buffer)[i]! * new Int16Array(a.buffer)[i]!,
);

// --- floating point ---
hip(
  'float arithmetic',
  'f32',
  'out[i] = (x[i] * 3.0f - 1.0f) / x[127 - i];',
  (i, _, x) => f(f(f(x[i]! * 3) - 1) / x[127 - i]!),
  { flags: ['-ffp-contract=off'] },
);
hip(
  'double arithmetic',
  'f64',
  'double v = x[i]; out[i] = (v * v + 1.0) / (v - 0.25);',
  (i, _, x) => (x[i]! * x[i]! + 1) / (x[i]! - 0.25),
  { flags: ['-ffp-contract=off'] },
);
hip('square root', 'f32', 'out[i] = sqrtf(x[i]);', (i, _, x) => f(Math.sqrt(x[i]!)));
hip('double square root', 'f64', 'out[i] = sqrt((double)x[i]);', (i, _, x) => Math.sqrt(x[i]!));
hip(
  'std math',
  'f32',
  'out[i] = std::abs(-x[i]) + std::floor(x[i]) + std::fmax(x[i], 2.0f);',
  (i, _, x) => f(f(x[i]! + Math.floor(x[i]!)) + Math.max(x[i]!, 2)),
  { before: '#include <cmath>' },
);
hip('sine', 'f32', 'out[i] = sinf(x[i]) * cosf(x[i]);', (i, _, x) => Math.sin(x[i]!) * Math.cos(x[i]!), {
  tolerance: 2e-6,
});
hip(
  'exponential',
  'f32',
  'out[i] = expf(x[i]) * logf(x[i] + 1.0f);',
  (i, _, x) => Math.exp(x[i]!) * Math.log(x[i]! + 1),
  { tolerance: 1e-6 },
);
hip('power', 'f32', 'out[i] = powf(x[i], 2.5f);', (i, _, x) => Math.pow(x[i]!, 2.5), { tolerance: 2e-6 });
hip('reciprocal root', 'f32', 'out[i] = rsqrtf(x[i]);', (i, _, x) => 1 / Math.sqrt(x[i]!), { tolerance: 3e-7 });
hip(
  'double functions',
  'f64',
  'double v = x[i]; out[i] = sin(v) + exp(v) + pow(v, 1.5);',
  (i, _, x) => Math.sin(x[i]!) + Math.exp(x[i]!) + Math.pow(x[i]!, 1.5),
  { tolerance: 1e-14 },
);
hip('fast math', 'f32', 'out[i] = expf(x[i]) / x[i];', (i, _, x) => Math.exp(x[i]!) / x[i]!, {
  flags: ['-ffast-math'],
  tolerance: 1e-5,
});
hip('conversions', 'i32', 'out[i] = (int)(x[i] * 100.0f) + __float2int_rn(x[i]) + (int)(double)x[i];', (i, _, x) => {
  const v = x[i]!;
  const even = Math.abs(v - Math.trunc(v)) === 0.5 ? 2 * Math.round(v / 2) : Math.round(v);
  return Math.trunc(f(v * 100)) + even + Math.trunc(v);
});
hip(
  'half precision',
  'f32',
  '__half h = __float2half(2.0f); out[i] = __half2float(h * __float2half((float)t) + h);',
  (i) => 2 * (i & 63) + 2,
  { before: '#include <hip/hip_fp16.h>' },
);
hip(
  'pairs of halves',
  'f32',
  '__half2 h = __floats2half2_rn(t, 3.0f); h = __hfma2(h, h, h); out[i] = __low2float(h) + __high2float(h);',
  (i) => {
    const v = i & 63;
    const exact = v * v + v;
    const spacing = exact < 2048 ? 1 : exact < 4096 ? 2 : 4;
    const low = Math.floor(exact / spacing) * spacing;
    const rest = exact - low;
    const up = rest * 2 > spacing || (rest * 2 === spacing && (low / spacing) % 2 === 1);
    return low + (up ? spacing : 0) + 12;
  },
  { before: '#include <hip/hip_fp16.h>' },
);
hip(
  'bfloat16',
  'f32',
  'out[i] = __bfloat162float(__float2bfloat16((float)t) + __float2bfloat16(1.0f));',
  (i) => (i & 63) + 1,
  { before: '#include <hip/hip_bf16.h>' },
);
hip(
  'complex numbers',
  'f32',
  'auto z = hipCmulf(make_hipFloatComplex(t, 1.0f), make_hipFloatComplex(2.0f, 3.0f)); out[i] = z.x * 1000 + z.y;',
  (i) => (2 * (i & 63) - 3) * 1000 + 3 * (i & 63) + 2,
  { before: '#include <hip/hip_complex.h>' },
);
hip(
  'vector types',
  'f32',
  'float4 v = make_float4(t, 1, 2, 3) * 2.0f; v += v; out[i] = v.x + v.y + v.z + v.w;',
  (i) => 4 * (i & 63) + 24,
);

// --- atomics and waves ---
hip(
  'atomic addition',
  'i32',
  '__shared__ int s; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, t); __syncthreads(); out[i] = s;',
  () => 2016,
);
hip(
  'atomic maximum',
  'i32',
  '__shared__ int s; if (t == 0) s = -2147483647; __syncthreads(); atomicMax(&s, a[i]); __syncthreads(); out[i] = s;',
  (i, a) => Math.max(...a.subarray(group(i), group(i) + 64)),
);
hip(
  'atomic compare and swap',
  'i32',
  '__shared__ int s; if (t == 0) s = 0; __syncthreads(); int old = s, seen; do { seen = old; old = atomicCAS(&s, seen, seen + 2); } while (old != seen); __syncthreads(); out[i] = s;',
  () => 128,
);
hip(
  'atomic floats',
  'f32',
  '__shared__ float s; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, (float)t); __syncthreads(); out[i] = s;',
  () => 2016,
);
hip('butterfly', 'i32', 'int v = t; for (int m = 1; m < 32; m *= 2) v += __shfl_xor(v, m, 32); out[i] = v;', (i) =>
  sum(i & 63 & 32, (i & 63 & 32) + 32, (k) => k),
);
hip(
  'shift of lanes',
  'i32',
  'out[i] = __shfl_up(int(t), 1, 32) + 100 * __shfl_down(int(t), 1, 32);',
  (i) => ((i & 31) === 0 ? i & 63 : (i & 63) - 1) + 100 * ((i & 31) === 31 ? i & 63 : (i & 63) + 1),
);
hip(
  'ballot of 64 lanes',
  'i32',
  'out[i] = __popcll(__ballot((a[i] & 1) != 0));',
  (i, a) => sum(group(i), group(i) + 64, (k) => a[k]! & 1),
  { target: 'gfx906' },
);
hip('any and all', 'i32', 'out[i] = __any(t == 5) + 2 * __all(t < 64);', () => 3, { target: 'gfx906' });
hip(
  'cooperative groups',
  'i32',
  'auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int v = t; for (int m = 8; m > 0; m /= 2) v += tile.shfl_down(v, m); out[i] = tile.shfl(v, 0);',
  (i) => sum(i & 63 & 48, (i & 63 & 48) + 16, (k) => k),
  { before: '#include <hip/hip_cooperative_groups.h>\nnamespace cg = cooperative_groups;' },
);
hip('64 lanes on a processor of 32', 'i32', 'out[i] = warpSize;', () => 64, {
  target: 'gfx1100',
  flags: ['-mwavefrontsize64'],
});
hip(
  'no optimisation',
  'i32',
  'int s = 0; for (int k = 0; k < 4; k++) s += a[(i + k) & 127]; out[i] = s;',
  (i, a) => sum(0, 4, (k) => a[(i + k) & 127]!) | 0,
  { flags: ['-O0'] },
);
hip('level 1, with lines', 'i32', 'out[i] = a[i] > 0 ? a[i] : -a[i];', (i, a) => Math.abs(a[i]!), {
  flags: ['-O1', '-gline-tables-only'],
});

// --- OpenCL C ---
cl(
  'OpenCL: indices',
  'i32',
  'out[i] = get_group_id(0) * 1000 + get_local_id(0) + get_local_size(0);',
  (i) => (i >> 6) * 1000 + (i & 63) + 64,
);
cl(
  'OpenCL: local memory',
  'i32',
  'local int s[64]; s[t] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[63 - t];',
  (i, a) => a[group(i) + 63 - (i & 63)]!,
);
cl(
  'OpenCL: vectors and swizzles',
  'f32',
  'float4 v = (float4)(t, 1.0f, 2.0f, 3.0f); v.xy = v.wz; out[i] = dot(v, (float4)(1.0f, 10.0f, 100.0f, 1000.0f));',
  () => 3 + 20 + 200 + 3000,
);
cl(
  'OpenCL: vload and vstore',
  'i32',
  'int tmp[4]; int4 v = vload4(i & 31, a); vstore4(v.wzyx, 0, tmp); out[i] = tmp[1];',
  (i, a) => a[4 * (i & 31) + 2]!,
);
cl(
  'OpenCL: conversions',
  'i32',
  'out[i] = convert_int_rte(x[i]) + convert_int_sat(x[i] * 1e12f) % 1000 + convert_uchar_sat(a[i]);',
  (i, a, x) => {
    const even = Math.abs(x[i]! - Math.trunc(x[i]!)) === 0.5 ? 2 * Math.round(x[i]! / 2) : Math.round(x[i]!);
    return even + (2147483647 % 1000) + Math.min(255, Math.max(0, a[i]!));
  },
);
cl(
  'OpenCL: integer built-ins',
  'i32',
  'out[i] = popcount(a[i]) + 100 * clz(a[i]) + abs_diff(a[i] & 15, 7) + (rotate(a[i], 8) & 1);',
  (i, a) => popcount(a[i]!) + 100 * Math.clz32(a[i]!) + Math.abs((a[i]! & 15) - 7) + ((a[i]! >>> 24) & 1),
);
cl(
  'OpenCL: saturation',
  'i32',
  'out[i] = add_sat(a[i], 2147483647) ^ mul_hi(a[i], 12345);',
  (i, a) => Math.min(2147483647, a[i]! + 2147483647) ^ Number((BigInt(a[i]!) * 12345n) >> 32n),
);
cl('OpenCL: common functions', 'f32', 'out[i] = clamp(x[i], 1.0f, 2.0f) + step(2.0f, x[i]) + sign(-x[i]);', (i, _, x) =>
  f(f(Math.min(2, Math.max(1, x[i]!)) + (x[i]! < 2 ? 0 : 1)) - 1),
);
cl(
  'OpenCL: select',
  'i32',
  'out[i] = select(10, 20, a[i] & 1 ? -1 : 0) + (a[i] > 0 ? 1 : 0); int2 v = select((int2)(1, 2), (int2)(3, 4), (int2)(-1, 0)); out[i] += v.x * 100 + v.y * 1000;',
  (i, a) => (a[i]! & 1 ? 20 : 10) + (a[i]! > 0 ? 1 : 0) + 300 + 2000,
);
cl(
  'OpenCL: bits as another type',
  'u32',
  'out[i] = as_uint(x[i]) ^ as_uint2(as_ulong((uint2)(1u, 2u))).y;',
  (i, _, x) => (new Uint32Array(x.buffer)[i]! ^ 2) >>> 0,
);
cl(
  'OpenCL: mathematics',
  'f32',
  'out[i] = sin(x[i]) + native_exp(x[i]) + mad(x[i], 2.0f, 1.0f);',
  (i, _, x) => Math.sin(x[i]!) + Math.exp(x[i]!) + x[i]! * 2 + 1,
  { tolerance: 1e-5 },
);
cl('OpenCL: doubles', 'f64', 'out[i] = sqrt((double)x[i]) * 2.0;', (i, _, x) => Math.sqrt(x[i]!) * 2);
cl(
  'OpenCL: atomics',
  'i32',
  'local int s; if (t == 0) s = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&s, (int)t); barrier(CLK_LOCAL_MEM_FENCE); out[i] = s;',
  () => 2016,
);
cl('OpenCL: constant array', 'i32', 'out[i] = table[t & 3];', (i) => [2, 3, 5, 7][i & 3]!, {
  before: 'constant int table[4] = {2, 3, 5, 7};',
});
cl('OpenCL: required size of workgroups', 'i32', 'out[i] = get_local_size(0) * 2;', () => 128, {
  qualifiers: '__attribute__((reqd_work_group_size(64, 1, 1)))',
});
cl(
  'OpenCL 2: generic addresses',
  'i32',
  'local int s[64]; s[t] = t; barrier(CLK_LOCAL_MEM_FENCE); const int *p = (a[i] & 1) ? (const int *)(s + t) : (const int *)(a + i); out[i] = *p;',
  (i, a) => (a[i]! & 1 ? i & 63 : a[i]!),
  { flags: ['-cl-std=CL2.0'] },
);
cl(
  'OpenCL 2: atomics of C11',
  'i32',
  'local atomic_int s; if (t == 0) atomic_init(&s, 0); barrier(CLK_LOCAL_MEM_FENCE); atomic_fetch_add(&s, 3); barrier(CLK_LOCAL_MEM_FENCE); out[i] = atomic_load(&s);',
  () => 192,
  { flags: ['-cl-std=CL2.0'] },
);
cl('OpenCL 3', 'i32', 'out[i] = __OPENCL_C_VERSION__ / 10;', () => 30, { flags: ['-cl-std=CL3.0'] });
cl('OpenCL: sub-groups', 'i32', 'out[i] = sub_group_reduce_add(1) == get_sub_group_size();', () => 1, {
  flags: ['-cl-std=CL2.0'],
  before: '#pragma OPENCL EXTENSION cl_khr_subgroups : enable',
});
cl('OpenCL: relaxed mathematics', 'f32', 'out[i] = exp(x[i]) / x[i];', (i, _, x) => Math.exp(x[i]!) / x[i]!, {
  flags: ['-cl-fast-relaxed-math'],
  tolerance: 1e-4,
});
cl('OpenCL: structures', 'i32', 'struct P p = make(t, 2); out[i] = p.x * p.y;', (i) => 2 * (i & 63), {
  before: 'struct P { int x, y; };\nstruct P make(int x, int y) { struct P p = {x, y}; return p; }',
});

export const CASES: readonly Case[] = all;
