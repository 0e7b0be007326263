/**
 * Says in the manifest which functions of the further parts training called. Where a part is unpacked, it is divided by
 * that (src/platform/divide.ts), so what is shipped stays as it was built.
 *
 *   npx tsc && node wasm/divide.mjs FOLDER TRACE...
 *
 * A trace is what V8 prints with `--trace-wasm-compilation-times` while darm compiles something, with the files in the
 * folder. What the manifest said before stays: a function once called is never cold. `build.sh` traces the repository's
 * own kernels. Traces of programs of others (wasm/trace-sources.ts, npm run test:opencl) were added to them.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { brotliDecompressSync } from 'node:zlib';
import { divide } from '../dist/src/platform/divide.js';
import { repair } from '../dist/src/platform/repair.js';
import { Reader, Section, sections } from './binary.mjs';

const [folder, ...traces] = process.argv.slice(2);

/** Sizes of the functions' bodies, by their number in the module. */
function sizesOf(bytes) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  const first = imports.filter(({ kind }) => kind === 'function').length;
  const reader = new Reader(sections(bytes).find(({ id }) => id === Section.Code).body);
  const sizes = new Map();
  const count = reader.number();
  for (let at = 0; at < count; at++) sizes.set(first + at, reader.take(reader.number()).length);
  return { first, sizes };
}

/** The functions that a trace names, for each module: a map from their number to the size of their body. */
async function modulesIn(trace) {
  const modules = new Map();
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const [, module, index, size] = /^Compiled function (\w+)#(\d+) using .*; bodysize (\d+)/.exec(line) ?? [];
    if (module === undefined) continue;
    if (!modules.has(module)) modules.set(module, new Map());
    modules.get(module).set(Number(index), Number(size));
  }
  return [...modules.values()];
}

const facts = (bytes) => ({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });

const called = (await Promise.all(traces.map(modulesIn))).flat();
const file = path.join(folder, 'manifest.json');
let text = await readFile(file, 'utf8');
const manifest = JSON.parse(text);
for (const [part, { further }] of [
  ['rest', manifest],
  ['clang-rest', manifest.frontend],
]) {
  const before = JSON.stringify(further);
  const { division, ...undivided } = further[part];
  const whole = division?.whole ?? undivided;
  const bytes = brotliDecompressSync(await readFile(path.join(folder, `${part}.wasm.br`)));
  repair(bytes, whole);
  const { first, sizes } = sizesOf(bytes);
  const bits = new Uint8Array(Math.ceil(sizes.size / 8));
  if (division !== undefined) bits.set(Buffer.from(division.called, 'base64'));
  // A trace names modules by addresses. The sizes of their functions tell which they are.
  for (const module of called)
    if ([...module].every(([index, size]) => sizes.get(index) === size))
      for (const index of module.keys()) bits[(index - first) >> 3] |= 1 << ((index - first) & 7);
  const parts = divide(bytes, bits);
  further[part] = {
    ...facts(parts.called),
    division: { whole, cold: facts(parts.cold), called: Buffer.from(bits).toString('base64') },
  };
  const line = text
    .split('\n')
    .find(
      (each) =>
        each.includes('"further":') &&
        JSON.stringify(JSON.parse(`{${each.trim().replace(/,$/, '')}}`).further) === before,
    );
  text = text.replace(line, `${line.match(/^ */)[0]}"further": ${JSON.stringify(further)},`);
  console.log(`${part}: ${parts.called.length} bytes with what was called, ${parts.cold.length} cold`);
}
await writeFile(file, text);
