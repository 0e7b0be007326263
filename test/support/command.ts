/** Runs the command as its users do: as a process with output and an exit code. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command as it is shipped; test/run.ts bundles it. */
export const MAIN = fileURLToPath(new URL('../../command/main.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CommandSetting {
  readonly cwd?: string;
  readonly input?: Uint8Array | string;
  /** Files that take the place of the pipes. */
  readonly stdout?: string;
  readonly stderr?: string;
  /** Variables of the environment beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export function darm(
  args: readonly string[],
  { cwd, input, env, ...files }: CommandSetting = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const [out, err] = [files.stdout, files.stderr].map((file) => (file === undefined ? 'pipe' : openSync(file, 'w')));
    const stdio = ['pipe', out!, err!] as const;
    const options = { stdio: [...stdio], env: { ...process.env, ...env }, ...(cwd !== undefined && { cwd }) };
    const child = spawn(process.execPath, [MAIN, ...args], options);
    for (const file of [out, err]) if (typeof file === 'number') closeSync(file);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') });
    });
    // The command may end without reading all its input.
    child.stdin!.on('error', () => {});
    child.stdin!.end(input);
  });
}

/** Calls `use` with an empty folder, which is removed afterwards. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-test-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names of the files in a folder, including hidden ones (temporary files that were left behind). */
export const filesIn = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();
