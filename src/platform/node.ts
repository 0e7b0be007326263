/**
 * Node. The package ships the WebAssembly code and the memory that instances start with compressed (`wasm/dist/*.br`).
 * The first use writes the unpacked files beside them or, where that folder is read-only, into a folder of the user's
 * among the temporary files, under names with the content's hash.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DarmError } from '../errors.js';
import { ioError, privateTemporaryFolder, writeAtomically } from '../process/files.js';
import { cryptography } from './crypto.js';
import { nodeDisk } from './disk.js';
import type { CheckedBy, ColdCode, FileFacts, ModulePart, Platform } from './interface.js';
import { compileBytes, lazily } from './compile.js';
import { collectGarbage } from './garbage.js';
import { COLD, DAMAGED, factsOf, packedName, unpackedCold, unpackedFiles, type UnpackedFile } from './unpacked.js';

/** The folder of the WebAssembly module. The environment variable `DARM_WASM` names another one, for debug builds. */
export function moduleFolder(): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  return process.env['DARM_WASM'] ? path.resolve(process.env['DARM_WASM']) : path.join(root, 'wasm', 'dist');
}

/** The third: bundlers that make CommonJS leave a module without an address. */
const IS_ELSEWHERE = new Set(['ENOENT', 'ENOTDIR', 'ERR_INVALID_URL']);

/**
 * A bundler that takes darm's code along leaves behind what lies beside it.
 *
 * @throws DarmError `usage`
 */
export function checkPackage(): void {
  if (process.env['DARM_WASM']) return;
  try {
    statSync(path.join(moduleFolder(), 'manifest.json'));
  } catch (error) {
    if (!IS_ELSEWHERE.has((error as NodeJS.ErrnoException).code!)) return;
    const advice = 'if a bundler has put it elsewhere, name darm among what is external';
    throw new DarmError('usage', `darm's code is not where its package is: ${advice} (docs/library.md)`);
  }
}

function readPackaged(name: string): Buffer {
  const file = path.join(moduleFolder(), name);
  try {
    return readFileSync(file);
  } catch (error) {
    throw ioError('read', file, error);
  }
}

/** It is shared, because V8 collects garbage sooner where buffers of tens of megabytes are a thread's own. */
const sharedBuffer = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes);

/** Larger than each part. */
const REUSED_BYTES = 32 * 2 ** 20;
let reused: WeakRef<ArrayBufferLike> | null = null;
/** Up to V8 12, what is compiled from shared bytes is copied twice. */
const isCopiedTwice = Number.parseInt(process.versions.v8) < 13;

/**
 * For what is read, used and no longer needed, one part after the other: to get pages from the system takes longer than
 * to fill them.
 */
function reusedBuffer(bytes: number): ArrayBufferLike {
  if (bytes > REUSED_BYTES) return sharedBuffer(bytes);
  const buffer = reused?.deref() ?? (isCopiedTwice ? new ArrayBuffer(REUSED_BYTES) : sharedBuffer(REUSED_BYTES));
  reused = new WeakRef(buffer);
  return buffer;
}

