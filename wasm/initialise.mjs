/**
 * Takes the data out of the module, as its memory is after the initialisation: an instance then starts from that memory,
 * and LLVM's static constructors (some thousand options and passes) run once, here.
 *
 *   node initialise.mjs LOADER.mjs IN.wasm START OUT.wasm OUT.image
 *
 * OUT.image is what the memory holds from the address START on after `darm_initialize`; below it is the stack. OUT.wasm
 * has no data and no start function any more, and the function of the constructors is empty. Nothing else remembers the
 * initialisation: globals are as before it, and the loader's own state (open files) is made by the loader each time.
 * What depends on the machine reads zeros: clock, random numbers.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { moduleOf, Reader, Section, sections } from './binary.mjs';

const [loader, input, start, output, imageFile] = process.argv.slice(2);
const bytes = await readFile(input);

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
const { default: factory } = await import(pathToFileURL(path.resolve(loader)).href);
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
const image = Buffer.from(memory.buffer, Number(start), llvm._sbrk(0) - start);

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

const index = exportedFunction(constructors) - importedFunctions();
const left = all.filter(({ id }) => ![Section.Start, Section.Data, Section.DataCount].includes(id));
const written = left.map(({ id, body }) => ({ id, body: id === Section.Code ? withoutBody(body, index) : body }));
await writeFile(output, moduleOf(bytes, written));
await writeFile(imageFile, image);
console.log(`${image.length} bytes of memory`);
process.exit(0);
