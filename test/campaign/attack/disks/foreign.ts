/** Folders that belong to others, that all may write, or that nobody can write: what is in them is not trusted. */
import { chmod, chown, cp, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CompileCache } from '../../../../src/compiler/compile-cache.js';
import { compileKey } from '../../../../src/compiler/compile-key.js';
import { completeJobOptions } from '../../../../src/job/options.js';
import { kernelPath, REPOSITORY } from '../../../support/llvm.js';
import { ServiceProcess } from '../http/service-process.js';
import type { Check } from './check.js';
import { failureComplaint, run } from './command.js';
import { sha256, type Corpus } from './corpus.js';
import { served } from './full.js';
import { inFolder } from './kills.js';
import { remount, withTmpfs } from './tmpfs.js';

const NOBODY = 65534;
const KERNEL = kernelPath('sb1.gfx906.O3');

/** A cache with another artifact under the key of a kernel. */
async function forgeCache(folder: string, { inputs }: Corpus): Promise<void> {
  const key = await compileKey(inputs.get('sb1')!, completeJobOptions('test', {}));
  await new CompileCache({ path: folder }).put(key, {
    target: 'gfx906',
    artifacts: [{ kind: 'hsaco', bytes: new TextEncoder().encode('\x7fELF forged') }],
    functions: [],
    remarks: [],
    histories: [],
    diagnostics: [],
    timings: {},
  });
}

async function ownedBy(folder: string, user: number): Promise<void> {
  await chown(folder, user, user);
  for (const name of await readdir(folder, { recursive: true })) await chown(path.join(folder, name), user, user);
}

/**
 * Where a version of darm keeps, or kept, the service's cache below the folder for temporary files: our folder, and the
 * cache in it.
 */
const PLACES: readonly (readonly [own: string, cache: string])[] = [
  ['darm-cache', '.'],
  [`darm-${process.getuid?.() ?? 0}`, 'cache'],
];

/** The service with a folder for temporary files in which somebody else has made what it keeps there. */
const forgedCache = (corpus: Corpus, name: string, spoil: (own: string, folder: string) => Promise<void>): Check => ({
  name,
  run: () =>
    inFolder(async (folder) => {
      for (const [own, cache] of PLACES) {
        await forgeCache(path.join(folder, own, cache), corpus);
        await spoil(path.join(folder, own), folder);
      }
      const service = await ServiceProcess.start({ flags: ['-j', '1'], env: { TMPDIR: folder }, defaultCache: true });
      try {
        return (await served(service, corpus)) ?? (await served(service, corpus));
      } finally {
        await service.kill();
      }
    }),
});

/** A copy of the toolchain without its unpacked module. */
async function toolchain(folder: string): Promise<string> {
  const copy = path.join(folder, 'toolchain');
  await cp(path.join(REPOSITORY, 'wasm', 'dist'), copy, { recursive: true });
  for (const name of await readdir(copy)) if (/\.(wasm|cold|memory|image)$/.test(name)) await rm(path.join(copy, name));
  return copy;
}

async function unpackedFiles(): Promise<{ name: string; size: number }[]> {
  const folder = path.join(REPOSITORY, 'wasm', 'dist');
  const names = (await readdir(folder)).filter((name) => /\.(wasm|cold|memory|image)$/.test(name));
  return Promise.all(names.map(async (name) => ({ name, size: (await stat(path.join(folder, name))).size })));
}

/** The command must give the right bytes, or say that it cannot. */
async function rightOrRefused(corpus: Corpus, env: Record<string, string>): Promise<string | null> {
  const end = await run(['compile', KERNEL, '-o', '-'], { env });
  if (end.how !== 0) return failureComplaint(end);
  return sha256(end.stdout) === corpus.expected.get('sb1') ? null : 'wrong bytes';
}

export const foreignFolders = (corpus: Corpus): readonly Check[] => [
  forgedCache(corpus, 'a forged cache that belongs to somebody else', (own) => ownedBy(own, NOBODY)),
  forgedCache(corpus, 'a forged cache that all may write', (own) => chmod(own, 0o777)),
  forgedCache(corpus, 'a link to a forged cache of somebody else', async (own, folder) => {
    const other = path.join(folder, `other-${path.basename(own)}`);
    await rename(own, other);
    await ownedBy(other, NOBODY);
    await symlink(other, own);
  }),
  {
    name: 'a forged module in the folder for temporary files',
    run: () =>
      withTmpfs('256m', async (disk) => {
        const copy = await toolchain(disk);
        await remount(disk, 'ro');
        return inFolder(async (folder) => {
          const files = await unpackedFiles();
          for (const place of ['darm', `darm-${process.getuid!()}`]) {
            await mkdir(path.join(folder, place), { mode: 0o755 });
            for (const { name, size } of files) await writeFile(path.join(folder, place, name), Buffer.alloc(size));
          }
          return await mustCompile(corpus, { DARM_WASM: copy, TMPDIR: folder });
        });
      }),
  },
  {
    name: 'half of a module beside the toolchain',
    run: () =>
      inFolder(async (folder) => {
        const copy = await toolchain(folder);
        // The folder is trusted as the program beside it is, but a process may have been killed while it wrote there.
        for (const { name, size } of await unpackedFiles())
          await writeFile(path.join(copy, name), Buffer.alloc(size >> 1));
        return await mustCompile(corpus, { DARM_WASM: copy });
      }),
  },
  {
    name: 'a toolchain and a folder for temporary files that are read-only',
    run: () =>
      withTmpfs('256m', async (disk) => {
        const copy = await toolchain(disk);
        await remount(disk, 'ro');
        return await rightOrRefused(corpus, { DARM_WASM: copy, TMPDIR: disk });
      }),
  },
  {
    name: 'a read-only folder for results',
    run: () =>
      withTmpfs('1m', async (disk) => {
        await remount(disk, 'ro');
        const one = failureComplaint(await run(['compile', KERNEL, '-o', path.join(disk, 'x')]));
        return one ?? failureComplaint(await run(['batch', corpus.folder, '--out-dir', disk, '--quiet']));
      }),
  },
  {
    name: 'a read-only cache',
    run: () =>
      withTmpfs('1m', async (disk) => {
        await remount(disk, 'ro');
        const service = await ServiceProcess.start({ flags: ['-j', '1', '--cache', path.join(disk, 'cache')] });
        try {
          return (await served(service, corpus)) ?? (await served(service, corpus));
        } finally {
          await service.kill();
        }
      }),
  },
];

/** The module is checked and, if it is not what it should be, replaced. */
async function mustCompile(corpus: Corpus, env: Record<string, string>): Promise<string | null> {
  const end = await run(['compile', KERNEL, '-o', '-'], { env });
  if (end.how !== 0) return `it ended with ${end.how}: ${end.stderr.slice(0, 300)}`;
  return sha256(end.stdout) === corpus.expected.get('sb1') ? null : 'wrong bytes';
}
