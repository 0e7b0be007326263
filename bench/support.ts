/** What the benchmarks share: statistics, tables, the kernels, and native tools to compare with. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { table } from '../src/cli/table.js';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Kernels of the paper: each is here optimised, and not (for the early meld point). */
export const KERNELS = ['bitonic', 'sb1', 'sb2', 'sb3'] as const;

export const kernelPath = (name: string): string => `${REPOSITORY}kernels/ir/${name}.bc`;
export const kernel = (name: string): Promise<Uint8Array> => readFile(kernelPath(name));

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const geometricMean = (values: readonly number[]): number => Math.exp(sum(values.map(Math.log)) / values.length);

export const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Wall time of `work` in milliseconds. */
export function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** One of the native tools of the LLVM that darm is built from: `llc-23`, `ld.lld-23`. */
export const nativeTool = (name: string): string => `${REPOSITORY}build/bin/${name}`;

/** Runs a native program to its end. Returns the wall time in milliseconds; throws if the program fails. */
export function timeProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  return time(() => {
    const result = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
    if (result.error) throw new Error(`${program}: ${result.error.message} (build.sh --native makes it)`);
    if (result.status !== 0) throw new Error(`${program} failed: ${result.stderr.toString()}`);
  });
}

/**
 * Wall time and processor time of a native program in milliseconds, as bash tells them; processor time says something
 * on a busy machine, too.
 */
export function timesOfProcess(program: string, args: readonly string[]): { wall: number; processor: number } {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1';
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', program, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed`);
  const [wall, user, system] = stderr.trim().split(' ').map(Number) as [number, number, number];
  return { wall: 1000 * wall, processor: 1000 * (user + system) };
}

/** Prints rows under a header, the first column aligned to the left and the others to the right. */
export function printTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  process.stdout.write(table('l', header, rows));
}

export const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};

/** The arguments that are neither options nor the values of `options`. */
export const operands = (...options: readonly string[]): string[] =>
  process.argv
    .slice(2)
    .filter((argument, at, all) => !argument.startsWith('--') && !options.includes(all[at - 1]?.slice(2) ?? ''));
