/**
 * Keeps the page's own files, so that it opens without a network. The modules are kept by page/platform.ts, once they
 * were needed. The build fills in the version and the list of files.
 */
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
  const cache = await caches.open(VERSION);
  return (await cache.match(request, { ignoreSearch: true })) ?? (await (await caches.open('darm-modules')).match(request)) ?? fetch(request);
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
