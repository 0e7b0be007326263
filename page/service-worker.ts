/**
 * Keeps the page's own files, so that it opens without a network. The modules are kept by page/platform.ts, once they
 * were needed; they are answered from there, because Chromium keeps optimised code of modules that have a URL. The
 * build fills in the version and the list of files.
 */
import { MODULE_STORE, SERVED_HEADER } from './store.js';

const VERSION = 'darm-page-__VERSION__';
const FILES = '__FILES__' as unknown as readonly string[];
const PREFIX = 'darm-page-';

/** What TypeScript's library for pages does not know. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
const worker = self as unknown as {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
};

async function install(): Promise<void> {
  const cache = await caches.open(VERSION);
  await cache.addAll(['./', ...FILES].map((file) => new Request(file, { cache: 'no-cache' })));
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== VERSION);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Files of one version belong together: what is kept comes first, whatever there is by now. */
async function answer(request: Request): Promise<Response> {
  const from = (cacheName: string): Promise<Response | undefined> =>
    caches.match(request, { cacheName, ignoreSearch: true });
  const response = (await from(VERSION)) ?? (await from(MODULE_STORE)) ?? (await fetch(request));
  return request.url.endsWith('.json') ? marked(response) : response;
}

function marked(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set(SERVED_HEADER, 'yes');
  return new Response(response.body, { status: response.status, headers });
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
