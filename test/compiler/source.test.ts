/** The library on source: what HIPRTC's interface does, and what it must not do. */
import { copyFile, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCompiler, DarmError, type Compiler } from '../../src/index.js';
import type { CodeObjectInfo } from '../../src/formats/code-object.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/source', { tests: 28, timeoutMs: 120_000 });

/** Without HIP's own headers a source takes milliseconds. */
const SMALL = ['-nogpuinc'];
const HIP = { language: 'hip', mcpu: 'gfx1100', flags: SMALL } as const;
const CL = { language: 'opencl', mcpu: 'gfx906' } as const;
const KERNEL = '#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n';

let shared: Compiler | undefined;
const compiler = (): Compiler => (shared ??= createCompiler({ threads: 0, tierPolicy: 'short' }));

async function errorOf(run: Promise<unknown>): Promise<DarmError> {
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DarmError);
  return error;
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-source-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a level above 3 is 3, with clang's warning or error; of several levels the last counts", async () => {
  const logOf = async (...flags: string[]): Promise<string> => {
    const { log, diagnostics } = await compiler().translate(KERNEL, { ...HIP, flags: [...SMALL, ...flags] });
    assert.is(diagnostics.length, log === '' ? 0 : 1);
    return log;
  };
  const unsupported = "warning: optimization level '-O9' is not supported; using '-O3' instead";
  for (const flags of [['-O9'], ['-O9', '-w']]) assert.is(await logOf(...flags), `${unsupported}\n`);
  assert.is(await logOf('-O4'), 'warning: -O4 is equivalent to -O3 [-Wdeprecated]\n');
  for (const flags of [['-O9', '-Ofast'], ['-Ofast', '-O2']]) assert.match(await logOf(...flags), /^warning: argument '-Ofast' is deprecated; .* \[-Wdeprecated-ofast\]\n$/); // prettier-ignore
  const refused = await errorOf(logOf('-O4', '-Werror'));
  assert.equal([refused.code, refused.source?.log], ['compile-failed', 'error: -O4 is equivalent to -O3 [-Werror,-Wdeprecated]\n']); // prettier-ignore
  for (const flags of [['-O9', '-O2'], ['-O4', '-w'], ['-O4', '-Wno-deprecated'], ['-Os']]) assert.is(await logOf(...flags), ''); // prettier-ignore
});

test('a name that begins as flags do is a name', async () => {
  for (const name of ['-dash.cl', '-', '--', '-DX=1']) {
    const { location, source } = await errorOf(compiler().translate('kernel void k() { z; }', { ...CL, name }));
    assert.equal(location, { file: `./${name}`, line: 1, column: 19 });
    assert.match(source!.log, /undeclared identifier 'z'/);
  }
});

test('the flow of HIPRTC: headers by name, macros, name expressions, log, bitcode', async () => {
  const source = `${KERNEL}#include "scale.h"
template <class T> __global__ void saxpy(T a, const T *x, T *y) { y[0] = SCALE * a * x[0] + y[0]; }
__device__ int counter;
static int unused() { return 1; }`;
  const result = await compiler().compile(source, {
    ...HIP,
    emit: ['hsaco', 'll'],
    headers: { 'scale.h': '#define SCALE FACTOR' },
    defines: { FACTOR: 2 },
    flags: [...SMALL, '-Wall'],
    nameExpressions: ['saxpy<float>', 'saxpy<double>', 'counter', '&counter', '& saxpy<int>'],
    disk: false,
  });
  assert.equal(result.source!.loweredNames, {
    'saxpy<float>': '_Z5saxpyIfEvT_PKS0_PS0_',
    'saxpy<double>': '_Z5saxpyIdEvT_PKS0_PS0_',
    counter: 'counter',
    '&counter': 'counter',
    '& saxpy<int>': '_Z5saxpyIiEvT_PKS0_PS0_',
  });
  assert.equal(
    result.source!.diagnostics.map(({ severity, option, line }) => ({ severity, option, line })),
    [{ severity: 'warning', option: 'unused-function', line: 6 }],
  );
  assert.match(result.source!.log, /kernel\.hip:6:12: warning: unused function 'unused'/);
  const text = new TextDecoder().decode(result.artifacts[1]!.bytes);
  assert.match(text, /amdgpu_kernel void @_Z5saxpyIfEvT_PKS0_PS0_/);
  assert.not.match(text, /darm_name_expressions/);
});

