/**
 * What was computed before, in the browser's storage for this site: answers to the page's questions, and what clang
 * made of source. Each is found by the SHA-256 of all that was asked. The store's name holds the build of the compiler,
 * so results of another build are not found; the first that this build keeps makes them go. Results are packed with
 * gzip, whose check sum tells damage. Where the storage is forbidden or full, or a result is damaged, there is none.
 */
import { decode, encode } from '@msgpack/msgpack';
import type { Explored, ExploreQuestion } from '../src/explorer/protocol.js';
import { sha256 } from './platform.js';

/** SHA-256 of the compiler's scripts and modules: page/build.ts. Empty on a page whose compiler is elsewhere. */
declare const COMPILER_BUILD: string;

/** The kinds of questions that a visit asks by itself. */
export type KeptKind = 'compile' | 'listing';

export const isKeptKind = (kind: ExploreQuestion['kind']): kind is KeptKind => kind === 'compile' || kind === 'listing';

/** Of the first compilation of a visit, on a slow machine. */
const QUICK_MS = 10_000;

/** Whether it may be compiled again without having been asked for: the reader's next question has to wait for it. */
export const isQuick = ({ time }: Explored): boolean => time.translate + time.compile < QUICK_MS;

/** Results; the oldest make room. */
const MOST_RESULTS = 100;
/** Of a result, packed. The results of examples have up to 100 KB. */
const MOST_BYTES = 512 * 1024;

/** A site may hold several pages. */
const PREFIX = `darm-results ${new URL('.', self.location.href).pathname} `;
const NAME = PREFIX + COMPILER_BUILD;

let opened: Promise<Cache | null> | null = null;

const store = (): Promise<Cache | null> => (opened ??= open());

async function open(): Promise<Cache | null> {
  if (typeof caches === 'undefined' || COMPILER_BUILD === '') return null;
  return caches.open(NAME).catch(() => null);
}

async function addressOf(asked: unknown): Promise<URL> {
  const hash = await sha256(encode(asked, { sortKeys: true, ignoreUndefined: true }));
  return new URL(`results/${hash}`, self.location.href);
}

const through = (bytes: ReadableStream, change: GenericTransformStream): Promise<ArrayBuffer> =>
  new Response(bytes.pipeThrough(change)).arrayBuffer();

/** @param asked plain data and bytes; the order of an object's fields does not matter */
export async function findResult<T>(asked: unknown): Promise<T | null> {
  try {
    const found = await (await store())?.match(await addressOf(asked));
    if (!found?.body) return null;
    return decode(await through(found.body, new DecompressionStream('gzip'))) as T;
  } catch {
    return null;
  }
}

/** Keeps what a later `findResult` with the same question shall find. It may not succeed, and says nothing then. */
export async function keepResult(asked: unknown, result: unknown): Promise<void> {
  try {
    const cache = await store();
    if (cache === null) return;
    const bytes = new Blob([encode(result, { ignoreUndefined: true }) as BlobPart]).stream();
    const packed = await through(bytes, new CompressionStream('gzip'));
    if (packed.byteLength > MOST_BYTES) return;
    await cache.put(await addressOf(asked), new Response(packed));
    const all = await cache.keys();
    await Promise.all(all.slice(0, -MOST_RESULTS).map((each) => cache.delete(each)));
    await dropOtherBuilds();
  } catch {
    // There is no room: it will be computed again.
  }
}

async function dropOtherBuilds(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(others.map((name) => caches.delete(name)));
}
