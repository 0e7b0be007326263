/**
 * The benchmarks: the paper's and some of our own. A benchmark is a module of `kernels/` with one kernel per block
 * size. The launch specs determine the sizes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSpecs } from '../../kernels/references/specs.js';
import type { LaunchSpec } from '../../src/index.js';
import { REPOSITORY } from '../support.js';

export type Group = 'synthetic' | 'real' | 'modern' | 'shapes';

export interface Benchmark {
  /** The paper's name for it, if the paper has it. */
  readonly name: string;
  readonly group: Group;
  /** The module is `kernels/ir/MODULE.TARGET.early.bc`; its kernels are called `MODULE_SIZE`. */
  readonly module: string;
}

export interface Configuration {
  readonly benchmark: Benchmark;
  /** The block size, or another name that tells the kernels of the module apart. */
  readonly size: string;
  readonly spec: LaunchSpec;
  /** Arguments that are not buffers: their names and values in the spec. */
  readonly scalars: readonly string[];
}

const named = (group: Group, ...modules: readonly string[]): Benchmark[] =>
  modules.map((module) => ({ name: group === 'real' ? module.toUpperCase() : module, group, module }));

export const BENCHMARKS: readonly Benchmark[] = [
  { name: 'SB1', group: 'synthetic', module: 'sb1s' },
  { name: 'SB1-R', group: 'synthetic', module: 'sb1r' },
  { name: 'SB2', group: 'synthetic', module: 'sb2s' },
  { name: 'SB2-R', group: 'synthetic', module: 'sb2r' },
  { name: 'SB3', group: 'synthetic', module: 'sb3s' },
  { name: 'SB3-R', group: 'synthetic', module: 'sb3r' },
  { name: 'SB4', group: 'synthetic', module: 'sb4' },
  { name: 'SB4-R', group: 'synthetic', module: 'sb4r' },
  ...named('real', 'bit', 'pcm', 'ms', 'lud', 'nqu', 'srad', 'dct'),
  ...named('modern', 'hashjoin', 'mandelbrot', 'raytri', 'rle', 'lz4ish', 'dequant', 'tokenizer', 'spmv', 'interp'),
  ...named('shapes', 'sb4c', 'sb4cr', 'many'),
];

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  synthetic: "the paper's synthetic benchmarks",
  real: "the paper's real-world benchmarks",
  modern: 'other kernels of today',
  shapes: 'kernels of many shapes',
};

/** The kernels of a benchmark, by block size. */
export const configurations = (benchmark: Benchmark): Configuration[] =>
  readSpecs([benchmark.module])
    .map(({ kernel, spec }) => ({
      benchmark,
      size: kernel.slice(benchmark.module.length + 1),
      spec,
      scalars: scalarsOf(readFileSync(path.join(REPOSITORY, 'kernels', 'specs', `${kernel}.json`), 'utf8')),
    }))
    .sort((a, b) => a.size.localeCompare(b.size, 'en', { numeric: true }));

function scalarsOf(text: string): string[] {
  const found = new Set<string>();
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'scalar' in value) {
      const { name = 'scalar', value: given } = value as { name?: string; value?: unknown };
      found.add(`${name} ${String(given)}`);
    }
    return value;
  });
  return [...found];
}

/** Describes a launch, for the table of inputs. */
export function describeInput({ spec: { launches, buffers }, scalars }: Configuration): string {
  const threads = launches.map(({ grid, block }) => `grid ${trimmed(grid)}, block ${trimmed(block)}`);
  const memory = buffers.map(({ name, element, length }) => `${name ?? 'buffer'} ${element}[${length}]`);
  return `${[...new Set(threads)].join(', ')}; ${[...memory, ...scalars].join(', ')}`;
}

function trimmed(dimensions: readonly number[]): string {
  const last = dimensions.findLastIndex((each) => each > 1);
  return dimensions.slice(0, Math.max(1, last + 1)).join('×');
}

/** Number of elements of the output buffers. Cycles per element make the block sizes of a kernel comparable. */
export const outputElements = ({ buffers }: LaunchSpec): number =>
  buffers.filter(({ out }) => out).reduce((total, { length }) => total + length, 0);
