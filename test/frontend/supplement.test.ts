/** The headers in front of the C++ library's: that they are the right ones, and that host code of all kinds parses. */
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { LOCAL_USERS, NULL_DEFINERS } from '../../src/frontend/supplement.js';
import { createCompiler, type Compiler } from '../../src/index.js';
import { imageFiles } from '../support/native-clang.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/supplement', { tests: 4, timeoutMs: 120_000 });

let shared: Compiler | undefined;
const compiler = (): Compiler => (shared ??= createCompiler({ threads: 0, tierPolicy: 'short' }));

test("every header of the C++ library with the name of HIP's macro __local is guarded", async () => {
  const image = await readPart('headers', (await frontendManifest()).image, 'image');
  const found: string[] = [];
  for (const [name, content] of imageFiles(image))
    if (name.startsWith('c++/') && /\b__local\b/.test(new TextDecoder().decode(content))) found.push(name.slice(4));
  assert.equal(found.sort(), [...LOCAL_USERS].sort());
});

test("NULL is clang's own behind every header of the C library, and libc++'s namespace has its old name, too", async () => {
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
    const { log } = await compiler().translate(source, { language: 'hip', mcpu: 'gfx906', flags: ['-w'], disk: false });
    assert.is(log, '', name);
  }
});

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
  const { source: told } = await compiler().compile(source, { language: 'hip', mcpu: 'gfx1100', flags, disk: false });
  assert.is(told!.log, '');
});

test('<bits/stdc++.h> in all standards', async () => {
  const source = `#include <bits/stdc++.h>
#include <hip/hip_runtime.h>
__global__ void k(int *o) { o[0] = std::numeric_limits<int>::max(); }
std::map<std::string, std::queue<int>> all;`;
  for (const standard of ['c++11', 'c++17', 'c++20', 'c++23']) {
    const options = { language: 'hip', mcpu: 'gfx1100', flags: [`-std=${standard}`], disk: false } as const;
    assert.is((await compiler().translate(source, options)).log, '');
  }
});

test.run();
