/** Node's compile cache: the command starts with the bytecode that V8 made the last time. From Node 22.8 on. */
import module from 'node:module';
import path from 'node:path';
import { privateTemporaryFolder } from '../process/files.js';

/**
 * Code that somebody else wrote would run as ours: it lies in a folder that only the user can write to, or nowhere. On
 * Windows darm cannot tell who may write, so there is no cache.
 */
export async function useCodeCache(): Promise<void> {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (enableCompileCache === undefined || process.platform === 'win32') return;
  const folder = await privateTemporaryFolder();
  if (folder !== null) enableCompileCache(path.join(folder, 'code'));
}
