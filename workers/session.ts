/** Entry point of an open-module session's worker: message handling and nothing else. The work is in src/jobs.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { expose, nodeEndpoint } from '../src/workers/comlink.js';
import { LlvmHost } from '../src/workers/llvm-host.js';
import { NO_EVENTS } from '../src/workers/executor.js';
import type { SessionService, SessionSetup } from '../src/workers/session.js';

const setup = workerData as SessionSetup;
const host = new LlvmHost(setup);

const service: SessionService = {
  info: () => host.run({ kind: 'info', bytes: setup.bytes }, NO_EVENTS),
  analyze: (options) => host.run({ kind: 'analyze', bytes: setup.bytes, options }, NO_EVENTS),
};

expose(service, nodeEndpoint(parentPort!));
