/** Entry point of the pool's worker threads: message handling and nothing else. The work is in src/jobs.ts. */
import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { nodeEndpoint, wrap } from '../src/workers/comlink.js';
import { buffersOf, LlvmHost, type WorkerSetup } from '../src/workers/llvm-host.js';
import { NO_EVENTS } from '../src/workers/executor.js';
import type { TaskListener, TaskMessage } from '../src/workers/pool.js';

const host = new LlvmHost(workerData as WorkerSetup);

export default async function handle({ task, port, verbose }: TaskMessage): Promise<unknown> {
  const listener = wrap<TaskListener>(nodeEndpoint(port));
  // What goes wrong here goes wrong again below, where it is reported.
  if (task.kind !== 'simulate') await host.prepare().catch(() => null);
  // A call is posted at once, also while this thread is busy; waiting for the answers keeps them in front of the result.
  const calls: Promise<void>[] = [listener.started()];
  const events = verbose
    ? {
        progress: (phase: string, name?: string) => void calls.push(listener.progress(phase, name)),
        diagnostic: (line: string) => void calls.push(listener.diagnostic(line)),
      }
    : NO_EVENTS;
  const outcome = await host.run(task, events);
  await Promise.all(calls);
  return move({ [transferableSymbol]: buffersOf(outcome), [valueSymbol]: outcome });
}
