/**
 * Disks that are full, and outputs that nobody takes: what could not be written is told, and nothing that was there is
 * lost.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { kernelPath } from '../../../support/llvm.js';
import { ServiceProcess } from '../http/service-process.js';
import type { Check } from './check.js';
import { failureComplaint, run } from './command.js';
import { resultsComplaint, sha256, type Corpus } from './corpus.js';
import { fill, remount, unfill, withTmpfs } from './tmpfs.js';

const KERNEL = kernelPath('sb1.gfx906.O3');

/** Commands that print much or little, all of which must fail when their output cannot be written. */
const PRINTING: readonly (readonly string[])[] = [
  ['compile', KERNEL, '-o', '-'],
  ['compile', KERNEL, '--emit', 'll', '-o', '-'],
  ['compile', KERNEL, '-o', '/dev/null', '--json'],
  ['compile', KERNEL, '-o', '/dev/null', '--remarks', '-'],
  ['compile', KERNEL, '-o', '/dev/full'],
  ['analyze', KERNEL],
  ['analyze', KERNEL, '--json'],
  ['inspect', KERNEL],
  ['inspect', KERNEL, '--json'],
  ['--toolchain-digest'],
  ['--version'],
  ['--help'],
];

/** Without a mount. */
export const OUTPUTS: readonly Check[] = [
  ...PRINTING.map((args) => ({
    name: `darm ${args.map((word) => path.basename(word)).join(' ')} > /dev/full`,
    run: async () => failureComplaint(await run(args, { redirect: '> /dev/full' })),
  })),
  ...PRINTING.slice(0, 2).map((args) => ({
    name: `darm ${args.map((word) => path.basename(word)).join(' ')} | head -c 1`,
    run: async () => {
      const { how, stderr } = await run(args, { redirect: '| head -c 1' });
      return how === 0 && stderr === '' ? null : `it ended with ${how}: ${stderr.slice(0, 300)}`;
    },
  })),
];

/** A second output on a full disk, beside a first one elsewhere. */
const secondOutput = (flag: string, file: string): Check => ({
  name: `${flag} on a full disk`,
  run: () =>
    withTmpfs('64k', async (folder) => {
      await fill(folder);
      const complaint = failureComplaint(await run(['compile', KERNEL, '-o', '/dev/null', flag, path.join(folder, file)]));
      const left = (await readdir(folder)).filter((name) => name !== 'filler');
      return complaint ?? (left.length > 0 ? `it left ${left.join(', ')}` : null);
    }),
}); // prettier-ignore

export const fullDisks = (corpus: Corpus): readonly Check[] => [
  {
    name: 'compile onto a full disk keeps the old output',
    run: () =>
      withTmpfs('64k', async (folder) => {
        const output = path.join(folder, 'x.hsaco');
        await writeFile(output, 'old');
        await fill(folder);
        const complaint = failureComplaint(await run(['compile', KERNEL, '-o', output]));
        if (complaint !== null) return complaint;
        if ((await readFile(output, 'utf8')) !== 'old') return 'the old output is gone';
        const left = (await readdir(folder)).filter((name) => !['filler', 'x.hsaco'].includes(name));
        return left.length > 0 ? `it left ${left.join(', ')}` : null;
      }),
  },
  secondOutput('--report', 'r.html'),
  secondOutput('--remarks', 'r.yaml'),
  secondOutput('-MF', 'r.d'),
  {
    name: 'a batch onto a disk that becomes full, then has room',
    run: () =>
      withTmpfs('48k', async (folder) => {
        const args = ['batch', corpus.folder, '--out-dir', folder, '--quiet'];
        const first = await run(args);
        if (first.how !== 1) return `on the full disk it ended with ${first.how}: ${first.stderr.slice(0, 300)}`;
        const half = await resultsComplaint(folder, corpus, false);
        if (half !== null) return half;
        await remount(folder, 'size=64m');
        const second = await run(args);
        if (second.how !== 0) return `with room it ended with ${second.how}: ${second.stderr.slice(0, 500)}`;
        const left = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
        return left.length > 0 ? `it left ${left.join(', ')}` : await resultsComplaint(folder, corpus, true);
      }),
  },
  {
    name: 'a cache on a full disk',
    run: () =>
      withTmpfs('64k', async (folder) => {
        await fill(folder);
        const service = await ServiceProcess.start({ flags: ['-j', '1', '--cache', path.join(folder, 'cache')] });
        try {
          for (let i = 0; i < 4; i++) {
            if (i === 2) await unfill(folder);
            const complaint = await served(service, corpus);
            if (complaint !== null) return complaint;
          }
          return (await service.metric('darm_cache_errors')) > 0 ? null : 'the metrics count no error of the cache';
        } finally {
          await service.kill();
        }
      }),
  },
  {
    name: 'a folder for temporary files that is full',
    run: () =>
      withTmpfs('64k', async (folder) => {
        await fill(folder);
        const { how, stdout, stderr } = await run(['compile', KERNEL, '-o', '-'], { env: { TMPDIR: folder } });
        return how === 0 && sha256(stdout) === corpus.expected.get('sb1') ? null : `it ended with ${how}: ${stderr}`;
      }),
  },
  {
    name: 'a log file on a disk that becomes full',
    run: () =>
      withTmpfs('16k', async (folder) => {
        const service = await ServiceProcess.start({ flags: ['-j', '1'], log: `/${folder.slice(1)}/log` });
        try {
          for (let i = 0; i < 200; i++) await (await fetch(`${service.url}/healthz`)).text();
          const complaint = await served(service, corpus);
          if (complaint !== null) return complaint;
          service.child.kill('SIGTERM');
          const how = await service.endedWithin(30_000);
          return how === 0 ? null : `after SIGTERM it ended with ${how}`;
        } finally {
          await service.kill();
        }
      }),
  },
];

/** What is wrong with the answer to one of the corpus's kernels. */
export async function served(
  service: ServiceProcess,
  { inputs, expected }: Corpus,
  name = 'sb1',
): Promise<string | null> {
  // prettier-ignore
  const body = new Uint8Array(inputs.get(name)!);
  const answer = await fetch(`${service.url}/v1/compile`, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(60_000),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (answer.status !== 200) return `the status is ${answer.status}`;
  return sha256(bytes) === expected.get(name) ? null : 'the answer has wrong bytes';
}
