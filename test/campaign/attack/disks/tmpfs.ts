/** Small file systems in memory, which can be full or read-only. Only root can mount them. */
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Why nothing can be mounted, or null. */
export async function whyNoMount(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root can mount a tmpfs';
  try {
    await withTmpfs('1m', async () => {});
    return null;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${(error as Error).message.trim()}`;
  }
}

export async function withTmpfs<T>(size: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-disk-'));
  await execute('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  try {
    return await use(folder);
  } finally {
    await execute('umount', ['--lazy', folder]);
    await rmdir(folder);
  }
}

export const remount = (folder: string, options: string): Promise<unknown> =>
  execute('mount', ['-o', `remount,${options}`, folder]);

const FILLER = 'filler';

/** Fills a file system to the last block. */
export async function fill(folder: string): Promise<void> {
  const file = await open(path.join(folder, FILLER), 'w');
  try {
    const block = Buffer.alloc(4096, 1);
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

export const unfill = (folder: string): Promise<void> => rm(path.join(folder, FILLER), { force: true });
