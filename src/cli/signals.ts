/** The signals that ask the command to end. */
import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * For servers: waits for the first signal. A second one ends the process at once. It is called before a server says
 * that it is there, because who reads that may send a signal at once.
 */
export function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS)
      process.once(signal, () => {
        for (const each of SIGNALS) process.removeAllListeners(each);
        resolve(signal);
      });
  });
}

/** For work that has an end: aborted by the first signal. */
export function stoppedBySignal(): AbortController {
  const stop = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => stop.abort(signal));
  return stop;
}

/** As shells have it, of a process that a signal ended. */
export const exitCodeOf = ({ reason }: AbortSignal): number => 128 + constants.signals[reason as NodeJS.Signals];
