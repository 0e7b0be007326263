/** HIP's headers without what a source does not mention: that the bitcode is that of all headers. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { instantiateFrontend } from '../../src/binding/frontend.js';
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { cc1Arguments, leanArguments } from '../../src/frontend/cc1.js';
import { JobFiles } from '../../src/frontend/files.js';
import { parseFlags } from '../../src/frontend/flags.js';
import { IMAGE_FOLDER, PackageImage } from '../../src/frontend/image.js';
import { isMadeOf, LEAN, leanHeaders, MentionedNames } from '../../src/frontend/lean.js';
import type { SourceJob, Translation } from '../../src/job/source.js';
import { FrontendHost } from '../../src/workers/frontend-host.js';
import { leanIndexSource, makeLeanIndex } from '../../packaging/lean-index.js';
import { clangCode } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/lean', { tests: 12, timeoutMs: 240_000 });

const LIMITS = { memoryLimitBytes: 2 ** 31 };
const HIP = '#include <hip/hip_runtime.h>\n';

let loaded: Promise<Loaded> | undefined;
const clang = (): Promise<Loaded> => (loaded ??= load());
type Loaded = Awaited<ReturnType<typeof load>>;
async function load() {
  const code = await clangCode();
  const { processors } = await frontendManifest();
  const host = new FrontendHost(LIMITS);
  return { code, processors, host, image: new PackageImage(code.image) };
}

const mentionedIn = (text: string): MentionedNames => {
  const mentioned = new MentionedNames();
  mentioned.addText(text);
  return mentioned;
};

const headersFor = async (text: string): Promise<ReadonlyMap<string, string>> => {
  const headers = leanHeaders((await clang()).image, mentionedIn(text));
  return new Map([...headers].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
};
const ATOMICS = `${IMAGE_FOLDER}/hip/hip/amd_detail/amd_hip_atomic.h`;
const MATH = `${IMAGE_FOLDER}/clang/include/__clang_hip_math.h`;
const ARRAY = `${IMAGE_FOLDER}/${LEAN}/array`;

async function jobOf(text: string, flags: string[] = [], headers: Record<string, string> = {}): Promise<SourceJob> {
  const { processors } = await clang();
  const encoder = new TextEncoder();
  const words = cc1Arguments({
    ...{ flags: parseFlags(flags), language: 'hip', name: 'kernel.hip', target: 'gfx1100', optimize: '3' },
    ...{ product: 'bitcode', hasHeaders: true, processors },
  });
  return {
    ...{ arguments: words, name: 'kernel.hip', source: encoder.encode(text), disk: false, colors: false },
    headers: new Map(Object.entries(headers).map(([name, content]) => [name, encoder.encode(content)])),
  };
}

const lean = async (job: SourceJob): Promise<Translation> =>
  (await clang()).host.translate((await clang()).code, job, (work) => work());

/** With all headers. */
async function whole(job: SourceJob): Promise<Uint8Array> {
  const { code, image } = await clang();
  const frontend = await instantiateFrontend(code, LIMITS);
  const { isDone, product, log } = frontend.translate(job.arguments, new JobFiles(job, image, new Map()), false);
  assert.ok(isDone, log);
  return product;
}

async function isTheSame(job: SourceJob): Promise<void> {
  const { product, log } = await lean(job);
  assert.is(log, '');
  assert.is(Buffer.compare(product!, await whole(job)), 0);
}

test.long('the index is that of the headers', async () => {
  const file = fileURLToPath(new URL('../../../src/frontend/lean-index.ts', import.meta.url));
  assert.ok(
    readFileSync(file, 'utf8') === leanIndexSource(await makeLeanIndex((await clang()).code)),
    'run node dist/packaging/lean-index.js',
  );
});

