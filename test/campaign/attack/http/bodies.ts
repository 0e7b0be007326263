/** Bodies that are coded, cut off, slow, too large, or forms and lines of too many parts. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { base64, tinyKernel } from '../../../support/service.js';
import { fetchAttack, rawAttack, type Attack, type FetchAttack } from './attack.js';
import { exchange, head, open, pause } from './raw.js';

const MIB = 2 ** 20;
const MODULE = tinyKernel(1);
const POST = 'POST /v1/compile HTTP/1.1';
const LINES = { 'Content-Type': 'application/x-ndjson' };
const BOUNDARY = 'x';
const FORM = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

const coded = (['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x'] as const).map((coding) =>
  fetchAttack(`a body in ${coding}`, [415], () => ({
    path: '/v1/compile',
    body: new Uint8Array(coding === 'deflate' ? deflateRawSync(MODULE) : gzipSync(Buffer.alloc(64 * MIB))),
    headers: { 'Content-Encoding': coding },
  })),
);

const part = (name: string, value: string, file = true): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file ? `; filename="${name}"` : ''}\r\n\r\n${value}\r\n`;

const formText = (body: string, headers: Readonly<Record<string, string>> = FORM, path = '/v1/batch'): FetchAttack => ({
  path,
  body: new Uint8Array(Buffer.from(body, 'latin1')),
  headers,
});

const END = `--${BOUNDARY}--\r\n`;

const forms: readonly Attack[] = [
  fetchAttack('a form of 100,000 files', [400, 413], () => formText(part('', '').repeat(50_000) + END)),
  fetchAttack('a form of 30,000 fields', [400, 413], () => formText(part('a', '', false).repeat(30_000) + END)),
  fetchAttack('a form of files for one module', [400, 413], () => formText(part('module', '').repeat(1000) + END, FORM, '/v1/compile')),
  fetchAttack('a form of 20,000 options', [400, 413], () => formText(part('options', '{}').repeat(20_000) + END)),
  fetchAttack('a form without a boundary', [400], () => formText(part('m', 'x') + END, { 'Content-Type': 'multipart/form-data' })),
  fetchAttack('a boundary of 10 KB', [400], () => formText('--x\r\n', { 'Content-Type': `multipart/form-data; boundary=${'b'.repeat(10_000)}` })),
  fetchAttack('an empty boundary', [400], () => formText('--\r\n--\r\n', { 'Content-Type': 'multipart/form-data; boundary=""' })),
  fetchAttack('a boundary of regular expressions', [400, 413], () => formText('--(a+)+$\r\n', { 'Content-Type': 'multipart/form-data; boundary="(a+)+$"' })),
  fetchAttack('a form that does not end', [400], () => formText(part('m', 'x'))),
  fetchAttack('a form of dashes', [400], () => formText('-'.repeat(3 * MIB))),
  fetchAttack('a form of boundaries', [400, 413], () => formText(`--${BOUNDARY}\r\n`.repeat(500_000))),
  fetchAttack('a form with a preamble of 3 MB', [400], () => formText('a'.repeat(3 * MIB) + part('m', 'x') + END)),
  fetchAttack('a part with headers of 2 MB', [200, 400, 413], () => ({ ...formText(`--${BOUNDARY}\r\nX: ${'a'.repeat(2 * MIB)}\r\n` + part('m', 'x').slice(BOUNDARY.length + 4) + END), most: MIB })),
  fetchAttack('a file name of 1 MB', [200, 400, 413], () => ({ ...formText(part('n'.repeat(MIB), 'x') + END), most: 3 * MIB })),
  fetchAttack('file names of a terminal and of others', [200, 400], () => formText(part('\x1b]0;x\x07', 'x') + part('../../../tmp/x', 'x') + part('__proto__', 'x') + END)),
  fetchAttack('a form inside of a form', [200, 400], () => formText(part('m', part('n', 'x') + END) + END)),
]; // prettier-ignore

const good = `{"module":"${base64(MODULE)}"}`;
const lines = (body: () => string, most = 64 * 1024): FetchAttack => ({ path: '/v1/batch', body: body(), headers: LINES, most }); // prettier-ignore

const batches: readonly Attack[] = [
  fetchAttack('a batch of 4 million empty lines', [400, 413], () => lines(() => '\n'.repeat(4_000_000))),
  fetchAttack('a batch of spaces', [400, 413], () => lines(() => ' '.repeat(4_000_000))),
  fetchAttack('a batch of too many modules', [413], () => lines(() => '{}\n'.repeat(1001))),
  fetchAttack('a batch of 1,000 wrong lines', [200], () => lines(() => '{}\n'.repeat(1000), MIB)),
  fetchAttack('a batch of 1,000 unknown members of 3 KB', [200], () => lines(() => `{"${'m'.repeat(3000)}":1}\n`.repeat(1000), 4 * MIB)), // prettier-ignore
  fetchAttack('a line of 3 MB that is not base64', [200], () => lines(() => `{"module":"${'-'.repeat(3 * MIB)}"}`)),
  fetchAttack('a line that is not UTF-8', [200], () => ({ ...lines(() => ''), body: new Uint8Array([0xff, 0xfe, 0, 0x7b, 10]) })), // prettier-ignore
  fetchAttack('a line of zero bytes', [200], () => lines(() => '\0'.repeat(1000))),
  fetchAttack('a line that is a number', [200], () => lines(() => '7\n"a"\nnull\n[]\ntrue\n')),
  fetchAttack('an empty batch', [400], () => lines(() => '')),
  fetchAttack('a batch without a type', [415], () => ({ path: '/v1/batch', body: new Uint8Array(Buffer.from(good)) })),
];

/** Sends a body bit by bit; the service must end it by itself. */
const slowly = (name: string, count: number): Attack => ({
  name,
  run: async ({ port, url }) => {
    const text = (i: number): string => head(i % 2 ? POST : 'POST /v1/batch HTTP/1.1', 'Content-Length: 1000000', 'Content-Type: application/x-ndjson'); // prettier-ignore
    const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
    sockets.forEach((socket, i) => socket.resume().write(text(i)));
    await pause(500);
    // Slow clients must not take the places of those that are not.
    const answer = await fetch(`${url}/v1/compile`, { method: 'POST', body: MODULE, signal: AbortSignal.timeout(20_000) }); // prettier-ignore
    const deadline = performance.now() + 25_000;
    while (sockets.some(({ destroyed }) => !destroyed) && performance.now() < deadline) {
      for (const socket of sockets) if (!socket.destroyed) socket.write('x');
      await pause(250);
    }
    const left = sockets.filter(({ destroyed }) => !destroyed).length;
    sockets.forEach((socket) => socket.destroy());
    if (answer.status !== 200) return `another client got ${answer.status} meanwhile`;
    return left > 0 ? `${left} of ${count} slow bodies are still being read` : null;
  },
});

