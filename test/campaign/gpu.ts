/**
 * Random kernels on an NVIDIA GPU: each as PTX, unmelded and melded in four ways, against the simulator's memory.
 * An oracle with nothing in common with ours: NVIDIA's driver makes the machine code, and threads really diverge.
 *
 *   node dist/test/campaign/gpu.js [--kernels N] [--seed S] [--size 1|2] [--family plain|retry]
 *
 * Takes Python 3 and the driver's library, no SDK. Without a GPU it says so and ends with status 0. Exit status 1 on
 * any difference; the module is then in build/campaign/.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { GpuResults } from '../../bench/gpu/evaluate.js';
import { runLoader } from '../../bench/gpu/loader.js';
import { createCompiler, type JobOptions } from '../../src/index.js';
import { difference, scalarBytes, specOf } from '../fuzz/bench.js';
import { variantsOf } from '../fuzz/variants.js';
import { SCRATCH } from './execute-host.js';
import { FAMILIES } from './families.js';
import { draw } from './random-kernel.js';

const { values: args } = parseArgs({
  options: {
    kernels: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    size: { type: 'string' },
    family: { type: 'string', default: 'plain' },
  },
});

if (args.family !== 'plain' && args.family !== 'retry' && args.family !== 'goto')
  throw new Error('--family takes plain, retry or goto');
const family = FAMILIES[args.family];

const most = Number(args.kernels);
if (!(most > 0)) throw new Error('--kernels takes a number');
const PER_MODULE = 8;
const REFERENCE_TARGET = 'gfx1100';
const PLAIN: Partial<JobOptions> = { meld: 'off', optimize: 'O3' };

/** LLVM IR for AMD's targets as that for NVIDIA's. Private memory has no address space of its own in IR there. */
const forNvidia = (ir: string): string =>
  ir
    .replace(
      /^target datalayout = .*$/m,
      'target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"',
    )
    .replace('"amdgcn-amd-amdhsa"', '"nvptx64-nvidia-cuda"')
    .replaceAll('amdgpu_kernel', 'ptx_kernel')
    .replaceAll(', addrspace(5)', '')
    .replaceAll('ptr addrspace(5)', 'ptr')
    .replaceAll('llvm.amdgcn.workitem.id.x', 'llvm.nvvm.read.ptx.sreg.tid.x')
    .replaceAll('llvm.amdgcn.workgroup.id.x', 'llvm.nvvm.read.ptx.sreg.ctaid.x')
    .replaceAll('@llvm.amdgcn.s.barrier()', '@llvm.nvvm.barrier0()')
    .replaceAll('syncscope("workgroup")', 'syncscope("block")')
    .replaceAll('syncscope("agent")', 'syncscope("device")')
    .replaceAll('"gfx906"', '"sm_70"')
    .replace(/"amdgpu-flat-work-group-size"="\d+,(\d+)"/g, '"nvvm.maxntid"="$1"');

interface Totals {
  kernels: number;
  versions: number;
  /** Functions with melds in all of these builds. */
  melded: number;
  wrong: number;
}

const compiler = createCompiler({ threads: 0 });

/** Compiles a module of random kernels in all ways, launches them, and compares. */
async function check(batch: number, folder: string, totals: Totals): Promise<void> {
  const { body, module, launch } = family;
  const size = Number(args.size ?? (batch % 2) + 1);
  const kernels = Array.from({ length: PER_MODULE }, (_, index) =>
    draw(`k${batch}_${index}`, body(size), Math.imul(batch, 1009) + index),
  );
  const ir = module(kernels);
  const nvidia = new TextEncoder().encode(forNvidia(ir));
  const ways: Partial<JobOptions>[] = variantsOf(batch).map(({ target: _, plan: __, optimize, ...melding }) => ({
    ...melding,
    optimize: optimize === 'none' ? 'O1' : optimize,
  }));
  const versions: Record<string, string> = {};
  for (const [index, options] of [PLAIN, ...ways].entries()) {
    const { artifacts, functions } = await compiler.compile(nvidia, { ...options, emit: ['ptx'] });
    const name = index === 0 ? 'plain' : `melded${index}`;
    versions[name] = `${batch}.${name}.ptx`;
    await writeFile(path.join(folder, versions[name]), artifacts[0]!.bytes);
    totals.melded += functions.filter(({ melds }) => melds.length > 0).length;
  }
  const launches = kernels.map(({ name, seed }) => launch(name, seed));
  const manifest = launches.map(({ kernel, grid, block, args: list }) => ({
    ...{ name: kernel, kernel, versions, grid, block, repeats: 0 },
    args: list.map((each, index) =>
      'scalar' in each
        ? { value: Buffer.from(scalarBytes(each)).toString('hex') }
        : { file: `${kernel}.${index}.bin`, out: true },
    ),
  }));
  for (const { kernel, args: list } of launches)
    for (const [index, each] of list.entries())
      if (!('scalar' in each)) await writeFile(path.join(folder, `${kernel}.${index}.bin`), each.bytes);
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  if (runLoader(folder) === null) throw new Error('the GPU is gone');
  const results = JSON.parse(await readFile(path.join(folder, 'results.json'), 'utf8')) as GpuResults;

  const reference = new TextEncoder().encode(ir.replaceAll('"gfx906"', `"${REFERENCE_TARGET}"`));
  const code = (await compiler.compile(reference, PLAIN)).artifacts[0]!.bytes;
  for (const each of launches) {
    totals.kernels++;
    const { buffers } = await compiler.simulate(code, specOf(each), { cycles: false });
    const expected = buffers.map(({ bytes }) => bytes);
    const { error } = results.launches[each.kernel]!;
    for (const name of Object.keys(versions)) {
      totals.versions++;
      const found = error ?? difference(expected, await memoryOf(folder, each.kernel, name, expected.length));
      if (found === null) continue;
      totals.wrong++;
      await mkdir(SCRATCH, { recursive: true });
      await writeFile(path.join(SCRATCH, `gpu-${batch}.ll`), nvidia);
      console.log(
        `Wrong: ${each.kernel} ${name} ${JSON.stringify(name === 'plain' ? PLAIN : ways[Number(name.slice(6)) - 1])}: ${found}`,
      );
    }
  }
}

/** What a version leaves in all of a kernel's buffers. */
const memoryOf = async (folder: string, kernel: string, version: string, count: number): Promise<Uint8Array[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => readFile(path.join(folder, `${kernel}.${version}.${index}.bin`))),
  );

const device = runLoader('--probe');
if (device !== null) {
  const totals: Totals = { kernels: 0, versions: 0, melded: 0, wrong: 0 };
  for (let batch = Number(args.seed); totals.kernels < most; batch++) {
    const folder = await mkdtemp(path.join(tmpdir(), 'darm-gpu-'));
    await check(batch, folder, totals);
    await rm(folder, { recursive: true });
  }
  const { kernels, versions, melded, wrong } = totals;
  console.log(`${device}: ${kernels} random kernels, ${versions} builds, melds in ${melded} functions, ${wrong} wrong`);
  if (wrong > 0) process.exitCode = 1;
}
await compiler.close();
