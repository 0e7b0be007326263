/**
 * A worker of the fleet as a process, like `darm worker`, for tests: it loses its jobs sooner, and modules with a mark
 * end the process that compiles them, as if the system had ended it for its memory.
 * usage: node fleet-worker.js URL THREADS LOCK_MS [REMOTE_CACHE]
 */
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { createCompiler } from '../../src/compiler/compiler.js';
import { toolchainDigest } from '../../src/compiler/toolchain.js';
import { parseQueueAddress } from '../../src/fleet/address.js';
import { jobsApart } from '../../src/fleet/apart.js';
import { Carrier } from '../../src/fleet/carrier.js';
import { QueueConnection } from '../../src/fleet/connection.js';
import { FleetWorker } from '../../src/fleet/worker.js';
import { BlobStore } from '../../src/remote-cache/blob-store.js';
import { endIfMarked } from './fleet-mark.js';

const [url = '', threads = '1', lockMs = '15000', remoteCache] = process.argv.slice(2);
const MEMORY = 2 ** 28;
const APART = new URL('./fleet-apart.js', import.meta.url);

const toolchain = await toolchainDigest();
const connection = await QueueConnection.load({ address: parseQueueAddress(url, undefined), name: 'test', toolchain });
const store = remoteCache === undefined ? null : new BlobStore({ url: remoteCache, mode: 'read-write' });
const carrier = new Carrier(store);
const compiler = createCompiler({ threads: Number(threads), memoryLimit: MEMORY, tierPolicy: 'short' });
const say = (fields: object, message: string): void => console.error(JSON.stringify({ ...fields, msg: message }));
const apart = jobsApart({ timeout: 0, memoryLimit: MEMORY }, fileURLToPath(APART));
const limit = pLimit(Number(threads));
const worker = new FleetWorker({
  connection,
  carrier,
  compiler: {
    // What waits for a thread is not compiled yet, and does not count when the worker is killed.
    compile: (module, options, call) =>
      limit(async () => {
        say({}, 'compiles');
        endIfMarked(module as Uint8Array);
        const started = performance.now();
        const compiled = await compiler.compile(module, options, call);
        say({ ms: performance.now() - started }, 'compiled');
        return compiled;
      }),
    cacheCounts: null,
    simulate: (...question) => {
      say({}, 'simulates');
      return compiler.simulate(...question);
    },
  },
  apart: {
    compile: (module, options, timeout) => {
      say({}, 'compiles');
      return apart.compile(module, options, timeout);
    },
    check: apart.check,
  },
  concurrency: Number(threads) + 1,
  lockMs: Number(lockMs),
  log: { info: say, error: say },
});
say({}, 'working');
process.once('SIGTERM', () => {
  void worker
    .close()
    .then(() => compiler.close())
    .then(() => carrier.close())
    .then(() => {
      say({ ...worker.counts }, 'stopped');
      process.exit();
    });
});
