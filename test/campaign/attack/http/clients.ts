/** Clients that go away, read slowly or not at all, and ask for answers that are far larger than their requests. */
import { createHash } from 'node:crypto';
import { base64, LINES, tinyKernel } from '../../../support/service.js';
import type { Attack } from './attack.js';
import { chunksOf, head, open, pause } from './raw.js';
import type { ServiceProcess } from './service-process.js';

const MIB = 2 ** 20;

/** A kernel of some hundred bytes whose artifact has at least so many. */
export const largeModule = (bytes: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
@x = addrspace(1) global {i8, [${bytes} x i8]} {i8 1, [${bytes} x i8] zeroinitializer}
define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx906" {
  store i32 1, ptr addrspace(1) %p
  ret void
}
`);

export const compileRequest = (module: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(head('POST /v1/compile HTTP/1.1', `Content-Length: ${module.length}`, 'Connection: close')),
    module,
  ]);

const resident = (service: ServiceProcess): Promise<number> => service.metric('darm_resident_memory_bytes');

const post = (
  service: ServiceProcess,
  path: string,
  body: Uint8Array<ArrayBuffer> | string,
  init: RequestInit = {},
): Promise<Response> =>
  // prettier-ignore
  fetch(service.url + path, { method: 'POST', body, signal: AbortSignal.timeout(60_000), ...init });

const batchOf = (count: number, module: Uint8Array, options: object = {}): string =>
  Array.from({ length: count }, (_, i) => JSON.stringify({ name: `${i}`, module: base64(module), options })).join('\n');

/** The answer to a batch whose modules are small and whose artifacts are too large for one string of V8's. */
const hugeArtifacts: Attack = {
  name: 'a batch of 434 bytes with artifacts of 406 MB',
  run: async (service) => {
    const line = JSON.stringify({ name: 'big', module: base64(largeModule(203_000_000)), options: { mcpu: 'gfx906', emit: ['obj', 'hsaco'] } }); // prettier-ignore
    const answer = await post(service, '/v1/batch', line, LINES);
    let last = Buffer.alloc(0);
    for await (const chunk of chunksOf(answer)) last = Buffer.from(Buffer.concat([last, chunk]).subarray(-2000)); // prettier-ignore
    return last.includes('"done":true') ? null : 'the answer has no last line, and does not say why';
  },
};

const hugeDocument: Attack = {
  name: 'a document with an artifact of 203 MB',
  run: async (service) => {
    const answer = await post(service, '/v1/compile?emit=obj,hsaco', largeModule(203_000_000), { headers: { Accept: 'application/json' } }); // prettier-ignore
    let bytes = 0;
    for await (const chunk of chunksOf(answer)) bytes += chunk.length;
    return [200, 413, 422].includes(answer.status) && bytes > 0 ? null : `status ${answer.status}, ${bytes} bytes`;
  },
};

const MOST_FOR_READERS = 800 * MIB;

/**
 * Large answers that nobody reads. The service has made such answers before: what its instances of LLVM and V8's
 * compiler take for them is no memory of these clients.
 */
const deaf = (name: string, request: () => Buffer): Attack => ({
  name,
  run: async (service) => {
    for (let i = 0; i < 8; i++)
      await post(service, '/v1/compile', largeModule(20 * MIB)).then((answer) => answer.arrayBuffer());
    const before = await resident(service);
    const sockets = await Promise.all(Array.from({ length: 16 }, () => open(service.port)));
    for (const socket of sockets) socket.pause().write(request());
    let most = before;
    for (let i = 0; i < 12; i++) {
      await pause(500);
      most = Math.max(most, await resident(service));
    }
    sockets.forEach((socket) => socket.destroy());
    const grown = most - before;
    return grown > MOST_FOR_READERS ? `16 clients that do not read took ${Math.round(grown / MIB)} MiB` : null;
  },
});

const batchRequest = (body: string): Buffer =>
  Buffer.from(head('POST /v1/batch HTTP/1.1', 'Content-Type: application/x-ndjson', `Content-Length: ${Buffer.byteLength(body)}`) + body); // prettier-ignore

/** A client that reads, but slowly, gets all of it. */
const slowReader: Attack = {
  name: 'a large answer that is read slowly',
  run: async (service) => {
    const module = largeModule(6 * MIB);
    const expected = await post(service, '/v1/compile', module);
    const hash = createHash('sha256')
      .update(new Uint8Array(await expected.arrayBuffer()))
      .digest('hex');
    const answer = await post(service, '/v1/compile', module);
    const got = createHash('sha256');
    for await (const chunk of chunksOf(answer)) {
      got.update(chunk);
      await pause(20);
    }
    return got.digest('hex') === hash ? null : 'other bytes than for a client that is fast';
  },
};

/** Clients that leave after so many milliseconds, whatever the service is doing then. */
const leaving = (
  name: string,
  count: number,
  request: (i: number) => Buffer,
  leaveMs: (i: number) => number,
): Attack => ({
  // prettier-ignore
  name,
  run: async ({ port }) => {
    await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const socket = await open(port);
        socket.resume().write(request(i));
        await pause(leaveMs(i));
        if (i % 2) socket.resetAndDestroy();
        else socket.destroy();
      }),
    );
    return null;
  },
});

const flood = (count: number): Attack => ({
  name: `${count} requests at once`,
  run: async (service) => {
    const module = tinyKernel(3);
    const statuses = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        post(service, `/v1/compile?mcpu=gfx906`, i % 3 ? module : new Uint8Array(3)).then(
          async (answer) => {
            await answer.arrayBuffer();
            return answer.status;
          },
          () => 0,
        ),
      ),
    );
    const odd = statuses.filter((status) => ![200, 422, 429, 503].includes(status));
    if (odd.length > 0) return `${odd.length} requests got ${[...new Set(odd)].join(', ')}`;
    return statuses.some((status) => status === 200) ? null : 'nobody got an answer';
  },
});

const halfClosed: Attack = {
  name: 'a client that ends its half',
  run: async ({ port }) => {
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.end(compileRequest(tinyKernel(4)));
    for (let i = 0; i < 100 && !socket.destroyed; i++) await pause(100);
    socket.destroy();
    return text === '' || text.startsWith('HTTP/1.1 200') ? null : text.slice(0, 100);
  },
};

const endless = new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i70000 %a) "target-cpu"="gfx906" {
  %c = sdiv i70000 %a, %a
  store i70000 %c, ptr addrspace(1) %p
  ret void
}
`);

