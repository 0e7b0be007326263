/** What the worker thread behind an open module does: it answers the questions of session.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { NO_EVENTS } from '../job/events.js';
import { expose, nodeEndpoint } from './comlink.js';
import { LlvmHost } from './llvm-host.js';
import type { SessionService, SessionSetup } from './session.js';

export function serveSession(): void {
  const setup = workerData as SessionSetup;
  const host = new LlvmHost(setup);
  const service: SessionService = {
    info: () => host.run({ kind: 'info', bytes: setup.bytes }, NO_EVENTS),
    analyze: (options) => host.run({ kind: 'analyze', bytes: setup.bytes, options }, NO_EVENTS),
  };
  expose(service, nodeEndpoint(parentPort!));
}
