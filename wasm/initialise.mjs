/**
 * Writes the state of the module after its initialisation into the module itself: an instance then starts from
 * initialised memory, and LLVM's static constructors (some thousand options and passes) run once, here.
 *
 *   node initialise.mjs LOADER.mjs IN.wasm OUT.wasm
 *
 * The data section becomes what the memory holds after `darm_initialize`, and the function of the constructors becomes
 * empty. The start function, which fills the rest with zeros, goes, too. Nothing else remembers the initialisation: globals are as before it, and the loader's own state (open files)
 * is made by the loader each time. What depends on the machine reads zeros: clock, random numbers.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { moduleOf, Reader, Section, sections, signed, unsigned } from './binary.mjs';

const [loader, input, output] = process.argv.slice(2).map((file) => path.resolve(file));
const bytes = await readFile(input);

/** Shorter runs of zeros are stored: each segment has a header. */
const GAP = 64;

// --- running the initialisation ---

const all = sections(bytes);
const memory = new WebAssembly.Memory({ initial: 1024, maximum: 65536 });
/** Names of imports are minified, those of the functions are not. */
const FIXED = {
  _emscripten_date_now: () => 0,
  _emscripten_get_now: () => 0,
  _clock_time_get: () => 0,
  _random_get: () => 0,
  _environ_get: () => 0,
  _environ_sizes_get(count, size) {
    new Int32Array(memory.buffer, count, 1)[0] = 0;
    new Int32Array(memory.buffer, size, 1)[0] = 0;
    return 0;
  },
};
let constructors = null;
const { default: factory } = await import(pathToFileURL(loader).href);
const llvm = await factory({
  wasmMemory: memory,
  instantiateWasm(imports, done) {
    const fixed = Object.fromEntries(
      Object.entries(imports).map(([module, values]) => [
        module,
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            (typeof value === 'function' && FIXED[value.name]) || value,
          ]),
        ),
      ]),
    );
    void WebAssembly.instantiate(bytes, fixed).then(({ instance, module }) => {
      // The loader calls the constructors first of all.
      const watched = {};
      for (const [name, value] of Object.entries(instance.exports))
        watched[name] = typeof value !== 'function' ? value : (...args) => ((constructors ??= name), value(...args));
      done({ exports: watched }, module);
    });
    return {};
  },
});
llvm._darm_initialize();
const image = Buffer.from(memory.buffer, 0, llvm._sbrk(0));

// --- writing it down ---

/** The index of an exported function. */
function exportedFunction(wanted) {
  const reader = new Reader(all.find(({ id }) => id === Section.Export).body);
  for (let left = reader.number(); left > 0; left--) {
    const name = reader.take(reader.number()).toString();
    reader.take(1);
    const index = reader.number();
    if (name === wanted) return index;
  }
  throw new Error(`no export ${wanted}`);
}

function importedFunctions() {
  return WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === 'function').length;
}

function withoutBody(code, index) {
  const reader = new Reader(code);
  const count = reader.number();
  for (let at = 0; at < count; at++) {
    const start = reader.at;
    reader.take(reader.number());
    // Two bytes: no locals, end.
    if (at === index)
      return Buffer.concat([code.subarray(0, start), Buffer.from([2, 0, 0x0b]), code.subarray(reader.at)]);
  }
  throw new Error('no such function');
}

/** Ranges of the image that are not zero. */
function segments() {
  const found = [];
  let start = -1;
  let last = -1;
  for (let at = 0; at < image.length; at++) {
    if (image[at] === 0) continue;
    if (start >= 0 && at - last > GAP) {
      found.push([start, last + 1]);
      start = at;
    } else if (start < 0) start = at;
    last = at;
  }
  if (start >= 0) found.push([start, last + 1]);
  return found;
}

const ranges = segments();
const data = Buffer.concat([
  unsigned(ranges.length),
  ...ranges.flatMap(([start, end]) => [
    Buffer.from([0, 0x41]),
    signed(start),
    Buffer.from([0x0b]),
    unsigned(end - start),
    image.subarray(start, end),
  ]),
]);
const index = exportedFunction(constructors) - importedFunctions();
const written = all
  .filter(({ id }) => id !== Section.Start)
  .map(({ id, body }) => {
    if (id === Section.Code) return { id, body: withoutBody(body, index) };
    if (id === Section.Data) return { id, body: data };
    return { id, body: id === Section.DataCount ? unsigned(ranges.length) : body };
  });
await writeFile(output, moduleOf(bytes, written));
console.log(`${ranges.length} segments, ${data.length} bytes of data, ${image.length} of memory`);
process.exit(0);
