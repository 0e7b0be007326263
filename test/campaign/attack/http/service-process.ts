/** `darm serve` as a process under attack: its log is kept as it comes, also what is not JSON. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { MAIN } from '../../../support/command.js';

const START_MS = 60_000;
/** A longer line of the log lets an attacker fill the disk. */
const LONGEST_LINE = 8192;

export interface StartOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Shell words in front of the command, for instance `ulimit -n 64;`. */
  readonly shell?: string;
  /** The cache where it is by default, instead of none. */
  readonly defaultCache?: boolean;
  /**
   * Where the log goes: it is read (the default), goes to a file, or to a pipe that nobody reads or that is closed
   * after the start.
   */
  readonly log?: 'read' | 'unread' | 'closed' | `/${string}`;
}

export class ServiceProcess {
  #text = '';
  #looked = 0;

  private constructor(
    readonly child: ChildProcess,
    /** The exit code or the signal. */
    readonly exit: Promise<number | string>,
    public url: string,
  ) {}

  static async start({
    flags = [],
    env = {},
    shell = '',
    defaultCache = false,
    log = 'read',
  }: StartOptions = {}): Promise<ServiceProcess> {
    const toFile = log.startsWith('/');
    // Nobody reads the port from a log that is a file.
    const port = toFile ? String(20_000 + (process.pid % 20_000)) : '0';
    const command = [process.execPath, MAIN, 'serve', '--port', port, ...(defaultCache || flags.includes('--cache') ? [] : ['--no-cache']), ...flags]; // prettier-ignore
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const child = spawn('/bin/bash', ['-c', `${shell} exec ${quoted}${toFile ? ` 2>${log}` : ''}`], {
      stdio: ['ignore', 'ignore', toFile ? 'ignore' : 'pipe'],
      env: { ...process.env, ...env },
    });
    const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
    const service = new ServiceProcess(child, exit, `http://127.0.0.1:${port}`);
    // Whatever happens to the campaign, no service stays behind.
    process.once('exit', () => child.kill('SIGKILL'));
    process.setMaxListeners(0);
    try {
      await (toFile ? service.#answers() : service.#says(log));
    } catch (error) {
      await service.kill();
      throw error;
    }
    return service;
  }

  async #answers(): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (performance.now() < deadline) {
      if (await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(3000) }).then(({ ok }) => ok, () => false)) return; // prettier-ignore
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('darm serve does not answer');
  }

  async #says(log: string): Promise<void> {
    const { stderr } = this.child;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`darm serve does not start: ${this.#text}`)), START_MS);
      stderr!.on('data', (chunk: Buffer) => {
        this.#text += chunk.toString();
        const url = /"url":"([^"]+)"/.exec(this.#text)?.[1];
        if (url === undefined) return;
        clearTimeout(timer);
        this.url = url;
        resolve();
      });
      void this.exit.then((code) => reject(new Error(`darm serve ended with ${code}: ${this.#text}`)));
    });
    if (log === 'unread') stderr!.removeAllListeners('data').pause();
    if (log === 'closed') stderr!.destroy();
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** What the log ends with, for a message. */
  get lastWords(): string {
    return this.#text.trim().slice(-600);
  }

  /** What is wrong with the lines since the last look: every line must be JSON of a sane length. */
  logComplaint(): string | null {
    const end = this.#text.lastIndexOf('\n') + 1;
    const lines = this.#text.slice(this.#looked, end).split('\n');
    this.#looked = end;
    for (const line of lines) {
      if (line.length > LONGEST_LINE) return `a line of the log has ${line.length} characters`;
      if (line !== '' && !isJson(line)) return `the log has a line that is not JSON: ${line.slice(0, 200)}`;
    }
    return null;
  }

  /** The value of a metric; 0 when it does not exist. */
  async metric(name: string): Promise<number> {
    const answer = await fetch(`${this.url}/metrics`, { signal: AbortSignal.timeout(20_000) });
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit;
  }

  /** How it ended after a signal, or `hangs` after so many milliseconds. */
  async endedWithin(ms: number): Promise<number | string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => (timer = setTimeout(() => resolve('hangs'), ms)));
    const how = await Promise.race([this.exit, late]);
    clearTimeout(timer);
    return how;
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
