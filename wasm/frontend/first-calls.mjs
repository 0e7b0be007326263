/**
 * One translation in a fresh process, for V8's trace of the functions that it calls: `build.sh` puts these into the
 * first part of clang's module.
 *
 *   node --trace-wasm-compilation-times first-calls.mjs SOURCE
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compileFrontend, frontendManifest } from '../../dist/src/binding/load-frontend.js';
import { completeSource, translationJob } from '../../dist/src/frontend/options.js';
import { FrontendHost } from '../../dist/src/workers/frontend-host.js';
import { setTierPolicy } from '../../dist/src/workers/tier-policy.js';

const [file] = process.argv.slice(2);
setTierPolicy('short');
const language = path.extname(file) === '.cl' ? 'opencl' : 'hip';
const code = await compileFrontend();
const { processors } = await frontendManifest();
const host = new FrontendHost({ memoryLimitBytes: 2 ** 32 });
const source = await readFile(file);
for (const mcpu of ['gfx906', 'gfx1100']) {
  // Kernels for several block sizes are written for a name and a size.
  const defines = { SIZE: 64, KERNEL: 'kernel_64' };
  const request = completeSource('first-calls', source, { language, name: file, mcpu, defines });
  const job = await translationJob(request, 'bitcode', processors, false);
  const { product, log } = await host.translate(code, job, (work) => work());
  if (product === null) throw new Error(log);
}
// A refused source, too: messages are part of a first use.
const bad = completeSource('first-calls', 'int f( {', { language, mcpu: 'gfx1100' });
await host.translate(code, await translationJob(bad, 'bitcode', processors, false), (work) => work());
