/**
 * LLVM's own test files, which `fetch.sh` downloads, as inputs. They are chosen by hash, not from a list, so that the
 * choice is the same everywhere and has no bias. Files without a target triple get one.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const CPUS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1200'];

const CODEGEN = 'llvm/test/CodeGen/AMDGPU';
const UNIFORMITY = ['llvm/test/Analysis/UniformityAnalysis/AMDGPU', 'llvm/test/Analysis/UniformityAnalysis/NVPTX'];

/** A test file and the processor to compile it for. */
export interface Pair {
  /** Path relative to the folder of the test files. */
  readonly file: string;
  readonly cpu: string;
}

/** A test of LLVM's uniformity analysis, with the target from its RUN line. */
export interface AnalysisInput extends Pair {
  /** Replaces the module's own triple, as opt's -mtriple does; null keeps it. */
  readonly triple: string | null;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function byHash<T>(items: readonly T[], name: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: hashOf(name(item)) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}

function llFiles(root: string, folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ll'))
    .map((name) => path.posix.join(folder, name))
    .sort();
}

/** Every code generation test for every processor, ordered by hash. */
export function codegenPairs(root: string, cpus: readonly string[]): Pair[] {
  const pairs = llFiles(root, CODEGEN).flatMap((file) => cpus.map((cpu) => ({ file, cpu })));
  return byHash(pairs, ({ file, cpu }) => `${path.basename(file)} ${cpu}`);
}

/** The uniformity tests, once for each different target in their RUN lines. */
export function uniformityInputs(root: string): AnalysisInput[] {
  return UNIFORMITY.flatMap((folder) => llFiles(root, folder)).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const runs = [...text.matchAll(/^;\s*RUN:\s*opt\b.*$/gm)].map(([line]) => ({
      file,
      cpu: /-mcpu[= ](\S+)/.exec(line)?.[1] ?? '',
      triple: /-mtriple[= ](\S+)/.exec(line)?.[1] ?? null,
    }));
    const different = new Map(runs.map((run) => [`${run.cpu} ${run.triple}`, run]));
    return different.size === 0 ? [{ file, cpu: '', triple: null }] : [...different.values()];
  });
}

/** The code generation tests as inputs for the analyses: each for one processor, chosen by hash. */
export function codegenAnalysisInputs(root: string, cpus: readonly string[]): AnalysisInput[] {
  const inputs = llFiles(root, CODEGEN).map((file) => {
    const cpu = cpus[Number.parseInt(hashOf(path.basename(file)).slice(0, 8), 16) % cpus.length]!;
    return { file, cpu, triple: null };
  });
  return byHash(inputs, ({ file }) => path.basename(file));
}

/** The code generation tests, each for the target of its first RUN line, or for a processor chosen by hash. */
export function everyCodegenFile(root: string, cpus: readonly string[]): AnalysisInput[] {
  return codegenAnalysisInputs(root, cpus).map(({ file, cpu }) => {
    const runs = readFileSync(path.join(root, file), 'utf8').match(/^;\s*RUN:.*$/gm) ?? [];
    const run = runs.find((line) => !/r600/.test(line)) ?? '';
    return {
      file,
      cpu: /-mcpu[= ](gfx\w+|[a-z]+)/.exec(run)?.[1] ?? cpu,
      triple: /-mtriple[= ](amdgcn[\w-]*)/.exec(run)?.[1] ?? null,
    };
  });
}

/**
 * The text that both compilers read. The name of the source can occur in the output and would otherwise be the name of
 * the file, which is not the same for both; so it is set at the top, as is a missing triple.
 */
export function inputText(root: string, file: string, triple: string | null = null): string {
  let text = readFileSync(path.join(root, file), 'utf8');
  const own = /^target triple\s*=\s*"[^"]*"/m;
  const wanted = triple ?? (own.test(text) ? null : 'amdgcn-amd-amdhsa');
  if (triple !== null) text = text.replace(own, '');
  const lines = [
    ...(/^source_filename\s*=/m.test(text) ? [] : [`source_filename = "${path.basename(file)}"`]),
    ...(wanted === null ? [] : [`target triple = "${wanted}"`]),
  ];
  return [...lines, text].join('\n');
}
