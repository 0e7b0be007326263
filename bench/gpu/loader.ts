/** Calls loader.py, which launches kernels. */
import { spawnSync } from 'node:child_process';
import { REPOSITORY } from '../support.js';

const NO_GPU = 3;
/** For one folder. A kernel that never ends is a wrong one. */
const MOST_MILLISECONDS = 300_000;

/**
 * @param argument `--probe` for the device's name, or a folder with a manifest (see loader.py)
 * @returns what it prints; null where there is no GPU, after saying why
 */
export function runLoader(argument: string): string | null {
  const loader = `${REPOSITORY}bench/gpu/loader.py`;
  const options = { encoding: 'utf8', timeout: MOST_MILLISECONDS } as const;
  const { status, stdout, stderr, error } = spawnSync('python3', [loader, argument], options);
  const isMissing = error !== undefined && 'code' in error && error.code === 'ENOENT';
  if (isMissing || status === NO_GPU) {
    console.log(`skipped: ${isMissing ? 'there is no python3' : stderr.trim()}`);
    return null;
  }
  if (error !== undefined) throw new Error(`loader.py failed: ${error.message}`);
  if (status !== 0) throw new Error(`loader.py failed: ${stderr.trim()}`);
  return stdout.trim();
}
