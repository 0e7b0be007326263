/**
 * Finds LLVM's WebAssembly module, unpacks it once and compiles it. The package ships it compressed
 * (`wasm/dist/llvm.wasm.br`). The first use writes the unpacked file beside it or, where that folder is read-only, into
 * a folder of the user's among the temporary files, under a name with the content's hash.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { DarmError } from '../errors.js';
import { ioError, privateTemporaryFolder, writeAtomically } from '../files.js';

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

async function readPackaged(name: string, folder = moduleFolder()): Promise<Buffer> {
  const file = path.join(folder, name);
  return readFile(file).catch((error) => Promise.reject(ioError('read', file, error)));
}

export async function readManifest(folder = moduleFolder()): Promise<Manifest> {
  return JSON.parse((await readPackaged('manifest.json', folder)).toString('utf8')) as Manifest;
}

/**
 * The bytes of the module. The package's own folder is trusted as far as darm's code is, which lies beside it: there
 * the size tells a whole file from half of one. A folder for temporary files is shared with others, so what lies in
 * ours there is checked by its hash.
 */
async function readModule(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = moduleFolder();
  const { module } = await readManifest(folder);
  const name = `llvm.${module.sha256.slice(0, 16)}.wasm`;
  const packaged = path.join(folder, name);
  const found = await readFile(packaged).catch(() => null);
  if (found?.length === module.bytes) return found;

  const folders = [folder];
  const temporary = await privateTemporaryFolder();
  if (temporary !== null) {
    const kept = await readFile(path.join(temporary, name)).catch(() => null);
    if (kept !== null && sha256(kept) === module.sha256) return kept;
    folders.push(temporary);
  }
  const bytes = await promisify(brotliDecompress)(await readPackaged('llvm.wasm.br'));
  if (sha256(bytes) !== module.sha256)
    throw new DarmError('internal', 'the compiled module is damaged: its hash is not the one in manifest.json');
  for (const each of folders)
    try {
      await writeAtomically(path.join(each, name), bytes);
      break;
    } catch {
      // Where nothing can be written, every process unpacks for itself.
    }
  return bytes as Uint8Array<ArrayBuffer>;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Takes about 0.1 s, once per process: V8 compiles the functions lazily. Instances of it take milliseconds. */
export async function compileLlvmModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readModule());
}
