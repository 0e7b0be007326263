/** Workers and clients of a fleet, for tests. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Compiler } from '../../src/compiler/api.js';
import { createCompilerWith } from '../../src/compiler/compiler.js';
import { toolchainDigest } from '../../src/compiler/toolchain.js';
import { parseQueueAddress } from '../../src/fleet/address.js';
import { Carrier } from '../../src/fleet/carrier.js';
import { FleetClient } from '../../src/fleet/client.js';
import { QueueConnection } from '../../src/fleet/connection.js';

export interface TestWorker extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly log: Record<string, unknown>[];
  logged(message: string): Promise<Record<string, unknown>>;
}

const WORKER = fileURLToPath(new URL('./fleet-worker.js', import.meta.url));

export async function startWorker(
  url: string,
  { threads = 1, lockMs = 15_000, remoteCache = [] as readonly string[] } = {},
): Promise<TestWorker> {
  const child = spawn(process.execPath, [WORKER, url, String(threads), String(lockMs), ...remoteCache], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const log: Record<string, unknown>[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line) as Record<string, unknown>);
  });
  const logged = async (message: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = log.find(({ msg }) => msg === message);
      if (found !== undefined) return found;
      await once(lines, 'line');
    }
  };
  await logged('working');
  return {
    child,
    log,
    logged,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

export const connectionTo = async (url: string, toolchain?: string): Promise<QueueConnection> =>
  QueueConnection.load({
    address: parseQueueAddress(url, undefined),
    name: 'test',
    toolchain: toolchain ?? (await toolchainDigest()),
  });

export interface TestFleet extends AsyncDisposable {
  readonly client: FleetClient;
  readonly compiler: Compiler;
  /** What was said to the user. */
  readonly said: string[];
}

export async function openFleet(url: string, carrier = new Carrier(null)): Promise<TestFleet> {
  const said: string[] = [];
  const client = await FleetClient.open({
    connection: await connectionTo(url),
    carrier,
    say: (what) => said.push(what),
    lookMs: 500,
  });
  const compiler = createCompilerWith(client, { threads: 0, tierPolicy: 'short' });
  return {
    client,
    compiler,
    said,
    async [Symbol.asyncDispose]() {
      await client.close();
      await compiler.close();
    },
  };
}
