/** A plain server of files, as the explorer's static page is made for: it compresses nothing and knows nothing. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { testServer, type TestServer } from './http-server.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/** Of a page that has a compiler. @throws without one: the page would wait for it */
export async function siteServer(folder: string): Promise<TestServer> {
  if (!existsSync(path.join(folder, 'worker.js')))
    throw new Error(`the page in ${folder} has no compiler: 'npm run build:page' makes one that has`);
  return folderServer(folder);
}

export const folderServer = (folder: string): Promise<TestServer> =>
  testServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    readFile(path.join(folder, path.posix.normalize(name))).then(
      (content) => {
        const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'content-length': content.length }).end(content);
      },
      // Browsers ask for that icon where no page names one.
      () => response.writeHead(name === '/favicon.ico' ? 204 : 404).end(),
    );
  });
