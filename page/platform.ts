/**
 * The browser, as what compiling needs of a machine. The build puts this in the place of src/platform/index.ts.
 *
 * The modules are fetched compressed, as the package ships them, and unpacked here: so any server of files will do.
 * Unpacked they are kept in the browser's storage for this site, where the next visit, and one without a network, finds
 * them.
 */
import initBrotli, { decompress } from 'brotli-dec-wasm/web';
import { DarmError } from '../src/errors.js';
import type { FileFacts, ModulePart, Platform } from '../src/platform/interface.js';
import { COLD, extensionsOf, factsOf, packedName, unpackedFiles, type UnpackedFile } from '../src/platform/unpacked.js';
import type { Manifest } from '../src/binding/load.js';
import { MODULE_STORE, servedName, SERVED_HEADER } from './store.js';

/** Told how much of a file has arrived, in bytes. */
export type LoadListener = (name: string, loaded: number, total: number) => void;

let listener: LoadListener = () => {};
export const onLoad = (listen: LoadListener): void => void (listener = listen);

const MODULES = new URL('wasm/', self.location.href);
const MANIFEST = 'manifest.json';

let brotli: Promise<unknown> | null = null;

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  brotli ??= initBrotli({ module_or_path: new URL('brotli.wasm', self.location.href) });
  await brotli;
  return decompress(bytes) as Uint8Array<ArrayBuffer>;
}

/** The storage may be forbidden, or full: then everything is fetched each time. */
const store: Promise<Cache | null> =
  typeof caches === 'undefined' ? Promise.resolve(null) : caches.open(MODULE_STORE).catch(() => null);

