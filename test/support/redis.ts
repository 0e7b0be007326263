/** A Redis of a test's own: on a free port of loopback, in a temporary folder, ended by the test. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Says so on a line that the runner of the tests shows. */
export function hasRedis(): boolean {
  if (spawnSync('redis-server', ['--version']).error === undefined) return true;
  console.log('\nskipped: redis-server is not installed');
  return false;
}

export class TestRedis implements AsyncDisposable {
  #child: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly more: readonly string[],
  ) {}

  static async start(folder: string, ...more: readonly string[]): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), folder, more);
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Nothing is kept on the disk: whoever starts again has forgotten everything. */
  async start(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', ''];
    const child = spawn('redis-server', [...place, ...this.more], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    let text = '';
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      text += piece.toString();
      if (text.includes('Ready to accept connections')) break;
    }
    if (!text.includes('Ready to accept')) throw new Error(`redis-server did not start: ${text}`);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** From now on it takes what comes, and does not answer. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** A connection of one's own, for what a test does to the server. */
  async command(...words: readonly string[]): Promise<unknown> {
    const client = new Redis(this.port, '127.0.0.1', { lazyConnect: true });
    try {
      return await client.call(words[0]!, ...words.slice(1));
    } finally {
      client.disconnect();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
