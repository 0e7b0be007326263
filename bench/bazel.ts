/**
 * What persistent workers save a build: the real Bazel, with the rule of examples/build-systems, builds kernels with
 * workers that are there already, and with a process per kernel. Bazel 4 needs the flags below to allow what later ones
 * do by themselves.
 * usage: node dist/bench/bazel.js [--kernels N]
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KERNELS, kernelPath, option, printTable, REPOSITORY } from './support.js';

const kernels = option('kernels', 100);
if (spawnSync('bazel', ['--version']).error !== undefined) throw new Error('bazel is not installed');
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bazel-'));
const workspace = path.join(folder, 'workspace');
await mkdir(workspace);
await copyFile(path.join(REPOSITORY, 'examples/build-systems/darm.bzl'), path.join(workspace, 'darm.bzl'));
for (const name of KERNELS) await copyFile(kernelPath(`${name}.gfx906.O3`), path.join(workspace, `${name}.bc`));
await writeFile(path.join(workspace, 'WORKSPACE'), '');
/** In a workspace of one's own, rules_js makes this of the package. */
await writeFile(
  path.join(workspace, 'executable.bzl'),
  `def _impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(out, "#!/bin/sh\\nexec ${process.execPath} ${REPOSITORY}dist/command/main.js \\"$@\\"\\n", is_executable = True)
    return [DefaultInfo(executable = out)]

executable = rule(implementation = _impl, executable = True)
`,
);

/** Other options make other actions, which Bazel does not have. */
async function change(round: number): Promise<void> {
  const rules = Array.from(
    { length: kernels },
    (_, n) =>
      `darm_code_object(name = "k${n}", src = "${KERNELS[n % KERNELS.length]!}.bc", darm = ":darm", ` +
      `options = ["--threshold", "0.1${round}${String(n).padStart(5, '0')}"])`,
  );
  const loads = ['load(":darm.bzl", "darm_code_object")', 'load(":executable.bzl", "executable")'];
  await writeFile(path.join(workspace, 'BUILD'), [...loads, 'executable(name = "darm")', ...rules, ''].join('\n'));
}

const WORKERS = [
  '--strategy=Darm=worker',
  '--experimental_worker_allow_json_protocol',
  '--experimental_worker_multiplex',
];
const bazel = (...words: string[]): number => {
  const started = performance.now();
  const { status, stderr } = spawnSync('bazel', [`--output_user_root=${folder}/root`, ...words], { cwd: workspace });
  if (status !== 0) throw new Error(stderr.toString());
  return (performance.now() - started) / 1000;
};
const build = (...flags: string[]): number => bazel('build', '--jobs=4', '--noshow_progress', ...flags, '//:all');

try {
  // Bazel and the workers start.
  await change(0);
  build(...WORKERS);
  const times = { workers: [] as number[], processes: [] as number[] };
  for (let round = 1; round <= 2; round++) {
    await change(2 * round - 1);
    times.workers.push(build(...WORKERS));
    await change(2 * round);
    times.processes.push(build('--strategy=Darm=local'));
  }
  const [workers, processes] = [Math.min(...times.workers), Math.min(...times.processes)];
  printTable(
    [`Bazel, ${kernels} kernels, the better of two`, 'time', 'as fast'],
    [
      ['a process per kernel', `${processes.toFixed(1)} s`, '1.00'],
      ['persistent workers', `${workers.toFixed(1)} s`, (processes / workers).toFixed(2)],
    ],
  );
} finally {
  bazel('shutdown');
  spawnSync('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true, force: true });
}