test('equal input gives equal bytes, on any number of threads', async () => {
  await using several = createCompiler({ threads: 2, tierPolicy: 'short' });
  const source = `${KERNEL}__global__ void k(int *p) { if (p[1] & 1) p[0] = p[2] * 3; else p[0] = p[3] * 5; }`;
  const one = await compiler().compile(source, HIP);
  const [two, three] = await Promise.all([several.compile(source, HIP), several.compile(source, HIP)]);
  assert.equal(two.artifacts, one.artifacts);
  assert.equal(three.artifacts, one.artifacts);
});

test('what LLVM refuses behind clang has its place in the source, too', async () => {
  const large = `// A header.
kernel void large(global int *p) {
  local int all[100000];
  all[p[0]] = p[1];
  barrier(1);
  p[0] = all[p[2]];
}`;
  const asked = { language: 'opencl', mcpu: 'gfx906', headers: { 'large.h': large } } as const;
  for (const flags of [[], ['-g']]) {
    const error = await errorOf(compiler().compile('#include "large.h"\n', { ...asked, flags }));
    assert.is(error.code, 'compile-failed');
    assert.is(error.message, "local memory (400000) exceeds limit (65536) in function 'large'");
    assert.match(error.location!.file!, /large\.h$/);
    assert.equal([error.location!.line, error.location!.column], [2, undefined]);
  }
  const constraint = `${KERNEL}__global__ void k(int *p) { asm volatile("" : : "X"(3.0)); }`;
  assert.is((await errorOf(compiler().compile(constraint, HIP))).message, "unknown asm constraint 'f'");
});

test("clang's errors are data with places, and its text", async () => {
  const error = await errorOf(compiler().compile(`${KERNEL}__global__ void k(int *p) {\n  *p = nothing;\n}`, HIP));
  assert.is(error.code, 'compile-failed');
  assert.equal(error.location, { file: 'kernel.hip', line: 4, column: 8 });
  assert.match(error.source!.log, /\*p = nothing;\n +\| +\^~~~~~~/);
  assert.is((await errorOf(compiler().compile('', { ...HIP, mcpu: 'gfx1' }))).code, 'bad-target');
  assert.is((await errorOf(compiler().compile('', { language: 'hip' }))).code, 'usage');
  const number = { ...HIP, mcpu: 1100 as unknown as string };
  assert.match((await errorOf(compiler().compile('', number))).message, /"mcpu" in .* must be a string/);
  const missing = await errorOf(compiler().compile('#include "none.h"', { ...HIP, includePaths: ['somewhere'] }));
  assert.match(missing.source!.log, /'none\.h' file not found[^]*looked for in somewhere/);
});

test('without the disk, nothing of it is seen', async () => {
  await inFolder(async (folder) => {
    const file = path.join(folder, 'secret.h');
    await writeFile(file, 'int secret;');
    const options = { ...HIP, disk: false, includePaths: [folder], name: path.join(folder, 'kernel.hip') };
    for (const line of [`#include "${file}"`, '#include "secret.h"', '#include <secret.h>', `#embed "${file}"`])
      assert.is((await errorOf(compiler().compile(line, options))).code, 'compile-failed');
    const asks = `#if __has_include("${file}") || __has_embed("${file}")\n#error seen\n#endif`;
    await compiler().translate(asks, options);
    await errorOf(compiler().translate(asks, { ...options, disk: true }));
    await errorOf(compiler().translate('', { ...options, flags: [...SMALL, '-include', file] }));
  });
});

