/**
 * Writes src/frontend/lean-index.ts: what can be left out of HIP's headers, and what mentions what (see lean.ts there).
 * It depends on the image of headers only; a test compares.
 *
 *   node dist/packaging/lean-index.js
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFrontend, frontendManifest, type FrontendCode } from '../src/binding/load-frontend.js';
import { readPart } from '../src/binding/load.js';
import { instantiateFrontend } from '../src/binding/frontend.js';
import { cc1Arguments, leanArguments } from '../src/frontend/cc1.js';
import { JobFiles } from '../src/frontend/files.js';
import { parseFlags } from '../src/frontend/flags.js';
import { IMAGE_FOLDER, PackageImage } from '../src/frontend/image.js';
import { INCLUDE, isMadeOf, mentionOf, type LeanChunk, type LeanIndex } from '../src/frontend/lean.js';
import { chunksOf, WORD, wordsOf, type Chunk } from './header-chunks.js';

/** By folder of the image that is searched. */
const DIVIDED: Readonly<Record<string, readonly string[]>> = {
  'clang/include': ['__clang_hip_cmath.h', '__clang_hip_math.h'],
  hip: [
    'hip/hip_runtime_api.h',
    ...[
      ...['amd_device_functions', 'amd_warp_functions', 'amd_warp_sync_functions', 'amd_hip_atomic'],
      ...['amd_hip_unsafe_atomics', 'amd_surface_functions', 'texture_fetch_functions', 'texture_indirect_functions'],
      ...['ockl_image', 'hip_ldg', 'amd_channel_descriptor', 'amd_hip_vector_types'],
    ].map((name) => `hip/amd_detail/${name}.h`),
  ],
};

/** The C++ library's headers that HIP's include and do without. */
const LIBRARIES = ['array', 'tuple'];

/**
 * Headers of the libraries in front of clang's for HIP: they mention functions that are declared before, and nothing
 * that they say can mean what comes later.
 */
const EARLIER =
  /^(c\/|c\+\+\/(__math\/|cmath$|math\.h$|cstdlib$|stdlib\.h$)|clang\/include\/__clang_cuda_math_forward_declares\.h$)/;

const STANDARDS = ['c++11', 'c++14', 'c++17', 'c++20', 'c++23'];
const TARGET = 'gfx1100';

/** What an empty source reads, with any standard. */
async function readByAll(code: FrontendCode, image: PackageImage, processors: readonly string[]): Promise<string[]> {
  const clang = await instantiateFrontend(code, { memoryLimitBytes: 2 ** 30 });
  const read = new Set<string>();
  const source = new TextEncoder().encode('#include <hip/hip_runtime.h>\n');
  for (const standard of STANDARDS) {
    const flags = parseFlags([`-std=${standard}`]);
    const name = 'empty.hip';
    const words = leanArguments(
      cc1Arguments({
        ...{ flags, language: 'hip', name, target: TARGET, optimize: '3' },
        ...{ product: 'bitcode', hasHeaders: false, processors },
      }),
    )!;
    const job = { arguments: words, name, source, headers: new Map<string, Uint8Array>(), disk: false, colors: false };
    const files = new JobFiles(job, image, new Map());
    const { isDone, log } = clang.translate(words, files, false);
    if (!isDone) throw new Error(log);
    for (const file of files.files().keys())
      if (file.startsWith(`${IMAGE_FOLDER}/`) && !file.endsWith('.bc')) read.add(file.slice(IMAGE_FOLDER.length + 1));
  }
  return [...read].sort();
}

/** The folders of the image in which `#include` finds headers. */
const SEARCHED = /^(hip|c\+\+|clang\/include\/cuda_wrappers|clang\/include|c)\/(.+)$/;

/** A macro whose text joins words. */
const PASTING = /^[ \t]*#[ \t]*define[ \t]+(\w+)\([^)]*\)(?:\\\r?\n|[^\n])*##/gm;

/** The names of headers that a header includes, the one that lies beside it under its whole name. */
function includesOf(name: string, text: string): string[] {
  const names = [...text.matchAll(INCLUDE)].map((found) => found[1]!);
  return [...names, ...names.map((other) => path.posix.join(path.posix.dirname(name), other))].map(mentionOf);
}

