/** Runs the command with a time limit, in any environment, with its output going anywhere. */
import { spawn } from 'node:child_process';
import { MAIN } from '../../../support/command.js';

export interface CommandSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Shell words behind the command, for instance `> /dev/full`. */
  readonly redirect?: string;
  /** Shell words in front of it, for instance `ulimit -n 24;`. */
  readonly shell?: string;
  /** A signal that is sent after some milliseconds. */
  readonly kill?: { readonly signal: NodeJS.Signals; readonly afterMs: number };
  readonly limitMs?: number;
}

export interface CommandEnd {
  /** The exit code, the signal, or `hangs`. */
  readonly how: number | string;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

export function run(args: readonly string[], setting: CommandSetting = {}): Promise<CommandEnd> {
  const { env = {}, cwd, redirect = '', shell = '', kill, limitMs = 120_000 } = setting;
  const command = `${shell} ${redirect.includes('|') ? '' : 'exec'} ${quoted([process.execPath, MAIN, ...args])} ${redirect}`;
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      ...(cwd !== undefined && { cwd }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let hangs = false;
    const limit = setTimeout(() => (hangs = child.kill('SIGKILL')), limitMs);
    const killing = kill && setTimeout(() => child.kill(kill.signal), kill.afterMs);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      clearTimeout(killing);
      const how = hangs ? 'hangs' : (code ?? signal!);
      resolve({ how, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') });
    });
  });
}

/** A complaint unless the command failed as it should: exit code 1, one line that says why, no stack and no warning. */
export function failureComplaint({ how, stderr }: CommandEnd): string | null {
  const lines = stderr.trimEnd().split('\n');
  if (how !== 1) return `it ended with ${how}: ${stderr.slice(0, 300)}`;
  if (lines.length !== 1 || !lines[0]!.startsWith('darm: ')) return `it does not say one line: ${stderr.slice(0, 500)}`;
  return null;
}