/** What has been unpacked beside the package. */
function readUnpacked(
  name: string,
  { bytes }: FileFacts,
  buffer: (bytes: number) => ArrayBufferLike = sharedBuffer,
): Uint8Array<ArrayBuffer> | null {
  try {
    const file = openSync(path.join(moduleFolder(), name), 'r');
    try {
      if (fstatSync(file).size !== bytes) return null;
      const place = new Uint8Array(buffer(bytes), 0, bytes);
      readInto(place, file);
      return place as unknown as Uint8Array<ArrayBuffer>;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function readInto(place: Uint8Array, file: number, from = 0): void {
  for (let at = 0; at < place.length;) {
    const more = readSync(file, place, at, place.length - at, from + at);
    if (more === 0) throw new Error('it is shorter than it was');
    at += more;
  }
}

/** Once per machine: what it takes is loaded then. */
async function unpack(packed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const [{ promisify }, { brotliDecompress }] = await Promise.all([import('node:util'), import('node:zlib')]);
  return promisify(brotliDecompress)(packed) as Promise<Uint8Array<ArrayBuffer>>;
}

const unpackedName = (part: string, { sha256: hash }: FileFacts, extension: string): string =>
  `${part}.${hash.slice(0, 16)}.${extension}`;

const sha256 = (...content: (Uint8Array | string)[]): string =>
  content.reduce((hash, each) => hash.update(each), cryptography().createHash('sha256')).digest('hex');

/**
 * The package's own folder is trusted as far as darm's code is, which lies beside it: there the size tells a whole file
 * from half of one. A folder for temporary files is shared with others, so what lies in ours there is checked by its
 * hash.
 */
async function readPart(part: string, facts: FileFacts, extension: string): Promise<Uint8Array<ArrayBuffer>> {
  const own = factsOf(facts, extension);
  const name = unpackedName(part, own, extension);
  // At once: in pieces, it would wait for whatever else this thread does.
  const found = readUnpacked(name, own);
  if (found !== null) return found;

  const temporary = await privateTemporaryFolder();
  if (temporary !== null) {
    const kept = await readFile(path.join(temporary, name)).catch(() => null);
    if (kept !== null && sha256(kept) === own.sha256) return kept;
  }
  const files = await unpackPart(part, facts, extension);
  return files.find((file) => file.extension === extension)!.bytes;
}

/** What is being unpacked, by its name in the package: two files may be made of one. */
const unpacking = new Map<string, Promise<readonly UnpackedFile[]>>();

function unpackPart(part: string, facts: FileFacts, extension: string): Promise<readonly UnpackedFile[]> {
  const name = packedName(part, extension);
  const made = unpacking.get(name) ?? unpackNow(part, facts, extension).finally(() => unpacking.delete(name));
  unpacking.set(name, made);
  return made;
}

async function unpackNow(part: string, facts: FileFacts, extension: string): Promise<readonly UnpackedFile[]> {
  const packed = readPackaged(packedName(part, extension));
  const files = await unpackedFiles(await unpack(packed), facts, extension, sha256);
  const temporary = await privateTemporaryFolder();
  const folders = [moduleFolder(), ...(temporary === null ? [] : [temporary])];
  for (const file of files)
    for (const folder of folders)
      try {
        await writeAtomically(path.join(folder, unpackedName(part, file.facts, file.extension)), file.bytes);
        break;
      } catch {
        // Where nothing can be written, every process unpacks for itself.
      }
  return files;
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(sharedBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The package's own file is read by each instance for itself: without a copy in between, into its memory. */
async function find(part: string, facts: FileFacts, extension: string): Promise<string | Uint8Array> {
  const own = factsOf(facts, extension);
  const file = path.join(moduleFolder(), unpackedName(part, own, extension));
  const found = await stat(file).catch(() => null);
  return found?.size === own.bytes ? file : shared(await readPart(part, facts, extension));
}

function fill(place: Uint8Array, content: string, from?: number): void {
  try {
    const file = openSync(content, 'r');
    try {
      readInto(place, file, from);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw ioError('read', content, error);
  }
}

/** Most processes call nothing that is cold: it is only read by those that do, from the temporary folder, too. */
async function findCold(part: string, facts: FileFacts): Promise<ColdCode> {
  const division = facts.division!;
  const { bytes } = division.cold;
  const name = unpackedName(part, division.cold, COLD);
  const isIn = async (folder: string): Promise<boolean> =>
    (await stat(path.join(folder, name)).catch(() => null))?.size === bytes;
  if (await isIn(moduleFolder())) return { file: path.join(moduleFolder(), name), bytes, checked: null };
  const temporary = await privateTemporaryFolder();
  if (temporary !== null && (await isIn(temporary)))
    return { file: path.join(temporary, name), bytes, checked: { part, division } };
  return shared(await readPart(part, facts, COLD));
}

function readCold(cold: ColdCode): Uint8Array<ArrayBuffer> {
  if (cold instanceof Uint8Array) return new Uint8Array(cold);
  const place = new Uint8Array(cold.bytes);
  if (cold.checked === null) fill(place, cold.file);
  else if (!isFilledWith(place, cold.file, cold.checked.division.cold)) {
    remove(cold.file);
    return unpackCold(cold.checked);
  }
  return place;
}

/** The bytes are checked where they will be used, so that nobody can change them in between. */
function isFilledWith(place: Uint8Array, file: string, facts: FileFacts): boolean {
  try {
    fill(place, file);
  } catch {
    return false;
  }
  return sha256(place) === facts.sha256;
}

/** So that what starts next writes it anew. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Whoever reads it notices, too.
  }
}

/** For a process that has run for long: the system tidies its folder for temporary files up. */
function unpackCold({ part, division }: CheckedBy): Uint8Array<ArrayBuffer> {
  const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
  const whole = brotliDecompressSync(readPackaged(packedName(part, COLD))) as Uint8Array<ArrayBuffer>;
  const cold = unpackedCold(whole, division);
  if (sha256(cold) !== division.cold.sha256) throw new DarmError('internal', DAMAGED);
  return cold;
}

function openModule(part: string, facts: FileFacts): ModulePart {
  const use: ModulePart['use'] = async (consume) => {
    // At once, before another part is read to the same place.
    const found = readUnpacked(unpackedName(part, facts, 'wasm'), facts, reusedBuffer);
    return consume(found ?? (await readPart(part, facts, 'wasm')));
  };
  return { use, compile: () => use(compileBytes) };
}

export const node: Platform = {
  readManifest: async () => readPackaged('manifest.json').toString('utf8'),
  readPart,
  openModule,
  find,
  fill,
  findCold,
  readCold,
  compileNow: (bytes) => lazily(() => new WebAssembly.Module(bytes)),
  loaderUrl: (name) => pathToFileURL(path.join(moduleFolder(), name)).href,
  dropMemory: collectGarbage,
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  sha256: async (text, bytes) => sha256(text, bytes),
  disk: nodeDisk,
};
