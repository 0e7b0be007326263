/** Node keeps what V8 made of the command's JavaScript, and takes it from there the next time, from Node 22.8 on. */
import module from 'node:module';
import path from 'node:path';
import { privateTemporaryFolder } from '../files.js';

/**
 * Code that somebody else wrote would run as ours: it lies in a folder that only the user can write to, or nowhere. On
 * Windows it cannot be told who can.
 */
export async function useCodeCache(): Promise<void> {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (enableCompileCache === undefined || process.platform === 'win32') return;
  const folder = await privateTemporaryFolder();
  if (folder !== null) enableCompileCache(path.join(folder, 'code'));
}
