/**
 * Compares the results of two revisions for the same kernels: the regression test for changes that must not change any
 * output.
 *
 *   npm run test:bytes                  the working tree against HEAD
 *   npm run test:bytes -- REV           the working tree against another revision
 *   npm run test:bytes -- DIR           the working tree against another checkout that is installed
 *
 * The commands of both trees compile every module of the kernels and of the corpus: optimised input at the late meld
 * point, unoptimised input at the early one with O3, each with `--meld` darm, branch-fusion and off, as a code object
 * and as bitcode. The simulators of both trees then execute the code objects for gfx906 and gfx1100 that have a
 * specification in kernels/specs; outputs, counters and cycles are compared. A result that only one tree has is a
 * difference. The last line is `N passed, N failed`.
 *
 * The tree of the other revision stays in build/bytes/. Its results are made again only when it has changed.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSpecs } from '../../kernels/references/specs.js';
import type { JobOptions } from '../../src/job/options.js';
import { REPOSITORY } from '../support/llvm.js';

const FOLDER = path.join(REPOSITORY, 'build', 'bytes');
const MODELS = path.join(REPOSITORY, 'kernels');
const MANIFEST = path.join(FOLDER, 'manifest.jsonl');
const SIMULATED_TARGETS = ['gfx906', 'gfx1100'];

function run(program: string, args: readonly string[], cwd = REPOSITORY): string {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}`);
  return stdout.trim();
}

/** An installed checkout of a revision, or the folder that was given. */
function treeOf(revision: string): string {
  if (existsSync(path.join(revision, 'package.json'))) return path.resolve(revision);
  const commit = run('git', ['rev-parse', '--verify', `${revision}^{commit}`]);
  const tree = path.join(FOLDER, commit.slice(0, 12));
  if (existsSync(path.join(tree, 'dist'))) return tree;
  run('git', ['worktree', 'add', '--force', '--detach', tree, commit]);
  // `npm ci` also compiles the sources.
  run('npm', ['ci', '--silent'], tree);
  return tree;
}

/** One line per compilation, in the format of `darm batch`. Both trees compile the inputs of this tree. */
function writeManifest(): void {
  const lines = ['ir', 'corpus/ir']
    .flatMap((folder) =>
      readdirSync(path.join(MODELS, folder))
        .filter((file) => /\.gfx.*\.bc$/.test(file))
        .sort()
        .map((file) => path.join(folder, file)),
    )
    .flatMap((file) => {
      const point: Partial<JobOptions> = file.endsWith('.early.bc') ? { meldPoint: 'early', optimize: 'O3' } : {};
      return (['darm', 'branch-fusion', 'off'] as const).flatMap((meld) =>
        (['hsaco', 'bc'] as const).map((kind) => ({
          input: path.relative(FOLDER, path.join(MODELS, file)),
          output: `${path.basename(file, '.bc')}.${meld}.${kind}`,
          options: { meld, emit: [kind], ...point },
        })),
      );
    });
  writeFileSync(MANIFEST, lines.map((line) => JSON.stringify(line) + '\n').join(''));
}

/** SHA-256 of each result, from the batch's journal. */
function compileAll(tree: string, results: string): Map<string, string> {
  const main = path.join(tree, 'dist/src/cli/main.js');
  const args = ['batch', MANIFEST, '--out-dir', results, '-j', '2', '--quiet', '--no-cache'];
  spawnSync(process.execPath, [main, ...args], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  const wanted = new Set(
    readFileSync(MANIFEST, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { output: string }).output),
  );
  const journal = readFileSync(path.join(results, '.darm', 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return new Map(
    journal
      .map((line) => JSON.parse(line) as { output: string; sha256: string })
      .filter(({ output }) => wanted.has(output))
      .map(({ output, sha256 }) => [output, sha256]),
  );
}

/** The simulator's results for each launch, as text. */
async function runAll(tree: string, results: string): Promise<Map<string, string>> {
  const main = path.join(tree, 'dist/src/cli/main.js');
  const launches = readSpecs().flatMap(({ kernel, module }) =>
    SIMULATED_TARGETS.flatMap((target) =>
      ['O3', 'early']
        .map((form) => `${module}.${target}.${form}.darm.hsaco`)
        .filter((file) => existsSync(path.join(results, file)))
        .map((file) => ({ kernel, file })),
    ),
  );
  const said = new Map<string, string>();
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < launches.length) {
      const { kernel, file } = launches[next++]!;
      const args = [main, 'run', path.join(results, file), '--spec', path.join(MODELS, 'specs', `${kernel}.json`)];
      const outcome = await promisify(execFile)(process.execPath, [...args, '--json'])
        .then(({ stdout }) => stdout)
        .catch((error: { stdout?: string }) => `failed: ${error.stdout ?? ''}`);
      said.set(`${kernel} of ${file}`, outcome);
    }
  };
  await Promise.all([runner(), runner()]);
  return said;
}

/** Prints the differences; the result is how many are equal and how many are not. */
function compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): [number, number] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const different = names.filter((name) => before.get(name) !== after.get(name));
  for (const name of different) console.log(`differs: ${name}`);
  return [names.length - different.length, different.length];
}

mkdirSync(FOLDER, { recursive: true });
const tree = treeOf(process.argv[2] ?? 'HEAD');
const folders = [path.join(FOLDER, 'results', path.basename(tree)), path.join(FOLDER, 'results', 'here')] as const;
writeManifest();
console.log(`${tree} against the working tree`);
const compiled = [compileAll(tree, folders[0]), compileAll(REPOSITORY, folders[1])] as const;
const [equalFiles, otherFiles] = compare(...compiled);
console.log(`${equalFiles} of ${equalFiles + otherFiles} compiled files have equal bytes`);
const [equalRuns, otherRuns] = compare(await runAll(tree, folders[0]), await runAll(REPOSITORY, folders[1]));
console.log(`${equalRuns} of ${equalRuns + otherRuns} launches have equal outputs, counters and cycles`);
const failed = otherFiles + otherRuns;
console.log(`${equalFiles + equalRuns} passed, ${failed} failed`);
process.exitCode = failed > 0 || equalFiles === 0 || equalRuns === 0 ? 1 : 0;
