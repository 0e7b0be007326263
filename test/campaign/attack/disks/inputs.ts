/** Inputs without an end, and names that are dangerous to print. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { kernelPath } from '../../../support/llvm.js';
import type { Check } from './check.js';
import { failureComplaint, run } from './command.js';
import { inFolder } from './kills.js';

const KERNEL = kernelPath('sb1.gfx906.O3');
const LIMIT = { limitMs: 120_000 };

/** Commands that read a file. */
const READING = (file: string): readonly (readonly string[])[] => [
  ['compile', file, '-o', '/dev/null'],
  ['inspect', file],
  ['analyze', file],
  ['run', file, '--spec', file],
  ['batch', file, '--out-dir', '/dev/shm/darm-attack-never', '--quiet'],
];

const endless = (name: string, args: readonly string[]): Check => ({
  name: `${name}: darm ${args[0]}`,
  run: async () => {
    const end = await run(args, LIMIT);
    return end.how === 1 || end.how === 2 ? null : `it ended with ${end.how}: ${end.stderr.slice(0, 300)}`;
  },
});

export const INPUTS: readonly Check[] = [
  ...READING('/dev/zero').map((args) => endless('/dev/zero', args)),
  {
    name: 'a FIFO without a writer',
    run: () =>
      inFolder(async (folder) => {
        const fifo = path.join(folder, 'fifo');
        execFileSync('mkfifo', [fifo]);
        return failureComplaint(await run(['compile', fifo, '-o', '/dev/null', '--timeout', '3'], LIMIT));
      }),
  },
  {
    name: 'response files within response files',
    run: () =>
      inFolder(async (folder) => {
        for (let i = 0; i < 15; i++) await writeFile(path.join(folder, `${i}.rsp`), `@${i + 1}.rsp @${i + 1}.rsp @${i + 1}.rsp\n`); // prettier-ignore
        await writeFile(path.join(folder, '15.rsp'), 'x\n');
        const end = await run(['compile', '@0.rsp'], { ...LIMIT, cwd: folder });
        return end.how === 2 || end.how === 1 ? null : `it ended with ${end.how}: ${end.stderr.slice(0, 300)}`;
      }),
  },
  {
    name: 'a response file that names itself',
    run: () =>
      inFolder(async (folder) => {
        await writeFile(path.join(folder, 'a.rsp'), '@a.rsp\n');
        const end = await run(['compile', '@a.rsp'], { ...LIMIT, cwd: folder });
        return end.how === 2 || end.how === 1 ? null : `it ended with ${end.how}: ${end.stderr.slice(0, 300)}`;
      }),
  },
  {
    name: 'few open files',
    run: async () => {
      const end = await run(['compile', KERNEL, '-o', '/dev/null'], { ...LIMIT, shell: 'ulimit -n 24;' });
      if (end.how === 0) return end.stderr === '' ? null : `it warns: ${end.stderr.slice(0, 300)}`;
      return failureComplaint(end);
    },
  },
  {
    name: 'a name that is an escape sequence of terminals',
    run: () =>
      inFolder(async (folder) => {
        const file = path.join(folder, 'a\x1b]0;x\x07.bc');
        await writeFile(file, 'nothing');
        const end = await run(['compile', file, '-o', '/dev/null'], LIMIT);
        return end.stderr.includes('\x1b') ? 'the escape sequence is sent to the terminal' : failureComplaint(end);
      }),
  },
  {
    name: 'a name with a line feed in a dependency file',
    run: () =>
      inFolder(async (folder) => {
        const file = path.join(folder, 'a\nall: evil.bc');
        await copyFile(KERNEL, file);
        const deps = path.join(folder, 'x.d');
        const end = await run(['compile', file, '-o', path.join(folder, 'x.o'), '-MF', deps], LIMIT);
        if (end.how !== 0) return failureComplaint({ ...end, how: end.how === 2 ? 1 : end.how });
        return /^all:/m.test(await readFile(deps, 'utf8')) ? 'the dependency file has a rule of the attacker' : null;
      }),
  },
  {
    name: 'two names of one output in a manifest',
    run: () =>
      inFolder(async (folder) => {
        await copyFile(KERNEL, path.join(folder, 'a.bc'));
        for (const [first, second] of [['o.hsaco', './o.hsaco'], ['x/o', 'x//o'], ['x/./o', 'x/o'], ['x', 'x/']] as const) {
          const lines = [first, second].map((output) => JSON.stringify({ input: 'a.bc', output }));
          await writeFile(path.join(folder, 'm.jsonl'), lines.join('\n'));
          const end = await run(['batch', path.join(folder, 'm.jsonl'), '--out-dir', path.join(folder, 'out'), '--quiet'], LIMIT);
          if (end.how !== 1 && end.how !== 2) return `${first} and ${second} are both accepted: ${end.how}`;
        }
        return null;
      }),
  },
  {
    name: 'outputs in a manifest that leave the folder or are ours',
    run: () =>
      inFolder(async (folder) => {
        await copyFile(KERNEL, path.join(folder, 'a.bc'));
        await mkdir(path.join(folder, 'out'));
        for (const output of ['../x', '/tmp/x', 'a/../../x', '.darm/journal.jsonl', './.darm//journal.jsonl', '.darm/cache/x', '.', 'x/..', '']) {
          await writeFile(path.join(folder, 'm.jsonl'), JSON.stringify({ input: 'a.bc', output }));
          const end = await run(['batch', path.join(folder, 'm.jsonl'), '--out-dir', path.join(folder, 'out'), '--quiet'], LIMIT);
          if (end.how !== 1 && end.how !== 2) return `the output ${JSON.stringify(output)} is accepted: ${end.how}`;
        }
        return null;
      }),
  },
]; // prettier-ignore
