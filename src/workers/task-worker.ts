/**
 * What a worker thread of the pool does with a message: it carries out the task and tells the main thread about it
 * meanwhile.
 */
import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { NO_EVENTS, type Phase } from '../job/events.js';
import { nodeEndpoint, wrap } from './comlink.js';
import { buffersOf, LlvmHost } from './llvm-host.js';
import type { TaskListener, TaskMessage } from './pool.js';
import type { WorkerSetup } from './tasks.js';

const host = new LlvmHost(workerData as WorkerSetup);

/** @returns an `Outcome`, whose buffers are moved to the main thread */
export async function handleTask({ task, port, verbose }: TaskMessage): Promise<unknown> {
  const listener = wrap<TaskListener>(nodeEndpoint(port));
  // The instance is made before the time limit starts to count. What goes wrong here goes wrong again below, where it
  // is reported.
  if (task.kind !== 'simulate' && task.kind !== 'translate') await host.prepare().catch(() => null);
  // A call is posted at once, also while this thread is busy. Waiting for the answers keeps the calls in front of the
  // result.
  const calls: Promise<void>[] = [listener.started()];
  const events = verbose
    ? {
        progress: (phase: Phase, name?: string) => void calls.push(listener.progress(phase, name)),
        diagnostic: (line: string) => void calls.push(listener.diagnostic(line)),
      }
    : NO_EVENTS;
  const outcome = await host.run(task, events);
  await Promise.all(calls);
  return move({ [transferableSymbol]: buffersOf(outcome), [valueSymbol]: outcome });
}