test("the host's own headers are not looked for", async () => {
  // Machines with a C compiler have these, and OpenCL has no others of the name.
  const source = `#if __has_include(<stdio.h>) || __has_include(<stdlib.h>) || __has_include(<linux/limits.h>)
#error found
#endif`;
  const { log } = await compiler().translate(source, { language: 'opencl', mcpu: 'gfx1100' });
  assert.is(log, '');
});

test('only ordinary files are included', async () => {
  await inFolder(async (folder) => {
    await mkdir(path.join(folder, 'sub.h'));
    const tooLarge = path.join(folder, 'large.h');
    await writeFile(tooLarge, '');
    await truncate(tooLarge, 2 ** 30);
    for (const name of [path.join(folder, 'sub.h'), '/dev/zero', '/dev/stdin', tooLarge]) {
      const { code, source } = await errorOf(compiler().compile(`#include "${name}"`, HIP));
      assert.is(code, 'compile-failed');
      assert.match(source!.log, /looked for in|note: what is included must be a file of at most 256 MiB/);
    }
  });
});

test("OpenCL's printf says what it needs", async () => {
  const source = 'kernel void k(global int *p) { printf("%d", p[0]); }';
  const { code, message } = await errorOf(compiler().compile(source, { language: 'opencl', mcpu: 'gfx1100' }));
  assert.is(code, 'link-failed');
  assert.match(message, /__printf_alloc.*needs the runtime of AMD's driver/);
});

test("what fails behind clang keeps clang's warnings; what clang itself has no stack for is said of clang", async () => {
  const missing = `${KERNEL}__device__ void nowhere();\n__global__ void k() { int n; nowhere(); }`;
  const late = await errorOf(compiler().compile(missing, { ...HIP, flags: [...SMALL, '-Wall'] }));
  assert.is(late.code, 'link-failed');
  assert.not(late.source!.isRefusal);
  assert.match(late.source!.log, /kernel\.hip:4:27: warning: unused variable 'n'/);
  assert.is((await errorOf(compiler().compile(missing, HIP))).source, undefined);
  const deep = `int x = ${'-'.repeat(300_000)}1;`.replaceAll('-', '- ');
  const { code, message } = await errorOf(compiler().compile(deep, HIP));
  assert.is(code, 'compile-failed');
  assert.is(message, 'clang ran out of stack on this source');
});

test('the cache notices a header that changes, goes, or comes in front of another', async () => {
  await inFolder(async (folder) => {
    await using cached = createCompiler({
      threads: 0,
      tierPolicy: 'short',
      cache: { path: path.join(folder, 'cache') },
    });
    for (const each of ['first', 'second']) await mkdir(path.join(folder, each));
    const header = path.join(folder, 'second', 'value.h');
    await writeFile(header, '#define VALUE 1');
    const source = `${KERNEL}#include <value.h>\n__global__ void k(int *p) { *p = VALUE; }`;
    const options = { ...HIP, includePaths: [path.join(folder, 'first'), path.join(folder, 'second')] };
    const compile = async (): Promise<[boolean, number]> => {
      const { cached: isHit, artifacts } = await cached.compile(source, { ...options, emit: ['ll'] });
      const text = new TextDecoder().decode(artifacts[0]!.bytes);
      return [isHit, Number(/store i32 (\d+)/.exec(text)![1])];
    };
    assert.equal(await compile(), [false, 1]);
    assert.equal(await compile(), [true, 1]);
    await writeFile(header, '#define VALUE 2');
    assert.equal(await compile(), [false, 2]);
    await writeFile(path.join(folder, 'first', 'value.h'), '#define VALUE 3');
    assert.equal(await compile(), [false, 3]);
    assert.equal(await compile(), [true, 3]);
    await rm(path.join(folder, 'first', 'value.h'));
    assert.equal(await compile(), [false, 2]);
  });
});

test('the cache notices a copy in the place of a link', async () => {
  await inFolder(async (folder) => {
    const cache = { path: path.join(folder, 'cache') };
    await using cached = createCompiler({ threads: 0, tierPolicy: 'short', cache });
    const [header, other] = [path.join(folder, 'a.h'), path.join(folder, 'b.h')];
    await writeFile(header, '#pragma once\n__global__ void k(int *p) { *p = 1; }');
    await symlink(header, other);
    const source = `${KERNEL}#include <a.h>\n#include <b.h>\n`;
    const options = { ...HIP, includePaths: [folder] };
    for (const isHit of [false, true]) assert.is((await cached.compile(source, options)).cached, isHit);
    await rm(other);
    await copyFile(header, other);
    assert.match((await errorOf(cached.translate(source, options))).message, /redefinition of 'k'/);
    assert.match((await errorOf(cached.compile(source, options))).message, /redefinition of 'k'/);
  });
});

test('the cache keeps what clang has made, for other options behind it', async () => {
  await inFolder(async (folder) => {
    const cache = { path: path.join(folder, 'cache') };
    const header = path.join(folder, 'value.h');
    await writeFile(header, '#define VALUE 1');
    const source = `${KERNEL}#include <value.h>\n#warning one\n__global__ void k(int *p) { *p = VALUE; }`;
    const options = { ...HIP, includePaths: [folder] };
    await using compiler = createCompiler({ threads: 1, tierPolicy: 'short', cache });
    const { time: _, ...translated } = await compiler.translate(source, options);
    const compiled = await compiler.compile(source, { ...options, meld: 'off' });
    assert.equal(compiled.source.log, translated.log);
    assert.equal(compiler.cacheCounts, { hits: 0, misses: 1, errors: 0, complaint: null });
    // In that time clang can translate nothing.
    await using hasty = createCompiler({ threads: 1, timeout: 1, cache });
    const { time, ...again } = await hasty.translate(source, options);
    assert.equal(again, translated);
    assert.ok(time >= 0 && again.log.includes('#warning one') && again.dependencies.includes(header));
    assert.is((await errorOf(hasty.translate(source, { ...options, nameExpressions: ['k'] }))).code, 'timeout');
    await writeFile(header, '#define VALUE 2');
    assert.is((await errorOf(hasty.translate(source, options))).code, 'timeout');
    // A file, where no folder can be: one result that is not kept.
    await using full = createCompiler({ threads: 1, tierPolicy: 'short', cache: { path: header } });
    await full.compile(source, { ...options, meld: 'off' });
    assert.is(full.cacheCounts!.errors, 1);
  });
});

test('the cache tells flags apart of which only the driver has something to say', () =>
  inFolder(async (folder) => {
    await using compiler = createCompiler({ threads: 1, tierPolicy: 'short', cache: { path: folder } });
    const compiled = async (...flags: string[]) => {
      const { source, cached } = await compiler.compile(KERNEL, { ...HIP, flags: [...SMALL, ...flags] });
      return { log: source.log, cached };
    };
    assert.equal(await compiled('-O3', '-Werror'), { log: '', cached: false });
    assert.is((await errorOf(compiled('-O4', '-Werror'))).code, 'compile-failed');
    const told = { log: 'warning: -O4 is equivalent to -O3 [-Wdeprecated]\n', cached: false };
    assert.equal(await compiled('-O4'), told);
    assert.equal(await compiled('-O3'), { log: '', cached: false });
    assert.equal(await compiled('-O4'), { ...told, cached: true });
  }));

test('messages have colours where these are asked for, and the code is the same', async () => {
  const source = `${KERNEL}#warning one\n__global__ void k(int *p) { *p = 1; }`;
  const made = async (flags: string[], colors = false) => {
    const options = { ...HIP, flags: [...SMALL, ...flags] };
    const { artifacts, source: said } = await compiler().compile(source, options, { colors });
    return { bytes: artifacts[0]!.bytes, isColored: said.log.includes('\x1b['), message: said.diagnostics[0]!.message };
  };
  const plain = await made([]);
  assert.equal([plain.isColored, plain.message], [false, 'one']);
  for (const colored of [await made([], true), await made(['-fcolor-diagnostics'])])
    assert.equal(colored, { ...plain, isColored: true });
  assert.equal(await made(['-fno-color-diagnostics'], true), plain);
});

test('bombs end in one error each', async () => {
  const bombs = [
    'template <int N> struct S { static const int v = S<N + 1>::v; }; int x = S<0>::v;',
    '#include "kernel.hip"',
    `int x = ${'('.repeat(5000)}1${')'.repeat(5000)};`,
    'constexpr int f(int n) { int s = 0; while (true) s = (s + n) % 7; return s; } constexpr int x = f(1);',
    'constexpr int f(int n) { return f(n + 1); } constexpr int x = f(1);',
    'int f( {',
  ];
  for (const bomb of bombs)
    assert.is(
      (await errorOf(compiler().compile(bomb, { ...HIP, flags: [...SMALL, '-fconstexpr-steps=10000'] }))).code,
      'compile-failed',
      bomb,
    );
});

test('a time limit ends clang, and the next source compiles', async () => {
  const slow = 'template <int A, int B> struct S { enum { v = S<A - 1, 2 * B>::v + S<A - 1, 2 * B + 1>::v }; };\n' +
    'template <int B> struct S<0, B> { enum { v = B }; };\nint x = S<26, 0>::v;'; // prettier-ignore
  assert.is((await errorOf(compiler().compile(slow, HIP, { timeout: 500 }))).code, 'timeout');
  await compiler().compile(`${KERNEL}__global__ void k() {}`, HIP);
});

test.long('a source gets the standard headers that it includes, and those that it only takes to be there', async () => {
  const options = { language: 'hip', mcpu: 'gfx1100', emit: ['ll'] } as const;
  const includes = '#include <algorithm>\n#include <complex>\n#include <functional>\n';
  const kernel = `__global__ void k(int *a, float *b) {
  std::complex<float> c(b[0], std::max(a[0], 3));
  b[0] = std::norm(c * c);
}
int onTheHost(int a, int b) { std::stringstream s; return std::plus<int>()(a, std::clamp(b, 0, 1)); }`;
  const [said, unsaid] = await Promise.all(
    [includes, ''].map((first) => compiler().compile(`#include <hip/hip_runtime.h>\n${first}${kernel}`, options)),
  );
  // The id of the unit is that of its text.
  const textOf = (result: typeof said): string =>
    new TextDecoder().decode(result!.artifacts[0]!.bytes).replaceAll(/__hip_cuid_\w+/g, '');
  assert.is(textOf(said), textOf(unsaid));
  assert.match(textOf(said), /fmul/);
});

test.long('one set of messages for a source that is refused with fewer headers and with all', async () => {
  const error = await errorOf(
    compiler().compile('#include <hip/hip_runtime.h>\nstd::string a = nowhere;', { language: 'hip', mcpu: 'gfx1100' }),
  );
  assert.is(error.source!.diagnostics.length, 1);
  assert.match(error.message, /undeclared identifier 'nowhere'/);
});

test('the same source in another folder gives the same bytes', async () => {
  const source = `#include "n.h"
static __device__ int counter;
__global__ void k(int *a) { a[0] = atomicAdd(&counter, N); }`;
  const bytesIn = async (folder: string): Promise<string> => {
    const options = { language: 'hip', mcpu: 'gfx906', name: `${folder}k.hip`, flags: ['-I', folder] } as const;
    const { artifacts } = await compiler().compile(`#include <hip/hip_runtime.h>\n${source}`, { ...options, headers: { 'n.h': '#define N 3' } }); // prettier-ignore
    return Buffer.from(artifacts[0]!.bytes).toString('base64');
  };
  assert.is(await bytesIn('/one/folder/'), await bytesIn('other/'));
});

test('every level of optimisation compiles', async () => {
  const source = 'kernel void scale(global float *a, float b) { a[get_global_id(0)] *= b; }';
  for (const optimize of ['O1', 'O2', 'O3', 'Os'] as const) {
    const { artifacts } = await compiler().compile(source, { language: 'opencl', mcpu: 'gfx906', optimize });
    assert.ok(artifacts[0]!.bytes.length > 1000, optimize);
  }
});

test.long('passes in front of an early meld leave nothing behind', async () => {
  // `deepest` does not meld, and is as -O3 makes it although `stride` does.
  const source = `#include <hip/hip_runtime.h>
extern "C" __global__ void stride(int *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (threadIdx.x & 1) p[i] = n / (p[i] + 3) ^ p[i] % 7; else p[i] = n % 5 ^ (p[i] + n) / (p[i] | 1);
}
extern "C" __global__ void deepest(int *out, const unsigned char *text, int size) {
  int depth = 0, quoted = 0, most = 0;
  for (int k = 0; k < size; k++) {
    const unsigned char c = text[threadIdx.x * size + k];
    if (quoted) { if (c == 34) quoted = 0; }
    else if (c == 34) quoted = 1; else if (c == 91 || c == 123) { if (++depth > most) most = depth; }
    else if (c == 93 || c == 125) depth--;
  }
  out[threadIdx.x] = most;
}`;
  const codeOf = async (meld: 'darm' | 'off') => {
    const options = { language: 'hip', mcpu: 'gfx906', emit: ['asm'], meld, meldPoint: 'early' } as const;
    const { functions, artifacts } = await compiler().compile(source, options);
    const text = new TextDecoder().decode(artifacts[0]!.bytes);
    const of = (name: string) => new RegExp(`^${name}:[^]*?^.Lfunc_end`, 'm').exec(text)![0];
    return { melded: functions.filter(({ melds }) => melds.length > 0).map(({ name }) => name), of };
  };
  const [melded, plain] = [await codeOf('darm'), await codeOf('off')];
  assert.equal(melded.melded, ['stride']);
  // The size of a group is the same for all threads.
  for (const { of } of [melded, plain]) assert.not.match(of('stride'), /global_load_ushort/);
  const opcodes = (text: string) => text.match(/^\t[sv]_\w+|^\tglobal_\w+/gm)!.length;
  assert.is(opcodes(melded.of('deepest')), opcodes(plain.of('deepest')));
});

test.long(
  'the second body of an OpenCL kernel is not melded, and nothing warns of its LDS, unless something calls it',
  async () => {
    const source = `kernel void k(global float *o, int n) {
  local float s[64];
  int l = get_local_id(0);
  s[l] = o[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = o[l];
  if (v > 0) for (int j = 0; j < n; j++) { v = v * 3 + s[(l + j) & 63]; v = sqrt(v) + exp(v); o[l + j] = v / 3; }
  else for (int j = 0; j < n; j++) { v = v * 5 + s[(l ^ j) & 63]; v = sqrt(v) + exp(v); o[l - j] = v / 7; }
}`;
    const options = { language: 'opencl', mcpu: 'gfx1100', meldPoint: 'early' } as const;
    const meldedOf = async (more: object): Promise<string[]> => {
      const { functions, diagnostics } = await compiler().compile(source, { ...options, ...more });
      assert.equal(diagnostics, []);
      return functions.filter(({ melds }) => melds.length > 0).map(({ name }) => name);
    };
    const body = '__clang_ocl_kern_imp_k';
    assert.equal(await meldedOf({}), ['k']);
    assert.equal(await meldedOf({ functions: [body] }), [body]);
    const analyzed = async (text: string): Promise<string[]> => {
      const { bitcode, options: job } = await compiler().translate(text, options);
      return (await compiler().analyze(bitcode, job)).functions.map(({ name }) => name);
    };
    assert.equal(await analyzed(source), ['k']);
    assert.equal(await analyzed(source.replace('kernel void k', 'kernel __attribute__((noinline)) void k')), [
      'k',
      body,
    ]);
  },
);

test.long('where an early meld costs a kernel scratch memory, all is melded late', async () => {
  // `align` does not meld. Its arrays stay in registers only if -O3 unrolls the inner loop.
  const source = `#include <hip/hip_runtime.h>
extern "C" __global__ void parity(int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = p[i];
  if (i & 1) x = x * 3 / 7 + (x ^ 5) / 3; else x = x * 5 / 9 + (x ^ 9) / 5;
  p[i] = x;
}
extern "C" __global__ void align(int *score, const unsigned char *a, const unsigned char *b, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int h[17], e[17], best = 0;
  for (int k = 0; k < 17; k++) { h[k] = 0; e[k] = -99; }
  for (int y = 0; y < rows; y++) {
    int f = -99, diagonal = 0;
    unsigned char c = a[y * n + i];
    for (int x = 1; x < 17; x++) {
      e[x] = max(e[x] - 1, h[x] - 3);
      f = max(f - 1, h[x - 1] - 3);
      int s = diagonal + (c == b[x - 1] ? 2 : -1);
      diagonal = h[x];
      int now = max(max(0, s), max(e[x], f));
      h[x] = now;
      if (now > best) best = now;
    }
  }
  score[i] = best;
}`;
  // The cost model would leave such small sides to LLVM.
  const options = { language: 'hip', mcpu: 'gfx1100', meldPoint: 'early', profit: 'paper' } as const;
  const scratchOf = async (bytes: Uint8Array) => {
    const inspected = await compiler().inspect(bytes);
    assert.is(inspected.kind, 'code-object');
    return (inspected as CodeObjectInfo).kernels.map(({ name, privateSegmentSize }) => `${name} ${privateSegmentSize}`);
  };
  const plain = await compiler().compile(source, { ...options, meld: 'off' });
  const melded = await compiler().compile(source, options);
  assert.equal(await scratchOf(melded.artifacts[0]!.bytes), await scratchOf(plain.artifacts[0]!.bytes));
  assert.match(melded.diagnostics.join(), /melded late, because early melding costs scratch memory in 'align'/);
  const late = await compiler().compile(source, { ...options, meldPoint: 'late' });
  assert.equal(melded.artifacts, late.artifacts);
  assert.ok(melded.functions.some(({ melds }) => melds.length > 0));
  // The same for every kind of output.
  const text = await compiler().compile(source, { ...options, emit: ['bc'] });
  assert.equal(
    text.artifacts,
    (await compiler().compile(source, { ...options, meldPoint: 'late', emit: ['bc'] })).artifacts,
  );
});

test('preprocessed text', async () => {
  const { text } = await compiler().preprocess('#define A 1\nint a = A;', { ...HIP, flags: [...SMALL, '-P'] });
  assert.is(new TextDecoder().decode(text).trim(), 'int a = 1;');
});

test('bitcode, machine code and bundles are no source: clang does not quote them', async () => {
  const cases: [Uint8Array, RegExp][] = [
    [Uint8Array.of(0x42, 0x43, 0xc0, 0xde, 0), /^the source is LLVM bitcode, not text$/],
    [Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0), /^the source is an ELF file/],
    [new TextEncoder().encode('__CLANG_OFFLOAD_BUNDLE__'), /^the source is an offload bundle/],
  ];
  for (const [source, message] of cases) {
    const error = await errorOf(compiler().compile(source, HIP));
    assert.is(error.code, 'bad-input');
    assert.match(error.message, message);
  }
});

test('options that make no sense are refused by name', async () => {
  const cases: [object, RegExp][] = [
    [{ language: 'rust' }, /^option "language" in compile\(\) must be "hip" or "opencl"$/],
    [{ headers: [1] }, /"headers"/],
    [{ flags: '-O3' }, /"flags"/],
    [{ defines: { 'a b': 1 } }, /'a b' is no name of a macro/],
    [{ nameExpressions: ['a;b'] }, /'a;b' is no name expression/],
    [{ flags: ['-DA\0B'] }, /"flags"/],
    [{ whatever: 1 }, /unknown option "whatever"/],
  ];
  for (const [wrong, message] of cases) {
    const error = await errorOf(compiler().compile('', { ...HIP, ...wrong } as never));
    assert.is(error.code, 'usage');
    assert.match(error.message, message);
  }
  await compiler().close();
});

test.run();
