/** Reading inputs, and writing outputs whole or not at all. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DarmError } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENOSPC: 'no space left',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
};

export function ioError(action: string, file: string, error: unknown): DarmError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new DarmError('io', `cannot ${action} ${file}: ${REASONS[code] ?? message}`);
}

/** A file's bytes; `-` is standard input. */
export async function readInput(file: string): Promise<Uint8Array> {
  try {
    if (file !== '-') return await readFile(file);
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (error) {
    throw ioError('read', file === '-' ? 'standard input' : file, error);
  }
}

/**
 * Writes a temporary file in the same folder and renames it. Nobody sees half a file, a failure leaves what was there,
 * and several processes may write the same file at the same time.
 */
export async function writeAtomically(file: string, content: Uint8Array | string, mode?: number): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, content, { flag: 'wx', mode });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes an output of the command; `-` is standard output. What is not an ordinary file (a pipe, /dev/null) is written
 * in place, and a symbolic link stays one: the file that it points to is replaced.
 */
export async function writeOutput(file: string, content: Uint8Array | string): Promise<void> {
  if (file === '-') return writeStandardOutput(content);
  try {
    const target = await realpath(file).catch(() => file);
    const found = await stat(target).catch(() => null);
    if (found === null || found.isFile()) await writeAtomically(target, content, found?.mode);
    else await writeFile(target, content);
  } catch (error) {
    throw ioError('write', file, error);
  }
}

/**
 * Refuses a file for a second output if something else is written to it or read from it.
 *
 * @param option what the file is for; `file` may be left out
 * @param others the other files of the command; `-` stands for what is written to standard output
 */
export function checkSecondOutput(option: string, file: string | undefined, others: readonly string[]): void {
  if (file === undefined) return;
  if (file === '-') {
    if (others.includes('-'))
      throw new DarmError('usage', `${option} - and another output on standard output exclude each other`);
  } else if (others.some((other) => other !== '-' && path.resolve(other) === path.resolve(file))) {
    throw new DarmError('usage', `${option} would replace ${file}, which is the input or another output`);
  }
}

/** Resolves when everything is handed to the system; the process may exit then. */
export function writeStandardOutput(content: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', (error: NodeJS.ErrnoException) =>
      // The reader has gone; nobody is left to tell.
      error.code === 'EPIPE' ? resolve() : reject(ioError('write', 'standard output', error)),
    );
    process.stdout.write(content, () => resolve());
  });
}

/**
 * A folder of this user's below the system's folder for temporary files: made when missing, readable by nobody else. Others can make
 * files there as well, so a folder that belongs to somebody else, that others can write to, or that is a link is not used.
 *
 * @returns null when there is no such folder to be had
 */
export async function privateTemporaryFolder(): Promise<string | null> {
  const user = process.getuid?.();
  const folder = path.join(tmpdir(), user === undefined ? 'darm' : `darm-${user}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const found = await lstat(folder);
    // Windows has a folder of temporary files for each user.
    const isOurs = user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
    return found.isDirectory() && isOurs ? folder : null;
  } catch {
    return null;
  }
}
