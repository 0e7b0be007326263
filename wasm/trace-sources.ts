/**
 * Compiles sources, as they are by default and with some of the options that users vary, which take turns. V8's trace
 * of the functions that they call is for wasm/divide.mjs.
 *
 *   npx tsc
 *   node --trace-wasm-compilation-times dist/wasm/trace-sources.js UNITS.json >calls.trace
 *   node wasm/divide.mjs wasm/dist calls.trace
 *
 * UNITS.json is a list of `{ "file", "flags", "language" }`: the flags are clang's (`-I`, `-D`), the language is
 * `opencl` or `hip`. What does not compile within half a minute is left out, and named on standard error. PTX is not
 * among the options: so few need it that what only it calls stays cold.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Manifest } from '../src/binding/load.js';
import { createCompiler } from '../src/index.js';
import type { JobOptions } from '../src/job/options.js';
import { moduleFolder } from '../src/platform/node.js';

interface Unit {
  readonly file: string;
  readonly flags: readonly string[];
  readonly language: 'opencl' | 'hip';
}

type Variant = Partial<JobOptions> & { readonly mcpu: string; readonly flags?: readonly string[] };

const VARIANTS: readonly Variant[] = [
  { mcpu: 'gfx906', flags: ['-O2'] },
  { mcpu: 'gfx90a', flags: ['-g'] },
  { mcpu: 'gfx942', meldPoint: 'early' },
  { mcpu: 'gfx1030', flags: ['-O1'], emit: ['asm'] },
  { mcpu: 'gfx1201', emit: ['bc', 'hsaco'] },
  { mcpu: 'gfx90a', flags: ['-O0'] },
  { mcpu: 'gfx1100', flags: ['-O0', '-g'], emit: ['asm'] },
  { mcpu: 'gfx906', flags: ['-Os'], meldPoint: 'early' },
  { mcpu: 'gfx1100', flags: ['-gline-tables-only'], meld: 'off' },
  { mcpu: 'gfx1201', flags: ['-ffast-math'] },
];
/** Of the variants, for each source. */
const EACH = 3;

/** A trace knows functions by their sizes, which stubs in a divided part do not have: so parts are whole here. */
async function copyWholeModule(folder: string): Promise<void> {
  const isPackaged = (name: string): boolean => !/\.(wasm|cold|memory|image)$/.test(name);
  await cp(moduleFolder(), folder, { recursive: true, filter: isPackaged });
  const file = path.join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
  for (const { further } of [manifest, manifest.frontend!])
    for (const [part, { division }] of Object.entries(further))
      if (division !== undefined) Object.assign(further, { [part]: division.whole });
  await writeFile(file, JSON.stringify(manifest));
}

const folder = await mkdtemp(path.join(tmpdir(), 'darm-whole-'));
await copyWholeModule(folder);
process.env['DARM_WASM'] = folder;
const compiler = createCompiler({ threads: 0, tierPolicy: 'short', timeout: 30_000 });
const units = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as Unit[];
for (const [n, { file, flags, language }] of units.entries()) {
  const source = await readFile(file);
  const compile = (variant: Variant): Promise<unknown> =>
    compiler.compile(source, { language, name: file, ...variant, flags: [...flags, ...(variant.flags ?? [])] });
  try {
    await compile({ mcpu: 'gfx1100' });
  } catch (error) {
    console.error(`${file}: ${(error as Error).message}`);
    continue;
  }
  // Not every source compiles for every processor.
  for (let k = 0; k < EACH; k++) await compile(VARIANTS[(n * EACH + k) % VARIANTS.length]!).catch(() => {});
}
await compiler.close();
await rm(folder, { recursive: true });
