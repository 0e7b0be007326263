/** A PostgreSQL of a test's own: on a free port of loopback, in a temporary folder, ended by the test. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './redis.js';

/** Debian keeps the server's programs there, a folder for each version. */
const DEBIAN = '/usr/lib/postgresql';

/** The folder of the server's programs, and who may run them: root may not. Null where there are none. */
function findPostgres(): { readonly programs: string; readonly user: Pick<SpawnOptions, 'uid' | 'gid'> } | null {
  let debian: string[] = [];
  try {
    debian = readdirSync(DEBIAN).map((version) => path.join(DEBIAN, version, 'bin'));
  } catch {
    // Another system.
  }
  const programs = ['', ...debian].find((each) => spawnSync(path.join(each, 'initdb'), ['--version']).status === 0);
  if (programs === undefined) return null;
  if (process.getuid?.() !== 0) return { programs, user: {} };
  const [uid, gid] = ['-u', '-g'].map((which) => Number(spawnSync('id', [which, 'postgres']).stdout.toString()));
  return uid ? { programs, user: { uid, gid } } : null;
}

const found = findPostgres();

/** Says so on a line that the runner of the tests shows. */
export function hasPostgres(): boolean {
  if (found !== null) return true;
  console.log('\nskipped: PostgreSQL is not installed');
  return false;
}

export class TestPostgres implements AsyncDisposable {
  #child: ChildProcess | null = null;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<TestPostgres> {
    const { programs, user } = found!;
    const folder = await mkdtemp(path.join(tmpdir(), 'darm-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
    const words = ['-D', path.join(folder, 'data'), '-U', 'darm', '--auth=trust', '--no-sync'];
    const made = spawnSync(path.join(programs, 'initdb'), words, { ...user, cwd: folder });
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr.toString()}`);
    const postgres = new TestPostgres(await freePort(), folder);
    await postgres.start();
    return postgres;
  }

  get url(): string {
    return `postgres://darm@127.0.0.1:${this.port}/postgres`;
  }

  async start(): Promise<void> {
    const { programs, user } = found!;
    const place = ['-D', path.join(this.folder, 'data'), '-p', String(this.port), '-h', '127.0.0.1', '-k', this.folder];
    const child = spawn(path.join(programs, 'postgres'), [...place, '-c', 'fsync=off'], {
      ...user,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let text = '';
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (piece: Buffer) => {
        text = (text + piece.toString()).slice(-4096);
        if (text.includes('ready to accept connections')) resolve();
      });
      child.once('exit', () => resolve());
    });
    if (child.exitCode !== null) throw new Error(`postgres did not start: ${text}`);
  }

  /** As after a crash: connections break, and what was not done is undone at the next start. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGQUIT');
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
