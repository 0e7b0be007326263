/** `darm serve` as a process, for tests, the soak test and the benchmark, which need a socket. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN } from './command.js';

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly exit: Promise<unknown>;
  readonly log: Record<string, unknown>[];
  /** Resolves when a line of the log, earlier ones included, meets a condition. */
  logged(is: (line: Record<string, unknown>) => boolean): Promise<void>;
}

/** Starts `darm serve` on a free port. A signal ends it. Its log must say when it listens (level `info`). */
export const startServer = (...args: readonly string[]): Promise<Running> => start([process.execPath], args);

/** Like `startServer`; this JavaScript runs before. */
export const startServerBehind = (script: string, ...args: readonly string[]): Promise<Running> =>
  start([process.execPath, '--import', `data:text/javascript,${encodeURIComponent(script)}`], args);

/** Like `startServer`; the process may open this many files at the same time. */
export const startServerWithFiles = (files: number, ...args: readonly string[]): Promise<Running> =>
  start(['sh', '-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath], args);

async function start([program, ...before]: readonly string[], args: readonly string[]): Promise<Running> {
  const cache = args.includes('--cache') ? [] : ['--no-cache'];
  const child = spawn(program!, [...before, MAIN, 'serve', '--port', '0', ...cache, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as unknown);
  const log: Record<string, unknown>[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => log.push(JSON.parse(line) as Record<string, unknown>));
  const logged = async (is: (line: Record<string, unknown>) => boolean): Promise<void> => {
    while (!log.some(is)) await once(lines, 'line');
  };
  const gone = exit.then((code) => {
    throw new Error(`darm serve ended with ${String(code)}`);
  });
  await Promise.race([logged(({ msg }) => msg === 'listening'), gone]);
  gone.catch(() => {});
  return { child, url: log[0]!['url'] as string, exit, log, logged };
}

/** The value of a metric; 0 when it does not exist. */
export async function figureAt(url: string, name: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? 0);
}

/** The answer to a module, of which nothing is read yet. */
export async function unread(url: string, module: Uint8Array, accept = '*/*'): Promise<IncomingMessage> {
  const sent = request(url, { method: 'POST', agent: false, headers: { Accept: accept } });
  sent.end(module);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}

/** Reads an answer, resting after every piece: how many bytes came, and whether it was complete. */
export async function readSlowly(
  answer: IncomingMessage,
  restMs: number,
): Promise<{ readonly bytes: number; readonly complete: boolean }> {
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      await sleep(restMs);
    }
  } catch {
    // It broke off.
  }
  return { bytes, complete: answer.complete };
}