test('a function is kept with all its overloads and with what they mention, and lines keep their numbers', async () => {
  const [none, some] = [await headersFor(''), await headersFor('x = atomicMin(p, 1); // sinf')];
  assert.not.match(none.get(ATOMICS)!, /\batomicMin\(/);
  assert.not.match(none.get(MATH)!, /\bsinf\(float/);
  assert.not.match(some.get(ATOMICS)!, /\batomicMax\(/);
  assert.match(some.get(MATH)!, /\bsinf\(float/);
  assert.match(some.get(MATH)!, /\b__sinf\(float/);
  const { image } = await clang();
  const original = new TextDecoder('latin1').decode(image.read(`${IMAGE_FOLDER}/hip/hip/amd_detail/amd_hip_atomic.h`)!);
  const overloads = /^__device__ .*\batomicMin\(/gm;
  assert.is(some.get(ATOMICS)!.match(overloads)!.length, original.match(overloads)!.length);
  const linesOf = (text: string): string[] => text.split('\n');
  for (const headers of [none, some]) {
    const lines = linesOf(headers.get(ATOMICS)!);
    assert.is(lines.length, linesOf(original).length);
    for (const [at, line] of linesOf(original).entries()) {
      const left = lines[at]!;
      assert.ok(line.startsWith(left) || line.endsWith(left) || /#\s*include/.test(line), `${line} / ${left}`);
    }
  }
});

test('names behind a broken line, of included headers, and of arguments count', async () => {
  for (const text of [
    'ato\\\nmicMin(p, 1)',
    'ato\\ \r\nmicMin(p, 1)',
    'ato??/\nmicMin(p, 1)',
    '__asm__("_ZL9atomicMinPii")',
  ])
    assert.match((await headersFor(text)).get(ATOMICS)!, /\batomicMin\(/, text);
  assert.match((await headersFor('#include <hip/hip_bf16.h>')).get(MATH)!, /\bsinf\(float/);
  assert.ok((await headersFor('')).has(ARRAY));
  assert.not.ok((await headersFor('std::array<int, 2> a;')).has(ARRAY));
});

test.long('overloads of the source, names that macros paste, functions of headers and arguments', async () => {
  const text = `${HIP}#include "own.h"
__device__ double __shfl_down(double a, float b) { return a + b; }
#define CALL(x) atomic##x
namespace mine { using ::sin; }
__global__ void k(int *p, float *f, double *d) {
  CALL(Add)(p, 1); BUMP(p); FROM_ARGUMENT(p + 2, 3);
  f[0] = abs(f[1]) + pow(f[2], 2) + mine::sin(f[3]) + isnan(f[4]) + std::fma(f[5], f[6], f[7]) + __shfl_down(f[8], 1);
  d[0] = __shfl_down(d[1], 2.f) + max(d[2], 3.0) + min(p[3], 4u);
}`;
  const headers = { 'own.h': '#define BUMP(p) atomicMax(p, __popc(*p))\n' };
  await isTheSame(await jobOf(text, ['-DFROM_ARGUMENT=atomicExch'], headers));
});

test.long('names that are made of the words of a source', async () => {
  const pieces = new Set(['a', 'atomic', 'at', 'omicM', 'Min', 'x2']);
  for (const name of ['atomicMin', 'atomic', 'aa', 'atx2']) assert.ok(isMadeOf(name, pieces), name);
  for (const name of ['atomicMi', 'omic', 'b']) assert.not.ok(isMadeOf(name, pieces), name);
  await isTheSame(
    await jobOf(`${HIP}
#define CAT(a, b) a##b
#define REDUCE(op) __global__ void reduce_##op(float *a) { a[0] = f##op(a[0], a[1]); }
REDUCE(max) REDUCE(min)
#define IS(x) __global__ void k_##x(float *a, int *b) { b[0] = is##x(a[1]); }
IS(inf) IS(finite) IS(nan)
__device__ int CAT(atomic, Min)(int *, float) { return 7; }
__global__ void k(int *p) { CAT(atomic, Min)(p, 1); }`),
  );
});

test.long(
  'messages and texts name the headers as they lie in the package, and a header of the source stays in front',
  async () => {
    const text = `${HIP}void host() { hipCtx_t context; hipCtxCreate(&context, 0, 0); }
template <class T> __device__ const char *named() { return __PRETTY_FUNCTION__; }
#ifdef SHADOW
__global__ void shadowed(const char **p) { p[0] = named<decltype(hipExternalMemoryHandleDesc::handle)>(); }
#endif
__global__ void k(const char **p) { p[0] = named<decltype(hipExternalMemoryHandleDesc::handle)>(); }`;
    const headers = { 'hip/amd_detail/math_fwd.h': '#define SHADOW 1\n#include_next <hip/amd_detail/math_fwd.h>\n' };
    const job = await jobOf(text, [], headers);
    const { product, log } = await lean(job);
    assert.match(log, new RegExp(`${IMAGE_FOLDER}/hip/hip/hip_runtime_api\\.h:\\d+`));
    assert.is(Buffer.compare(product!, await whole(job)), 0);
  },
);

test.long(
  'where clang fails with few headers in another way than by messages, it is asked with all of them',
  async () => {
    // A name that nobody can know in advance.
    const text = `${HIP}#define DEEP "deep.h"
#include DEEP
__global__ void k(int *p) { p[0] = R<0>::v; }`;
    const folder = await mkdtemp(path.join(tmpdir(), 'darm-lean-'));
    try {
      const deep = `template <int N, class = void> struct R { static constexpr int v = R<N + 1>::v; };
template <int N> struct R<N, decltype((void)atomicMin((int *)0, N))> { static constexpr int v = 1; };\n`;
      await writeFile(path.join(folder, 'deep.h'), deep);
      const job = { ...(await jobOf(text, [`-I${folder}`, '-ftemplate-depth=1000000'])), disk: true };
      assert.is(Buffer.compare((await lean(job)).product!, await whole(job)), 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test.long(
  "the C++ library's headers and HIP's others, and products of complex numbers, which clang calls a function for",
  async () => {
    await isTheSame(
      await jobOf(`${HIP}#include <hip/hip_fp16.h>
#include <hip/hip_cooperative_groups.h>
#include <complex>
#include <algorithm>
__global__ void k(__half *h, std::complex<float> *c, int *p) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  h[0] = __hadd(h[1], hsqrt(h[2]));
  c[0] = c[1] * c[2] + std::exp(c[3]);
  c[4] = std::abs(c[5]);
  p[0] = tile.shfl_down(std::max(p[1], p[2]), 1);
}`),
    );
  },
);

test.long('textures, surfaces, vectors, bits, votes, memory', async () => {
  await isTheSame(
    await jobOf(`${HIP}
texture<float, 2, hipReadModeElementType> reference;
__global__ void k(hipTextureObject_t t, hipSurfaceObject_t s, float *f, float4 *v, uchar4 *u, unsigned long long *q) {
  f[0] = tex2D<float>(t, 1, 2) + tex2D(reference, 1, 2);
  surf2Dwrite(f[1], s, 8, 9);
  float4 a = v[0];
  a += v[1] * 2.0f;
  v[2] = a;
  v[3] = make_float4(1, 2, 3, 4);
  u[0] = u[0] == u[1] ? make_uchar4(1, 2, 3, 4) : u[2];
  q[0] = __ballot(f[1] > 0) + __popcll(q[1]) + clock64() + __lane_id();
  memcpy(f + 4, f + 8, q[2]);
  __syncthreads();
  __threadfence();
}`),
  );
});

test.long('numbers that print themselves need no other headers than these', async () => {
  const text = `#include <hip/hip_bfloat16.h>
__global__ void k(hip_bfloat16 *h) { h[0] = h[1] * h[2]; }`;
  const { code, image } = await clang();
  const job = await jobOf(text);
  const files = new JobFiles(job, image, leanHeaders(image, mentionedIn(text)));
  const frontend = await instantiateFrontend(code, LIMITS);
  assert.is(frontend.translate(leanArguments(job.arguments)!, files, false).log, '');
  await isTheSame(job);
});

test.long('a header that a macro names is read, and what it mentions is there', async () => {
  await isTheSame(
    await jobOf(`#define NAME <hip/hip_fp16.h>
${HIP}#include NAME
__global__ void k(__half *h) { h[0] = __hadd(h[1], hsqrt(h[2])); h[3] = __shfl_down(h[4], 1); }`),
  );
});

test.long('what is refused, is refused with all headers: the place is theirs', async () => {
  const text = `${HIP}__global__ void k(float *p) { p[0] = atomicAdd(p, 1, 2, 3, 4, 5); p[1] = undeclared(2); }`;
  const { product, log } = await lean(await jobOf(text));
  assert.is(product, null);
  assert.match(log, /undeclared identifier 'undeclared'/);
  assert.match(log, new RegExp(`${IMAGE_FOLDER}/hip/hip/amd_detail/amd_hip_atomic\\.h:\\d+`));
});

test.run();
