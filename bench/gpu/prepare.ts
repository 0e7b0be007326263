/** Makes a folder that bench/gpu/loader.py carries out: PTX without and with melding, buffers, a manifest. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { corpusModule, corpusSpec, type CorpusKernel, type Setting } from '../../kernels/corpus/index.js';
import type { Compiler, JobOptions, LaunchSpec } from '../../src/index.js';

const TARGET = 'sm_70';

export type VersionName = 'plain' | 'melded';

/** An entry of the manifest: see loader.py. */
export interface GpuLaunch {
  readonly name: string;
  readonly kernel: string;
  readonly versions: Readonly<Record<VersionName, string>>;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly repeats: number;
  readonly args: readonly ({ readonly file: string; readonly out: boolean } | { readonly value: string })[];
}

export interface GpuKernel {
  readonly kernel: CorpusKernel;
  /** Whether anything melds in it. */
  readonly melded: boolean;
  /** Whether it uses instructions whose last bits are the hardware's own: exponentials, logarithms, sines. */
  readonly approximate: boolean;
}

export interface Sizes {
  /** For the comparison with the simulator. */
  readonly checked: Setting;
  /** For times. */
  readonly timed: Setting;
  readonly repeats: number;
}

export const launchNames = ({ name }: CorpusKernel) => ({ checked: `${name}.checked`, timed: `${name}.timed` });

/** Writes what it takes to launch the kernels of a family. Kernels in which nothing melds are checked, not timed. */
export async function prepareFamily(
  compiler: Compiler,
  folder: string,
  kernels: readonly CorpusKernel[],
  { checked, timed, repeats }: Sizes,
  options: Partial<JobOptions>,
): Promise<GpuKernel[]> {
  const { family } = kernels[0]!;
  const module = corpusModule(family, TARGET);
  const versions = { plain: `${family}.plain.ptx`, melded: `${family}.melded.ptx` };
  await mkdir(folder, { recursive: true });
  const plain = await compiler.compile(module, { ...options, emit: ['ptx'], meld: 'off' });
  const melded = await compiler.compile(module, { ...options, emit: ['ptx'] });
  const text = new TextDecoder().decode(plain.artifacts[0]!.bytes);
  await writeFile(path.join(folder, versions.plain), text);
  await writeFile(path.join(folder, versions.melded), melded.artifacts[0]!.bytes);
  const manifest: GpuLaunch[] = [];
  const result: GpuKernel[] = [];
  for (const kernel of kernels) {
    const { name } = kernel;
    const melds = melded.functions.find((each) => each.name === name)!.melds.length > 0;
    const names = launchNames(kernel);
    manifest.push(await writeLaunch(folder, names.checked, corpusSpec(kernel, checked), versions, 0));
    if (melds) manifest.push(await writeLaunch(folder, names.timed, corpusSpec(kernel, timed), versions, repeats));
    result.push({ kernel, melded: melds, approximate: /\b(ex2|lg2|sin|cos)\.approx/.test(bodyOf(text, name)) });
  }
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return result;
}

/** The text of one kernel. */
export function bodyOf(ptx: string, kernel: string): string {
  const start = ptx.indexOf(`.entry ${kernel}(`);
  const end = ptx.indexOf('-- End function', start);
  return ptx.slice(start, end < 0 ? undefined : end);
}

async function writeLaunch(
  folder: string,
  name: string,
  { launches, buffers }: LaunchSpec,
  versions: GpuLaunch['versions'],
  repeats: number,
): Promise<GpuLaunch> {
  const { kernel, grid, block, args } = launches[0]!;
  const written = args.map(async (argument, index) => {
    if (argument.kind === 'bytes') return { value: Buffer.from(argument.bytes).toString('hex') };
    const { fill, out } = buffers[argument.buffer]!;
    if (fill.kind !== 'bytes') throw new Error(`${name}: argument ${index} has no contents`);
    const file = `${name}.${index}.bin`;
    await writeFile(path.join(folder, file), fill.bytes);
    return { file, out };
  });
  return { name, kernel: kernel!, versions, grid, block, repeats, args: await Promise.all(written) };
}
