/** The remote cache on a plain web server: nginx with WebDAV. Skipped where nginx is not installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RemoteCache } from '../../src/remote-cache/client.js';
import { NOTHING_REMOTE } from '../../src/remote-cache/setting.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('remote-cache/nginx', { tests: 1 });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const configuration = (folder: string, port: number): string => `
daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port}; root ${folder}/root;
    dav_methods PUT; create_full_put_path on; client_max_body_size 256m;
  }
}`;

test('what was put is found by others', () =>
  inFolder(async (folder) => {
    if (spawnSync('nginx', ['-v']).error !== undefined) return console.log('\nskipped: nginx is not installed');
    const port = await freePort();
    await mkdir(path.join(folder, 'root'));
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, configuration(folder, port));
    const nginx = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], { stdio: 'ignore' });
    const exit = once(nginx, 'exit');
    try {
      const url = `http://127.0.0.1:${port}/darm`;
      while (nginx.exitCode === null && !(await fetch(url).then(Boolean, () => false))) await sleep(20);
      const key = '5e'.repeat(32);
      const content = Buffer.alloc(3_000_000, 'darm');
      const writer = new RemoteCache({ url, mode: 'read-write', timeout: 10_000 });
      assert.is(await writer.get(key, (bytes) => bytes), null);
      writer.put(key, content);
      await writer.close();
      assert.equal(writer.report, { ...NOTHING_REMOTE, misses: 1, uploads: 1 });
      const reader = new RemoteCache({ url, timeout: 10_000 });
      assert.ok(content.equals((await reader.get(key, (bytes) => bytes))!));
      await reader.close();
    } finally {
      nginx.kill('SIGTERM');
      await exit;
    }
  }));

test.run();
