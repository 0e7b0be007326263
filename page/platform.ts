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

/** Told how much of a file has arrived, in bytes. */
export type LoadListener = (name: string, loaded: number, total: number) => void;

let listener: LoadListener = () => {};
export const onLoad = (listen: LoadListener): void => void (listener = listen);

const MODULES = new URL('wasm/', self.location.href);
/** Of the browser's storage. Files in it have their content's hash in their names. */
const STORE = 'darm-modules';

let brotli: Promise<unknown> | null = null;

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  brotli ??= initBrotli({ module_or_path: new URL('brotli.wasm', self.location.href) });
  await brotli;
  return decompress(bytes) as Uint8Array<ArrayBuffer>;
}

/** The storage may be forbidden, or full: then everything is fetched each time. */
const store: Promise<Cache | null> =
  typeof caches === 'undefined' ? Promise.resolve(null) : caches.open(STORE).catch(() => null);

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

async function sha256(...parts: (string | Uint8Array)[]): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', await new Blob(parts as BlobPart[]).arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const nameOf = (part: string, facts: FileFacts, extension: string): string =>
  `${part}.${facts.sha256.slice(0, 16)}.${extension}`;

const kept = async (name: string): Promise<Response | undefined> => (await store)?.match(new URL(name, MODULES));

async function readPart(part: string, facts: FileFacts, extension: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = nameOf(part, facts, extension);
  const found = await kept(name);
  if (found !== undefined) {
    const bytes = new Uint8Array(await found.arrayBuffer());
    if (bytes.length === facts.bytes) return bytes;
  }
  const packed = await download(`${name}.br`);
  // Some servers say of such files that they are encoded; the browser has then decoded them.
  const bytes = packed.length === facts.bytes ? packed : await unpack(packed);
  if ((await sha256(bytes)) !== facts.sha256)
    throw new DarmError('internal', `${name} is damaged: its hash is not the one in manifest.json`);
  await keep(name, bytes);
  return bytes;
}

function openModule(part: string, facts: FileFacts): ModulePart {
  const name = nameOf(part, facts, 'wasm');
  const bytes = (): Promise<Uint8Array<ArrayBuffer>> => readPart(part, facts, 'wasm');
  return {
    bytes,
    async compile() {
      if ((await kept(name)) === undefined) await bytes();
      const t = performance.now();
      const m = await WebAssembly.compileStreaming(fetch(new URL(name, MODULES)).then((r) => (r.ok ? r : kept(name) as never)));
      console.log(`${name} compiled in ${performance.now() - t}`);
      return m;
    },
  };
}

/** Takes the place of what was kept for the same part. */
async function keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const cache = await store;
    if (cache === null) return;
    const [part] = name.split('.');
    const extension = name.slice(name.lastIndexOf('.'));
    for (const { url } of await cache.keys()) {
      const other = url.slice(url.lastIndexOf('/') + 1);
      if (other !== name && other.startsWith(`${part}.`) && other.endsWith(extension)) await cache.delete(url);
    }
    await cache.put(new URL(name, MODULES), new Response(bytes, { headers: { 'content-type': 'application/wasm' } }));
  } catch {
    // No room: the next visit fetches it again.
  }
}

export const platform: Platform = {
  readManifest: async () => new TextDecoder().decode(await download('manifest.json')),
  readPart,
  openModule,
  findMemory: readPart,
  fill: () => {
    throw new DarmError('internal', 'a page has no files to read memory from');
  },
  loaderUrl: (name) => new URL(name, MODULES).href,
  nextTurn: () => new Promise((resolve) => setTimeout(resolve)),
  sha256,
  disk: null,
};
