/** Calls loader.py, which launches kernels. */
import { spawnSync } from 'node:child_process';
import { REPOSITORY } from '../support.js';

const NO_GPU = 3;

/**
 * @param argument `--probe` for the device's name, or a folder with a manifest (see loader.py)
 * @returns what it prints; null where there is no GPU, after saying why
 */
export function runLoader(argument: string): string | null {
  const loader = `${REPOSITORY}bench/gpu/loader.py`;
  const { status, stdout, stderr, error } = spawnSync('python3', [loader, argument], { encoding: 'utf8' });
  if (error !== undefined || status === NO_GPU) {
    console.log(`skipped: ${error === undefined ? stderr.trim() : 'there is no python3'}`);
    return null;
  }
  if (status !== 0) throw new Error(`loader.py failed: ${stderr.trim()}`);
  return stdout.trim();
}
