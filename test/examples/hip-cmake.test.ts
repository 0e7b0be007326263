/**
 * Tests examples/hip-cmake as far as that is possible without a GPU: it builds, the host object contains darm's fat
 * binary byte by byte, and the linked program registers it with a mock of the HIP runtime.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { elfSectionBytes, parseElf } from '../../src/formats/elf.js';
import { assert, suite } from '../support/suite.js';
import { darm, inFolder, MAIN } from '../support/command.js';
import { REPOSITORY } from '../support/llvm.js';
import { haveTools, runTool } from '../support/tools.js';

const test = suite('examples/hip-cmake', { tests: 1, timeoutMs: 120_000 });

/** Implements device memory as host memory and reports its calls. */
const RUNTIME = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct wrapper { unsigned magic, version; const char *binary; void *unused; };
struct dim3 { unsigned x, y, z; };
static const char *names[8];
static const void *functions[8];
static int count;
static struct dim3 grid, block;
void **__hipRegisterFatBinary(const struct wrapper *w) {
  FILE *file = fopen("registered.bin", "wb");
  fwrite(w->binary, 1, atol(getenv("FATBIN_BYTES")), file);
  fclose(file);
  printf("%.4s %u\\n", (const char *)&w->magic, w->version);
  return (void **)w;
}
void __hipUnregisterFatBinary(void **handle) { (void)handle; }
void __hipRegisterFunction(void **handle, const void *host, char *name, const char *device, unsigned limit, void *a, void *b,
                           void *c, void *d, int *e) {
  functions[count] = host;
  names[count++] = device;
}
int __hipPushCallConfiguration(struct dim3 g, struct dim3 b, size_t shared, void *stream) { grid = g; block = b; return 0; }
int __hipPopCallConfiguration(struct dim3 *g, struct dim3 *b, size_t *shared, void **stream) {
  *g = grid; *b = block; *shared = 0; *stream = 0; return 0;
}
int hipLaunchKernel(const void *f, struct dim3 g, struct dim3 b, void **args, size_t shared, void *stream) {
  for (int i = 0; i < count; i++) if (functions[i] == f) printf("launch %s %u %u\\n", names[i], g.x, b.x);
  return 0;
}
int hipMalloc(void **p, size_t n) { return (*p = calloc(1, n)) == 0; }
int hipMemcpy(void *to, const void *from, size_t n, int kind) { memcpy(to, from, n); return 0; }
int hipGetLastError(void) { return 0; }
`;

test('the program contains and registers what darm made', async () => {
  if (!haveTools('clang-22', 'clang++-22', 'cmake', 'make')) return;
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'runtime.c'), RUNTIME);
    await mkdir(path.join(folder, 'build'));
    const runtime = path.join(folder, 'libamdhip64.so');
    await runTool(folder, 'clang-22', ['-w', '-shared', '-fPIC', 'runtime.c', '-o', runtime]);
    const source = path.join(REPOSITORY, 'examples/hip-cmake');
    const settings = {
      CMAKE_CXX_COMPILER: 'clang++-22',
      DARM: `${process.execPath};${MAIN}`,
      HIP_RUNTIME: runtime,
    };
    const defined = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
    await runTool(folder, 'cmake', ['-G', 'Unix Makefiles', '-S', source, '-B', 'build', ...defined]);
    await runTool(folder, 'cmake', ['--build', 'build']);

    const build = path.join(folder, 'build');
    const fatBinary = await readFile(path.join(build, 'blend.hipfb'));
    const object = parseElf(await readFile(path.join(build, 'blend.hip.o')));
    assert.ok(fatBinary.equals(elfSectionBytes(object, '.hip_fatbin')!));

    // Each image is what its module becomes alone, and it is melded.
    for (const target of ['gfx906', 'gfx1100']) {
      const alone = await darm(['compile', `blend.${target}.bc`, '-o', `${target}.hsaco`, '--json'], { cwd: build });
      const { functions } = JSON.parse(alone.stdout.toString()) as { functions: { name: string; melds: unknown[] }[] };
      assert.equal(
        functions.map(({ name, melds }) => [name, melds.length]),
        [['blend', 1]],
      );
      const { code, stdout } = await darm(['bundle', 'blend.hip.o', '--extract', `${target}=-`], { cwd: build });
      assert.is(code, 0);
      assert.ok(stdout.equals(await readFile(path.join(build, `${target}.hsaco`))));
    }

    const environment = { FATBIN_BYTES: String(fatBinary.length), LD_LIBRARY_PATH: folder };
    const said = await runTool(folder, path.join(build, 'blend-demo'), [], environment);
    assert.match(said, /^FPIH 1\nlaunch blend 1 256\n/);
    assert.ok((await readFile(path.join(folder, 'registered.bin'))).equals(fatBinary));
  });
});

test.run();
