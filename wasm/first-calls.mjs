/**
 * One compilation in a fresh process, for V8's trace of the functions that it calls: `build.sh` puts these into the
 * module's parts.
 *
 *   node --trace-wasm-compilation-times first-calls.mjs INPUT.bc [OPTIMIZE]
 */
import { readFile } from 'node:fs/promises';
import { compileLlvm } from '../dist/src/binding/load.js';
import { NO_EVENTS } from '../dist/src/job/events.js';
import { DEFAULT_OPTIONS } from '../dist/src/job/options.js';
import { LlvmHost } from '../dist/src/workers/llvm-host.js';
import { setTierPolicy } from '../dist/src/workers/tier-policy.js';

setTierPolicy('short');
const host = new LlvmHost({ code: await compileLlvm(), memoryLimitBytes: 2 ** 32 });
const [file, optimize = DEFAULT_OPTIONS.optimize] = process.argv.slice(2);
const bytes = await readFile(file);
const { ok, error } = await host.run({ kind: 'compile', bytes, options: { ...DEFAULT_OPTIONS, optimize } }, NO_EVENTS);
if (!ok) throw new Error(error.message);
