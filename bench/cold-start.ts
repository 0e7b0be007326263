/**
 * Cold start: the time of `darm compile` for one small optimised kernel from process start to exit, beside that of
 * native `llc-23` and `ld.lld-23`, if `build.sh --native` made them. Where Node can prepare code, that is done first,
 * in a folder for this bench, and compared. The last row is one more LLVM instance in a running process. Beside the
 * times stands the most memory that was resident, where the system tells it (Linux).
 * usage: node dist/bench/cold-start.js [--rounds N]
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileLlvm } from '../src/binding/load.js';
import { instantiateLlvm } from '../src/binding/runtime.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { kernelPath, median, ms, nativeTool, option, printTable, REPOSITORY, timeProcess } from './support.js';

const rounds = option('rounds', 10);
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const output = path.join(folder, 'kernel.hsaco');
const object = path.join(folder, 'kernel.o');
const input = kernelPath('bitonic.gfx906.O3');
const commandFor = (kernel: string): string[] => [
  `${REPOSITORY}dist/command/main.js`,
  'compile',
  kernel,
  '-o',
  output,
  '--quiet',
];
const command = commandFor(input);

const lud = commandFor(kernelPath('lud.gfx906.O3'));
const prepared = { DARM_PREPARED_DIR: path.join(folder, 'prepared') };
const unprepared = { DARM_PREPARED_DIR: path.join(folder, 'nothing') };

type Environment = Readonly<Record<string, string>>;
const ofNode = (args: readonly string[], env: Environment = {}) => ({
  run: () => timeProcess(process.execPath, args, env),
  memory: () => peakMemory(args, env),
});
const variants: [string, { run: () => number; memory: () => string }][] = [
  ['darm compile', ofNode(command, unprepared)],
  ['darm compile, LUD', ofNode(lud, unprepared)],
  ['darm compile --meld off', ofNode([...command, '--meld', 'off'], unprepared)],
  ['node, nothing else', ofNode(['-e', ''])],
];
const canPrepare = (): boolean => {
  const [program, script] = [process.execPath, command[0]!];
  return spawnSync(program, [script, 'prepare'], { env: { ...process.env, ...prepared } }).status === 0;
};
if (canPrepare())
  variants.push(
    ['darm compile, prepared', ofNode(command, prepared)],
    ['darm compile, LUD, prepared', ofNode(lud, prepared)],
  );
if (existsSync(nativeTool('llc-23'))) {
  const run = () =>
    timeProcess(nativeTool('llc-23'), ['-mcpu=gfx906', '-filetype=obj', input, '-o', object]) +
    timeProcess(nativeTool('ld.lld-23'), ['-shared', object, '-o', output]);
  variants.push(['llc-23 and ld.lld-23', { run, memory: () => '' }]);
}

/** The most memory that was resident in a process of Node, in MiB; a run of its own. Empty where nothing tells it. */
function peakMemory(args: readonly string[], env: Environment): string {
  if (process.platform !== 'linux') return '';
  const atEnd = `import { readFileSync, writeFileSync } from 'node:fs';
    process.on('exit', () => writeFileSync(2, readFileSync('/proc/self/status')));`;
  const module = `data:text/javascript,${encodeURIComponent(atEnd)}`;
  const { stderr } = spawnSync(process.execPath, ['--import', module, ...args], { env: { ...process.env, ...env } });
  const kibibytes = Number(/^VmHWM:\s*(\d+)/m.exec(stderr.toString())?.[1]);
  return `${Math.round(kibibytes / 1024)} MiB`;
}

const times = new Map(variants.map(([name]) => [name, [] as number[]]));
for (let round = -1; round < rounds; round++)
  for (const [name, { run }] of variants) {
    const wall = run();
    if (round >= 0) times.get(name)!.push(wall); // the first round may unpack the module
  }
const memory = new Map(variants.map(([name, { memory }]) => [name, memory()]));
await rm(folder, { recursive: true });

setTierPolicy('short');
const code = await compileLlvm();
const instances: number[] = [];
for (let round = 0; round < rounds; round++) {
  const start = performance.now();
  await instantiateLlvm(code, { memoryLimitBytes: 2 ** 32 });
  instances.push(performance.now() - start);
}
times.set('one more instance of LLVM', instances);
printTable(
  ['process start to exit', 'median', 'least', 'most', 'memory'],
  [...times].map(([name, all]) => {
    const figures = [median(all), Math.min(...all), Math.max(...all)].map(ms);
    return [name, ...figures, memory.get(name) ?? ''];
  }),
);
