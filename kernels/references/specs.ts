/** Reads the launch specs in kernels/specs/: one per kernel, called `KERNEL.json`. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSpec, type LaunchSpec } from '../../src/simulator/launch/spec.js';

/** Modules that kernels/ir/ has for every target and in every form. */
export const PLAIN_MODULES = ['bitonic', 'sb1', 'sb2', 'sb3', 'many'] as const;

export interface KernelLaunch {
  readonly kernel: string;
  /** The start of the names of its files in kernels/ir/: `bit` for `bit_32`, `many` for `many_loops`. */
  readonly module: string;
  readonly spec: LaunchSpec;
}

const FOLDER = fileURLToPath(new URL('../../../kernels/specs/', import.meta.url));

/**
 * Targets of the modules that are not plain: those have one kernel at several block sizes, in the forms O3 and early.
 */
export const SIZED_TARGETS = ['gfx906', 'gfx90a', 'gfx1100'] as const;

/** All launches, or those of some modules, in the order of their kernels' names. */
export function readSpecs(modules?: readonly string[]): readonly KernelLaunch[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => {
      const kernel = file.replace(/\.json$/, '');
      const spec = parseSpec(readFileSync(FOLDER + file, 'utf8'), (name) => readFileSync(FOLDER + name));
      return { kernel, module: kernel.replace(/_.*/, ''), spec };
    })
    .filter(({ module }) => modules?.includes(module) ?? true);
}

/** The launches of the modules that are not plain, by module. */
export function readSizedSpecs(): ReadonlyMap<string, readonly KernelLaunch[]> {
  const modules = new Map<string, KernelLaunch[]>();
  for (const launch of readSpecs()) {
    if ((PLAIN_MODULES as readonly string[]).includes(launch.module)) continue;
    const launches = modules.get(launch.module);
    if (launches) launches.push(launch);
    else modules.set(launch.module, [launch]);
  }
  return modules;
}
