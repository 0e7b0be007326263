/**
 * Every kernel source of kernels/, compiled from source without melding, beside native clang of the same LLVM with the
 * same headers and libraries: are machine code and kernel descriptors the same bytes?
 *
 *   node dist/test/campaign/source.js [--targets gfx906,gfx1100] [KERNEL...]
 *
 * `build.sh --native` makes the native tools. Exit code 1 on any difference.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { elfSectionBytes, parseElf } from '../../src/formats/elf.js';
import { createCompiler } from '../../src/index.js';
import { REPOSITORY } from '../support/llvm.js';

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201'];
/** Sources that are written for a size: one that all of them take. */
const SIZE = 64;

const words = process.argv.slice(2);
const at = words.indexOf('--targets');
const targets = at < 0 ? TARGETS : words.splice(at, 2)[1]!.split(',');
const kernels = (await readdir(path.join(REPOSITORY, 'kernels'))).filter((name) => name.endsWith('.hip')).sort();
const folder = await mkdtemp(path.join(tmpdir(), 'darm-parity-'));
const image = path.join(folder, 'image');
await unpackImage(image);
const compiler = createCompiler({ threads: 2, tierPolicy: 'long' });
const totals = { same: 0, different: 0 };

for (const name of kernels) {
  if (words.length > 0 && !words.includes(name.replace('.hip', ''))) continue;
  const file = path.join(REPOSITORY, 'kernels', name);
  for (const target of targets) {
    const [ours, theirs] = await Promise.all([compileOurs(file, target), compileNative(file, target)]);
    const differing = ['.text', '.rodata'].filter((section) => !isSame(ours, theirs, section));
    totals[differing.length === 0 ? 'same' : 'different']++;
    if (differing.length > 0) console.log(`DIFFERENT ${name} ${target}: ${differing.join(', ')}`);
  }
}
console.log(`${totals.same} the same, ${totals.different} different`);
await compiler.close();
await rm(folder, { recursive: true });
process.exitCode = totals.different > 0 ? 1 : 0;

async function compileOurs(file: string, mcpu: string): Promise<Uint8Array> {
  const defines = { SIZE, KERNEL: 'kernel_64' };
  const options = { language: 'hip', name: file, mcpu, meld: 'off', defines } as const;
  return (await compiler.compile(await readFile(file), options)).artifacts[0]!.bytes;
}

/** clang's own driver, but for the folders of headers. */
async function compileNative(file: string, target: string): Promise<Uint8Array> {
  const output = path.join(folder, 'native.o');
  const linked = path.join(folder, 'native.hsaco');
  const own = (flag: string, value: string): string[] => ['-Xclang', flag, '-Xclang', value];
  const tool = (name: string): string => path.join(REPOSITORY, 'build', 'bin', name);
  const flags = [
    '-x', 'hip', '--offload-device-only', '-nogpuinc', '-nostdinc', '-O3', `-DSIZE=${SIZE}`, '-DKERNEL=kernel_64',
    `--offload-arch=${target}`, `--rocm-device-lib-path=${image}/device`, '-emit-llvm', '-Xclang', '-disable-llvm-passes',
    ...own('-internal-isystem', `${image}/clang/include/cuda_wrappers`), ...own('-internal-isystem', `${image}/hip`),
    ...own('-internal-isystem', `${image}/darm`), ...own('-internal-isystem', `${image}/c++`),
    ...own('-internal-isystem', `${image}/clang/include`), ...own('-internal-externc-isystem', `${image}/c`),
    ...own('-include', '__clang_hip_runtime_wrapper.h'), ...own('-include', 'darm_hip_declarations.h'),
    '--target=x86_64-unknown-linux-musl',
  ]; // prettier-ignore
  const run = promisify(execFile);
  const bitcode = path.join(folder, 'native.bc');
  const optimised = path.join(folder, 'native.opt.bc');
  await run(tool('clang-23'), [...flags, '-c', file, '-o', bitcode]);
  await run(tool('opt-23'), [
    '-passes=default<O3>',
    `-mcpu=${target}`,
    '-amdgpu-internalize-symbols',
    bitcode,
    '-o',
    optimised,
  ]);
  await run(tool('llc-23'), ['-O3', `-mcpu=${target}`, '-filetype=obj', optimised, '-o', output]);
  await run(tool('ld.lld-23'), ['-shared', '--no-undefined', output, '-o', linked]);
  return readFile(linked);
}

function isSame(ours: Uint8Array, theirs: Uint8Array, section: string): boolean {
  const [a, b] = [ours, theirs].map((bytes) => elfSectionBytes(parseElf(bytes), section));
  return a !== null && b !== null && Buffer.compare(a!, b!) === 0;
}

/** The files of the image: see wasm/frontend/make-image.mjs. */
async function unpackImage(to: string): Promise<void> {
  const bytes = await readPart('headers', (await frontendManifest()).image, 'image');
  const words = new DataView(bytes.buffer, bytes.byteOffset);
  const part = (index: number): Uint8Array => {
    const start = words.getUint32(4 * index, true);
    return bytes.subarray(start, start + words.getUint32(4 * index + 4, true));
  };
  for (let file = 0; file < words.getUint32(0, true); file++) {
    const name = path.join(to, new TextDecoder().decode(part(1 + 4 * file)));
    await mkdir(path.dirname(name), { recursive: true });
    await writeFile(name, part(3 + 4 * file));
  }
}