async function download(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const fail = (why: string): DarmError => new DarmError('io', `cannot load ${name}: ${why}`);
  const response = await fetch(new URL(name, MODULES)).catch((error: Error) => Promise.reject(fail(error.message)));
  if (!response.ok) throw fail(`the server answered ${response.status}`);
  const total = Number(response.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    listener(name, (loaded += part.value.length), Math.max(total, loaded));
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}

export async function sha256(...parts: (string | Uint8Array)[]): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', await new Blob(parts as BlobPart[]).arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const nameOf = (part: string, facts: FileFacts, extension: string): string =>
  `${part}.${facts.sha256.slice(0, 16)}.${extension}`;

async function servedAs(name: string): Promise<string> {
  const { compressed } = JSON.parse(await readManifest()) as Manifest;
  const facts = compressed[name];
  if (facts === undefined) throw new DarmError('internal', `the site has no ${name}`);
  return servedName(name, facts);
}

const urlOf = (name: string): URL => new URL(name, MODULES);

const kept = async (name: string): Promise<Response | undefined> => (await store)?.match(urlOf(name));

/** Unpacked files that the browser's storage does not hold yet, by name. */
const unkept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

async function readPart(part: string, facts: FileFacts, extension: string): Promise<Uint8Array<ArrayBuffer>> {
  const own = factsOf(facts, extension);
  const name = nameOf(part, own, extension);
  const found = unkept.has(name) ? undefined : await kept(name);
  if (found !== undefined) {
    const bytes = new Uint8Array(await found.arrayBuffer());
    if (bytes.length === own.bytes) return bytes;
  }
  if (!unkept.has(name)) unpackPart(part, facts, extension);
  return unkept.get(name)!;
}

/** The files that one of the package becomes. */
function unpackPart(part: string, facts: FileFacts, extension: string): void {
  const files = downloadPart(part, facts, extension);
  for (const each of extensionsOf(facts, extension)) {
    const name = nameOf(part, factsOf(facts, each), each);
    const bytes = files.then((all) => all.find((file) => file.extension === each)!.bytes);
    unkept.set(name, bytes);
    // What failed is tried again.
    bytes.catch(() => unkept.delete(name));
  }
}

async function downloadPart(part: string, facts: FileFacts, extension: string): Promise<readonly UnpackedFile[]> {
  const packed = await download(await servedAs(packedName(part, extension)));
  // Some servers say of such files that they are encoded; the browser has then decoded them.
  const bytes = packed.length === (facts.division?.whole ?? facts).bytes ? packed : await unpack(packed);
  return unpackedFiles(bytes, facts, extension, sha256);
}

let keeping = Promise.resolve();

/**
 * Keeps what was unpacked. Not when it is unpacked: writing all of it takes the browser more than a second, in which
 * the first visitor would wait.
 */
export const keepUnpacked = (): Promise<void> => (keeping = keeping.then(keepAll));

async function keepAll(): Promise<void> {
  for (const [name, unpacked] of unkept) {
    const bytes = await unpacked.catch(() => null);
    if (bytes !== null && (await keep(name, bytes)) && name.endsWith('.wasm')) stored.push(urlOf(name));
    if (unkept.get(name) === unpacked) unkept.delete(name);
  }
}

/**
 * Whether the service worker answers this worker's requests. Only then has code a URL, by which Chromium keeps what it
 * optimised for the next visit (page/service-worker.ts).
 */
async function isServed(): Promise<boolean> {
  return (served ||= (await fetch(new URL(MANIFEST, MODULES))).headers.has(SERVED_HEADER));
}
let served = false;

/** The modules that have been compiled and are kept. */
const stored: URL[] = [];

/** Requests and compiles them: see rehearsal.ts. */
export async function stream(): Promise<void> {
  if (!(await isServed())) return;
  for (const url of stored) await WebAssembly.compileStreaming(fetch(url));
}

/**
 * What is kept is compiled while it arrives from the storage; whoever asks for the bytes reads them again. A first
 * visit compiles what it has unpacked.
 */
async function compile(part: string, facts: FileFacts): Promise<WebAssembly.Module> {
  const name = nameOf(part, facts, 'wasm');
  const found = unkept.has(name) ? undefined : await kept(name);
  if (found === undefined) return WebAssembly.compile(await readPart(part, facts, 'wasm'));
  stored.push(urlOf(name));
  return WebAssembly.compileStreaming((await isServed()) ? fetch(urlOf(name)) : found);
}

function openModule(part: string, facts: FileFacts): ModulePart {
  const module = compile(part, facts);
  // What fails is thrown where it is waited for.
  module.catch(() => {});
  return { use: async (consume) => consume(await readPart(part, facts, 'wasm')), compile: () => module };
}

/** Takes the place of what was kept for the same part. @returns whether there is room */
async function keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    const cache = await store;
    if (cache === null) return false;
    const [part] = name.split('.');
    const extension = name.slice(name.lastIndexOf('.'));
    for (const { url } of await cache.keys()) {
      // A site may hold several pages.
      if (!url.startsWith(MODULES.href)) continue;
      const other = url.slice(url.lastIndexOf('/') + 1);
      if (other !== name && other.startsWith(`${part}.`) && other.endsWith(extension)) await cache.delete(url);
    }
    await cache.put(urlOf(name), new Response(bytes, { headers: { 'content-type': 'application/wasm' } }));
    return true;
  } catch {
    // The next visit fetches it again.
    return false;
  }
}

let manifest: Promise<string> | null = null;

async function readManifest(): Promise<string> {
  // What follows checks hashes.
  if (!self.isSecureContext)
    throw new DarmError(
      'io',
      'browsers run this page only over https, or from this machine: its address begins with http',
    );
  manifest ??= download(MANIFEST).then((bytes) => new TextDecoder().decode(bytes));
  // What failed is tried again.
  manifest.catch(() => (manifest = null));
  return manifest;
}

export const platform: Platform = {
  readManifest,
  readPart,
  openModule,
  find: readPart,
  fill: () => {
    throw new DarmError('internal', 'a page has no files to read memory from');
  },
  findCold: (part, facts) => readPart(part, facts, COLD),
  readCold: (cold) => cold as Uint8Array<ArrayBuffer>,
  compileNow: (bytes) => new WebAssembly.Module(bytes),
  loaderUrl: (name) => new URL(name, MODULES).href,
  dropMemory: async () => {},
  nextTurn: () => new Promise((resolve) => setTimeout(resolve)),
  sha256,
  disk: null,
};
