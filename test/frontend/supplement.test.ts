/** The headers in front of the C++ library's: that they are the right ones, and that host code of all kinds parses. */
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { LOCAL_USERS, NAMESAKES, NULL_DEFINERS } from '../../src/frontend/supplement.js';
import { complaintsOfAll } from '../support/all-headers.js';
import { inlineCompiler } from '../support/inline-compiler.js';
import { imageFiles } from '../support/native-clang.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/supplement', { tests: 7, timeoutMs: 120_000 });

test("every header of the C++ library with the name of HIP's macro __local, or of a function of its, is guarded", async () => {
  const image = await readPart('headers', (await frontendManifest()).image, 'image');
  for (const [word, guarded] of [['__local', LOCAL_USERS] as const, ...Object.entries(NAMESAKES)]) {
    const found: string[] = [];
    for (const [name, content] of imageFiles(image))
      if (name.startsWith('c++/') && new RegExp(`\\b${word}\\b`).test(new TextDecoder().decode(content)))
        found.push(name.slice(4));
    assert.equal(found.sort(), [...guarded].sort(), word);
  }
});

test.long('using namespace std makes no call of HIP ambiguous, before its headers or behind them', async () => {
  const library = '#include <regex>\n#include <tuple>\n#include <variant>\nusing namespace std;\n';
  const hip = '#include <hip/hip_runtime.h>\n';
  const kernel = `__global__ void k(unsigned long long *o) { o[0] = __all(o[1] > 0) + __any(o[2] > 0) + __match_any(o[3]); }
tuple<int, float> pair_of = {1, 2.0f};
variant<int, float> either = 1;
bool matches(const string &text) { return regex_match(text, regex("a.*")); }`;
  const options = { language: 'hip', mcpu: 'gfx906', flags: ['-DHIP_ENABLE_WARP_SYNC_BUILTINS'], disk: false } as const;
  for (const headers of [library + hip, hip + library])
    assert.is((await inlineCompiler().translate(headers + kernel, options)).log, '');
});

test.long("what throws brings <exception>, as in GNU's library", async () => {
  for (const name of ['iostream', 'fstream', 'memory']) {
    const source = `#include <hip/hip_runtime.h>
#include <${name}>
__global__ void k(int *p) { p[0] = 1; }
std::exception_ptr caught() {
  try {
    k<<<1, 1>>>(nullptr);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}
void again() { if (auto e = caught()) std::rethrow_exception(e); }`;
    assert.is(
      (await inlineCompiler().translate(source, { language: 'hip', mcpu: 'gfx1100', disk: false })).log,
      '',
      name,
    );
  }
});

test.long(
  "NULL is clang's own behind every header of the C library, and libc++'s namespace has its old name, too",
  async () => {
    const image = await readPart('headers', (await frontendManifest()).image, 'image');
    const definers: string[] = [];
    for (const [name, content] of imageFiles(image))
      if (name.startsWith('c/') && /^#define NULL\b/m.test(new TextDecoder().decode(content)))
        definers.push(name.slice(2));
    // clang has a <stddef.h> of its own, which comes before the C library's.
    assert.equal(definers.filter((name) => name !== 'stddef.h').sort(), [...NULL_DEFINERS].sort());
    for (const name of [...NULL_DEFINERS, 'stddef.h', 'cstdio', 'vector']) {
      const source = `#include <${name}>
#include <${name === 'wchar.h' ? 'cwchar' : 'stdio.h'}>
int *cast = reinterpret_cast<int *>(NULL);
bool compared(int error) { return error == NULL; }
namespace old = _VSTD;`;
      const { log } = await inlineCompiler().translate(source, {
        language: 'hip',
        mcpu: 'gfx906',
        flags: ['-w'],
        disk: false,
      });
      assert.is(log, '', name);
    }
  },
);

test('containers behind hip_runtime.h, and what GNU, OpenMP and Linux add', async () => {
  const source = `#include <hip/hip_runtime.h>
#include <queue>
#include <stack>
#include <deque>
#include <regex>
#include <omp.h>
#include <cxxabi.h>
#include <execinfo.h>
__global__ void k(int *o) { __local int *p = nullptr; o[0] = p == nullptr; }
int main() {
  std::priority_queue<int> queue;
  std::deque<int> a(3), b(a);
  std::copy(a.begin(), a.end(), b.begin());
#pragma omp parallel for
  for (int i = 0; i < omp_get_max_threads(); i++) queue.push(b[i]);
  void *frames[4];
  return backtrace(frames, 4) + (abi::__cxa_demangle("", nullptr, nullptr, nullptr) == nullptr);
}`;
  const flags = ['-fopenmp'];
  const { source: told } = await inlineCompiler().compile(source, {
    language: 'hip',
    mcpu: 'gfx1100',
    flags,
    disk: false,
  });
  assert.is(told!.log, '');
});

test('placement new on the device and in constant expressions, in C++26, too', async () => {
  const source = `#include <hip/hip_runtime.h>
#include <new>
struct Pair { int a, b; };
__global__ void k(int *p) { alignas(Pair) char place[sizeof(Pair)]; p[0] = (new (place) Pair{p[1], 2})->a; }
int host(void *place) { return *new (place) int(3); }
#if __cplusplus > 202302L
constexpr int constant() { int place = 0; return *new (&place) int(4); }
static_assert(constant() == 4);
#endif`;
  for (const standard of ['c++17', 'c++26']) {
    const flags = [`-std=${standard}`];
    const { log } = await inlineCompiler().translate(source, { language: 'hip', mcpu: 'gfx906', flags, disk: false });
    assert.is(log, '', standard);
  }
  // Without clang's wrapper of <new> it is libc++'s own, which C++26 lets the device have.
  const bare = source.replace('#include <hip/hip_runtime.h>', '#define __global__ __attribute__((global))');
  const flags = ['-std=c++26', '-nogpuinc'];
  const { log } = await inlineCompiler().translate(bare, { language: 'hip', mcpu: 'gfx906', flags, disk: false });
  assert.is(log, '');
});

test.long('<bits/stdc++.h> in the oldest and the newest standard', async () => {
  for (const standard of ['c++11', 'c++26']) assert.is(await complaintsOfAll(inlineCompiler(), standard), '');
});

test.run();
