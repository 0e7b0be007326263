/**
 * A source that includes all of the C++ library. It takes clang some seconds: npm run test:source has all standards.
 */
import type { Compiler } from '../../src/index.js';

const SOURCE = `#include <bits/stdc++.h>
#include <hip/hip_runtime.h>
__global__ void k(int *o) { o[0] = std::numeric_limits<int>::max(); }
std::map<std::string, std::queue<int>> all;`;

/** With line numbers clang gets HIP's headers as they are, and so reads the source once. */
export async function complaintsOfAll(compiler: Compiler, standard: string): Promise<string> {
  const flags = [`-std=${standard}`, '-gline-tables-only'];
  return (await compiler.translate(SOURCE, { language: 'hip', mcpu: 'gfx1100', flags, disk: false })).log;
}