const sized: readonly Attack[] = [
  rawAttack(
    'a body shorter than its length',
    [head(POST, 'Content-Length: 100000', 'Connection: close'), 'x'],
    [0, 408],
  ),
  rawAttack('a length beyond the limit', head(POST, 'Content-Length: 5000000'), [413]),
  rawAttack('a length of 2^53', head(POST, 'Content-Length: 9007199254740993'), [413, 400]),
  rawAttack('an empty body', head(POST, 'Content-Length: 0'), [422]),
  rawAttack('no body and no length', head(POST), [411, 422]),
  {
    name: 'chunks beyond the limit',
    run: async ({ port }) => {
      const chunk = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`;
      const { statuses } = await exchange(port, [head(POST, 'Transfer-Encoding: chunked'), ...Array.from({ length: 8 }, () => chunk)]); // prettier-ignore
      return statuses.length === 0 || statuses[0] === 413 ? null : `status ${statuses.join(', ')}`;
    },
  },
  rawAttack('a million chunks of one byte', [head(POST, 'Transfer-Encoding: chunked'), '1\r\nx\r\n'.repeat(1_000_000), '0\r\n\r\n'], [422, 408]), // prettier-ignore
];

export const BODIES: readonly Attack[] = [
  ...coded,
  ...forms,
  ...batches,
  ...sized,
  slowly('slow bodies, as many as tickets', 20),
  slowly('100 slow bodies', 100),
];
