/**
 * Finds LLVM's WebAssembly module, unpacks it once and compiles it. The package ships it compressed
 * (`wasm/dist/llvm.wasm.br`). The first use writes the unpacked file beside it or, where that folder is read-only, into
 * the system's folder for temporary files, under a name with the content's hash. Unpacking checks the hash; later loads
 * check only the size.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { DarmError } from '../errors.js';
import { writeAtomically } from '../files.js';

export interface Manifest {
  readonly llvm: string;
  readonly emscripten: string;
  readonly compileFlags: string;
  readonly linkFlags: string;
  /** SHA-256 of every file the module was built from, by its path in the repository. */
  readonly sources: Readonly<Record<string, string>>;
  readonly module: { readonly bytes: number; readonly sha256: string };
  /** The range of addresses in an instance's memory that holds constant data. */
  readonly constants: { readonly start: number; readonly end: number };
  readonly compressed: { readonly bytes: number; readonly sha256: string };
  readonly loader: { readonly bytes: number; readonly sha256: string };
}

/** The folder of the WebAssembly module. The environment variable `DARM_WASM` names another one, for debug builds. */
export function moduleFolder(): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  return process.env['DARM_WASM'] ? path.resolve(process.env['DARM_WASM']) : path.join(root, 'wasm', 'dist');
}

export async function readManifest(folder = moduleFolder()): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
}

async function hasSize(file: string, bytes: number): Promise<boolean> {
  return stat(file).then(
    (found) => found.size === bytes,
    () => false,
  );
}

/** Path of the unpacked module. */
async function unpack(): Promise<string> {
  const folder = moduleFolder();
  const manifest = await readManifest(folder);
  const name = `llvm.${manifest.module.sha256.slice(0, 16)}.wasm`;
  const places = [path.join(folder, name), path.join(tmpdir(), 'darm', name)];
  for (const place of places) if (await hasSize(place, manifest.module.bytes)) return place;
  const bytes = await promisify(brotliDecompress)(await readFile(path.join(folder, 'llvm.wasm.br')));
  if (createHash('sha256').update(bytes).digest('hex') !== manifest.module.sha256)
    throw new DarmError('internal', 'the compiled module is damaged: its hash is not the one in manifest.json');
  let failure: unknown;
  for (const place of places) {
    try {
      await mkdir(path.dirname(place), { recursive: true });
      await writeAtomically(place, bytes);
      return place;
    } catch (error) {
      failure = error;
    }
  }
  throw new DarmError('io', `cannot unpack the compiled module: ${(failure as Error).message}`);
}

/** Takes about 0.1 s, once per process: V8 compiles the functions lazily. Instances of it take milliseconds. */
export async function compileLlvmModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(await unpack()));
}
