/** Makes a folder that bench/gpu/loader.py carries out: PTX without and with melding, buffers, a manifest. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Compiler, JobOptions, LaunchSpec } from '../../src/index.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import type { GpuKernel, GpuModule } from './modules.js';

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

export interface PreparedKernel {
  readonly kernel: GpuKernel;
  /** Whether melding changes its code. */
  readonly changed: boolean;
  /** Whether it uses instructions whose last bits are the hardware's own: exponentials, logarithms, sines. */
  readonly approximate: boolean;
}

export const launchNames = ({ name }: GpuKernel) => ({ checked: `${name}.checked`, timed: `${name}.timed` });

/** Writes what it takes to launch a module's kernels. Kernels whose code stays as it is are checked, not timed. */
export async function prepareModule(
  compiler: Compiler,
  folder: string,
  { name: module, kernels, bitcode }: GpuModule,
  repeats: number,
  options: Partial<JobOptions>,
): Promise<PreparedKernel[]> {
  const bytes = bitcode(TARGET);
  const versions = { plain: `${module}.plain.ptx`, melded: `${module}.melded.ptx` };
  await mkdir(folder, { recursive: true });
  const plain = await compiler.compile(bytes, { ...options, emit: ['ptx'], meld: 'off' });
  const melded = await compiler.compile(bytes, { ...options, emit: ['ptx'] });
  const [before, after] = [plain, melded].map(({ artifacts }) => new TextDecoder().decode(artifacts[0]!.bytes));
  await writeFile(path.join(folder, versions.plain), before!);
  await writeFile(path.join(folder, versions.melded), after!);
  const manifest: GpuLaunch[] = [];
  const result: PreparedKernel[] = [];
  for (const kernel of kernels) {
    const { name, checked, timed } = kernel;
    const body = bodyOf(before!, name);
    const changed = body !== bodyOf(after!, name);
    const names = launchNames(kernel);
    manifest.push(await writeLaunch(folder, names.checked, checked, versions, 0));
    if (changed) manifest.push(await writeLaunch(folder, names.timed, timed(), versions, repeats));
    result.push({ kernel, changed, approximate: /\b(ex2|lg2|sin|cos)\.approx/.test(body) });
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
  const [launch] = launches;
  if (launches.length !== 1 || launch!.dynamicLds > 0) throw new Error(`${name}: one launch without dynamic LDS only`);
  const { kernel, grid, block, args } = launch!;
  const written = args.map(async (argument, index) => {
    if (argument.kind === 'bytes') return { value: Buffer.from(argument.bytes).toString('hex') };
    const { fill, out, element, length } = buffers[argument.buffer]!;
    if (argument.offset !== 0) throw new Error(`${name}: argument ${index} is no whole buffer`);
    const contents = new Uint8Array(length * ELEMENT_BYTES[element]);
    fillBuffer(contents, element, fill);
    const file = `${name}.${index}.bin`;
    await writeFile(path.join(folder, file), contents);
    return { file, out };
  });
  return { name, kernel: kernel!, versions, grid, block, repeats, args: await Promise.all(written) };
}
