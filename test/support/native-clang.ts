/**
 * Native clang of the same LLVM, to compare with: its own driver, passes and code generator, with the headers and
 * device libraries of the package. `build.sh --native` makes the tools.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { elfSectionBytes, parseElf } from '../../src/formats/elf.js';
import { SUPPLEMENT } from '../../src/frontend/supplement.js';
import { REPOSITORY } from './llvm.js';

const run = (name: string, args: readonly string[]): Promise<unknown> =>
  promisify(execFile)(path.join(REPOSITORY, 'build', 'bin', name), args, { maxBuffer: 2 ** 28 });

/**
 * Writes the files of the image, headers and device libraries (see wasm/frontend/make-image.mjs), and the headers that
 * stand in front of its C++ library's.
 */
export async function unpackImage(to: string): Promise<void> {
  for (const [name, content] of imageFiles(await readPart('headers', (await frontendManifest()).image, 'image')))
    await write(path.join(to, name), content);
  for (const [name, text] of SUPPLEMENT) await write(path.join(to, 'supplement', name), text);
}

async function write(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** The files of an image by their paths. */
export function* imageFiles(bytes: Uint8Array): Iterable<[string, Uint8Array]> {
  const words = new DataView(bytes.buffer, bytes.byteOffset);
  const part = (index: number): Uint8Array => {
    const start = words.getUint32(4 * index, true);
    return bytes.subarray(start, start + words.getUint32(4 * index + 4, true));
  };
  for (let file = 0; file < words.getUint32(0, true); file++)
    yield [new TextDecoder().decode(part(1 + 4 * file)), part(3 + 4 * file)];
}

/** What clang's driver is told of a HIP source for the device, with the headers and libraries of an unpacked image. */
export function hipFlags(image: string, target: string): string[] {
  const own = (flag: string, value: string): string[] => ['-Xclang', flag, '-Xclang', value];
  return [
    ...['-x', 'hip', '--offload-device-only', `--offload-arch=${target}`, '--target=x86_64-unknown-linux-musl'],
    ...['-nogpuinc', '-nostdinc', `--rocm-device-lib-path=${image}/device`],
    ...own('-internal-isystem', `${image}/clang/include/cuda_wrappers`),
    ...['hip', 'darm', 'supplement', 'c++', 'clang/include'].flatMap((name) =>
      own('-internal-isystem', `${image}/${name}`),
    ),
    ...own('-internal-externc-isystem', `${image}/c`),
    ...own('-include', '__clang_hip_runtime_wrapper.h'),
    ...own('-include', 'darm_hip_declarations.h'),
  ];
}

/** The same of an OpenCL source. The image has OpenCL's library only in parts, so its folder is another one. */
export const openclFlags = (libraries: string, target: string): string[] => [
  ...['-x', 'cl', '--target=amdgcn-amd-amdhsa', `-mcpu=${target}`, `--rocm-device-lib-path=${libraries}`],
  // As AMD's runtime does, and ours.
  ...['-D__OPENCL_VERSION__=200', '-D__IMAGE_SUPPORT__=1'],
];

/**
 * A code object: clang makes bitcode and then an object of it, and lld links that. The bitcode is optimised; or not
 * yet, as ours is when LLVM's module gets it. That may give other code: bitcode does not keep all orders that a module
 * in memory has.
 *
 * @param flags with the source
 * @param folder for what is made on the way
 */
export async function compileNative(
  flags: readonly string[],
  target: string,
  folder: string,
  isOptimised = true,
  level = '-O3',
): Promise<Uint8Array> {
  const at = (name: string): string => path.join(folder, name);
  const unoptimised = ['-Xclang', '-disable-llvm-passes'];
  await run('clang-23', [
    level,
    ...flags,
    ...(isOptimised ? [] : unoptimised),
    '-emit-llvm',
    '-c',
    '-o',
    at('native.bc'),
  ]);
  const generate = ['-x', 'ir', '-nogpulib', level, ...(isOptimised ? unoptimised : []), '-c', at('native.bc')];
  await run('clang-23', ['--target=amdgcn-amd-amdhsa', `-mcpu=${target}`, ...generate, '-o', at('native.o')]);
  await run('ld.lld-23', ['-shared', '--no-undefined', at('native.o'), '-o', at('native.hsaco')]);
  return readFile(at('native.hsaco'));
}

const EMPTY = new Uint8Array();

/** The sections of code and kernel descriptors that are not the same bytes in two code objects. */
export function differingSections(ours: Uint8Array, theirs: Uint8Array): string[] {
  return ['.text', '.rodata'].filter((section) => {
    const [a, b] = [ours, theirs].map((bytes) => elfSectionBytes(parseElf(bytes), section));
    return Buffer.compare(a ?? EMPTY, b ?? EMPTY) !== 0;
  });
}
