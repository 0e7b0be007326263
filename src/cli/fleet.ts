/** `--queue` of the commands that hand jobs to a fleet. */
import type { FleetClient } from '../fleet/client.js';
import type { RemoteCacheFlags } from './cache-arguments.js';
import { warn } from './messages.js';
import type { QueueFlags } from './queue-arguments.js';

export interface FleetFlags extends QueueFlags, RemoteCacheFlags {
  readonly queue?: string;
  /** Most jobs that are handed out at the same time. */
  readonly queueWindow: number;
}

/** The fleet that is to work, if the flags name one. Only then is anything of it loaded. */
export async function openFleet(flags: FleetFlags, quiet = false): Promise<FleetClient | null> {
  if (flags.queue === undefined) return null;
  const [{ queueOf }, { FleetClient }] = await Promise.all([import('./queue.js'), import('../fleet/client.js')]);
  const { connection, carrier } = await queueOf(flags.queue, flags);
  const say = (what: string): void => {
    if (!quiet) warn(what);
  };
  return FleetClient.open({ connection, carrier, say });
}

export function warnOfFleet(fleet: FleetClient | null): void {
  if (fleet === null || fleet.report.here === 0) return;
  const { here, complaint } = fleet.report;
  warn(`${here} ${here === 1 ? 'job was' : 'jobs were'} done here, and not by the fleet: ${complaint}`);
}
