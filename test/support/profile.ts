/** Profiles of the kernels of kernels/, and the same with hostile names. */
import { readSpecs } from '../../kernels/references/specs.js';
import type { JobOptions } from '../../src/job/options.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import type { LaunchProfile } from '../../src/simulator/profile/profile.js';
import { simulate } from '../../src/simulator/run.js';
import { decoded } from './kernel-launch.js';
import { kernel } from './llvm.js';

/** @param name of a kernel of one of the plain modules, with a module of the same name */
export async function kernelProfile(name: string, options: Partial<JobOptions>): Promise<LaunchProfile> {
  const { object, disassembly } = await decoded(await kernel(`${name}.gfx906.O3`), options);
  const { spec } = readSpecs([name])[0]!;
  const simulation = { ...DEFAULT_SIMULATION, profile: true };
  return (await simulate({ object, spec, options: simulation, disassembly: () => disassembly })).launches[0]!.profile!;
}

/** Every text of a profile replaced; every instruction is of a line of source. */
export const renamed = (profile: LaunchProfile, name: string): LaunchProfile => ({
  ...profile,
  kernel: name,
  processor: name,
  instructions: profile.instructions.map((each) => ({ ...each, text: name, line: 0 })),
  functions: profile.functions.map((each) => ({ ...each, name })),
  lines: [{ file: name, line: 1, instructions: profile.instructions.length, ...figures(profile) }],
});

/** The program several times, one after the other. */
export function repeated(profile: LaunchProfile, times: number): LaunchProfile {
  const copies = <T>(all: readonly T[], change: (each: T, instructions: number, blocks: number) => T): T[] =>
    Array.from({ length: times }, (_, copy) =>
      all.map((each) => change(each, copy * profile.instructions.length, copy * profile.blocks.length)),
    ).flat();
  return {
    ...profile,
    instructions: copies(profile.instructions, (each, _, blocks) => ({ ...each, block: each.block + blocks })),
    blocks: copies(profile.blocks, (each, instructions, blocks) => ({
      ...each,
      first: each.first + instructions,
      successors: each.successors.map((next) => next + blocks),
    })),
    branches: copies(profile.branches, (each, instructions) => ({
      ...each,
      instruction: each.instruction + instructions,
    })),
  };
}

const figures = ({ executed, lanes, time }: LaunchProfile) => ({ executed, lanes, time });