export async function makeLeanIndex(code: FrontendCode): Promise<LeanIndex> {
  const { image: facts, processors } = await frontendManifest();
  const image = new PackageImage(await readPart('headers', facts, 'image'));
  const textOf = (file: string): string => new TextDecoder('latin1').decode(image.read(`${IMAGE_FOLDER}/${file}`)!);
  const divided = Object.entries(DIVIDED).flatMap(([folder, names]) =>
    names.map((name) => ({ file: `${folder}/${name}`, chunks: chunksOf(textOf(`${folder}/${name}`)) })),
  );
  const isDivided = new Set(divided.map(({ file }) => file));
  const all = divided.flatMap(({ chunks }) => chunks);

  // Macros of the divided headers, and headers that not every source reads: they mention something when they are
  // mentioned themselves.
  const read = await readByAll(code, image, processors);
  const mentions = new Map<string, Set<string>>();
  const add = (name: string, words: Iterable<string>): void => {
    const known = mentions.get(name) ?? new Set();
    for (const word of words) if (word !== name) known.add(word);
    mentions.set(name, known);
  };
  for (const { macro, words } of all) if (macro !== null) add(macro, words);
  const isRead = new Set(read);
  const declared = new Set(all.flatMap((chunk) => chunk.names ?? []));
  const pasting = new Set<string>();
  for (const file of image.names()) {
    const [, , name] = SEARCHED.exec(file) ?? [];
    if (name === undefined) continue;
    const text = textOf(file);
    for (const [, macro] of text.matchAll(PASTING)) pasting.add(macro!);
    if (isRead.has(file)) continue;
    const pieces = new Set(text.match(/\w+/g));
    const pasted = text.includes('##') ? [...declared].filter((each) => isMadeOf(each, pieces)) : [];
    add(mentionOf(name), [...(text.match(WORD) ?? []), ...pasted, ...includesOf(name, text)]);
  }
  const always = new Set<string>();
  const mention = (words: Iterable<string>): void => {
    for (const word of words)
      if (!always.has(word)) {
        always.add(word);
        mention(mentions.get(word) ?? []);
        for (const chunk of all) if (chunk.names?.includes(word)) mention(chunk.words);
      }
  };
  for (const chunk of all) if (chunk.names === null && chunk.macro === null) mention(chunk.words);
  for (const file of read) if (!isDivided.has(file) && !EARLIER.test(file)) mention(wordsOf(textOf(file)));
  const functions = new Set([...declared].filter((name) => !always.has(name)));
  const names = new Set([...functions, ...LIBRARIES, ...leading(mentions, functions)]);

  const sorted = [...names].sort();
  const number = new Map(sorted.map((name, index) => [name, index]));
  const numbers = (words: Iterable<string>): number[] =>
    [...new Set(words)]
      .map((word) => number.get(word))
      .filter((each) => each !== undefined)
      .sort((a, b) => a - b);
  return {
    names: sorted,
    mentions: Object.fromEntries(
      [...mentions].filter(([name]) => names.has(name)).map(([name, words]) => [number.get(name)!, numbers(words)]),
    ),
    libraries: LIBRARIES,
    pasting: [...pasting].sort(),
    headers: divided.map(({ file, chunks }) => ({
      file,
      chunks: chunks
        .filter(
          (chunk): chunk is Chunk & { names: readonly string[] } =>
            chunk.names !== null && chunk.names.every((name) => !always.has(name)),
        )
        .map(({ from, to, names: own, words }): LeanChunk => {
          const lines = textOf(file).slice(from, to).split('\n').length - 1;
          return [from, to - from, lines, numbers(own), numbers(without(words, own))];
        }),
    })),
    read,
  };
}

const without = (words: ReadonlySet<string>, some: readonly string[]): string[] =>
  [...words].filter((word) => !some.includes(word));

/** Of names with mentions, those that lead to a function. */
function leading(mentions: ReadonlyMap<string, ReadonlySet<string>>, functions: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [name, words] of mentions)
      if (!found.has(name) && [...words].some((word) => functions.has(word) || found.has(word))) found.add(name);
  }
  return found;
}

/** One line for each header. */
export function leanIndexSource(index: LeanIndex): string {
  const { headers, ...rest } = index;
  const lines = Object.entries(rest).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
  const text = `{${lines.join(',\n')},\n"headers":[\n${headers.map((each) => JSON.stringify(each)).join(',\n')}\n]}`;
  return `// Made by packaging/lean-index.ts.\nexport const LEAN_INDEX = String.raw\`${text}\`;\n`;
}

export const LEAN_INDEX_FILE = new URL('../../src/frontend/lean-index.ts', import.meta.url);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(LEAN_INDEX_FILE, leanIndexSource(await makeLeanIndex(await compileFrontend())));