export const CLIENTS: readonly Attack[] = [
  leaving('50 clients that leave in the head', 50, () => compileRequest(tinyKernel(1)).subarray(0, 30), (i) => i * 5),
  leaving('50 clients that leave in the body', 50, () => compileRequest(tinyKernel(1)).subarray(0, 150), (i) => i * 5),
  leaving('50 clients that leave during the job', 50, () => compileRequest(tinyKernel(1)), (i) => i * 3),
  leaving('10 clients that leave endless jobs', 10, () => compileRequest(endless), (i) => 200 + i * 50),
  leaving('10 clients that leave batches', 10, () => batchRequest(batchOf(50, tinyKernel(2))), (i) => 100 + i * 50),
  halfClosed,
  flood(300),
]; // prettier-ignore

/** For a service with the default limits, which allow large answers. */
export const LARGE_ANSWERS: readonly Attack[] = [
  slowReader,
  leaving('10 clients that leave large answers', 10, () => compileRequest(largeModule(8 * MIB)), (i) => 300 + i * 100),
  deaf('16 clients that do not read artifacts of 20 MB', () => compileRequest(largeModule(20 * MIB))),
  deaf('16 clients that do not read batches', () => batchRequest(batchOf(20, largeModule(4 * MIB), { emit: ['hsaco', 'obj'] }))), // prettier-ignore
  hugeArtifacts,
  hugeDocument,
]; // prettier-ignore
