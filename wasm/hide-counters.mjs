/**
 * Takes the exports away that the instrumentation of LLVM adds for each function. Emscripten would make JavaScript of
 * them, and their names are not names there.
 *
 *   node hide-counters.mjs IN.wasm OUT.wasm
 */
import { readFile, writeFile } from 'node:fs/promises';
import { moduleOf, Reader, Section, sections, unsigned } from './binary.mjs';

const [input, output] = process.argv.slice(2);
const bytes = await readFile(input);

function withoutCounters(exports) {
  const reader = new Reader(exports);
  const kept = [];
  for (let left = reader.number(); left > 0; left--) {
    const start = reader.at;
    const name = reader.take(reader.number()).toString();
    reader.take(1);
    reader.number();
    if (!/^__prof[cd]_/.test(name)) kept.push(exports.subarray(start, reader.at));
  }
  return Buffer.concat([unsigned(kept.length), ...kept]);
}

const all = sections(bytes).map(({ id, body }) => ({ id, body: id === Section.Export ? withoutCounters(body) : body }));
await writeFile(output, moduleOf(bytes, all));
