/** The headers that a source probably reads, and that a source with such headers is read once. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { cc1Arguments } from '../../src/frontend/cc1.js';
import { parseFlags } from '../../src/frontend/flags.js';
import { ownHeaders } from '../../src/frontend/own-headers.js';
import type { SourceJob } from '../../src/job/source.js';
import { FrontendHost } from '../../src/workers/frontend-host.js';
import { clangCode } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/own-headers', { tests: 4, timeoutMs: 120_000 });

async function withFiles(files: Record<string, string>, use: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-headers-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const jobIn = (folder: string, text: string, words: readonly string[] = []): SourceJob => ({
  ...{ arguments: words, name: path.join(folder, 'kernel.hip'), source: new TextEncoder().encode(text) },
  ...{ headers: new Map(), disk: true, colors: false },
});
test('headers of the own folder and of folders of flags, and what they include, each once', async () => {
  const files = {
    'again.h': '#include "again.h"\n#include "own/../again.h"\n',
    'own/inner.h': '#include "leaf.h"\n',
    'own/leaf.h': '// leaf',
    'more/far.h': '// far',
  };
  const includes = ['"own/inner.h"', '<far.h>', '"again.h"', '"missing.h"', '<hip/hip_runtime.h>'];
  const text = includes.map((each) => `  # include ${each}\n`).join('');
  await withFiles(files, (folder) => {
    const { 'again.h': again, 'own/inner.h': inner } = files;
    const all = jobIn(folder, text, ['-I', path.join(folder, 'more')]);
    assert.is(ownHeaders(all), [inner, '// far', again, '// leaf'].join('\n'));
    assert.is(ownHeaders(jobIn(folder, text)), [inner, again, '// leaf'].join('\n'));
    assert.is(ownHeaders({ ...all, disk: false }), '');
    assert.is(ownHeaders(jobIn(folder, '', ['-include', path.join(folder, 'own/leaf.h')])), '// leaf');
  });
});

test('no folders and devices, and nothing where it is more than looking is worth', async () => {
  const half = ' '.repeat(2 ** 21);
  const files = { 'half.h': half, 'other.h': half, 'more.h': `${half} `, 'own/a.h': '', 'last.h': '// last' };
  await withFiles(files, async (folder) => {
    await symlink('/dev/zero', path.join(folder, 'endless.h'));
    const including = (...names: string[]): SourceJob =>
      jobIn(folder, names.map((each) => `#include "${each}"\n`).join(''));
    assert.is(ownHeaders(including('endless.h', 'own', 'last.h')), '// last');
    assert.ok(ownHeaders(including('half.h', 'other.h')) === `${half}\n${half}`);
    assert.ok(ownHeaders(including('half.h', 'more.h', 'last.h')) === null);
    assert.is(ownHeaders(including(...Array.from({ length: 20_000 }, (_, n) => `missing${n}.h`))), null);
  });
});

const SQUARE = '__device__ inline float square(float x) { return sinf(x) * sinf(x); }\n';
const USER = '#include <hip/hip_runtime.h>\n#include "square.h"\n__global__ void k(float *p) { *p = square(*p); }\n';

/** How often clang reads a source with these headers. */
async function roundsWith(files: Record<string, string>): Promise<number> {
  const clang = await clangCode();
  const { processors } = await frontendManifest();
  let rounds = 0;
  await withFiles(files, async (folder) => {
    const { name } = jobIn(folder, USER);
    const words = cc1Arguments({
      ...{ flags: parseFlags([]), language: 'hip', name, target: 'gfx1100', optimize: '3' },
      ...{ product: 'bitcode', hasHeaders: false, processors },
    });
    const host = new FrontendHost({ memoryLimitBytes: 2 ** 31 });
    const { product, dependencies } = await host.translate(clang, jobIn(folder, USER, words), (work) => {
      rounds++;
      return work();
    });
    assert.ok(product !== null);
    assert.equal(
      dependencies,
      Object.keys(files).map((each) => path.join(folder, each)),
    );
  });
  return rounds;
}

test("what these mention is in HIP's headers from the start", async () => {
  assert.is(await roundsWith({ 'square.h': SQUARE }), 1);
});

test('a source with a large library is read once, too, and with all headers', async () => {
  assert.is(await roundsWith({ 'square.h': '// nothing\n'.repeat(2 ** 19) + SQUARE }), 1);
});

test.run();
