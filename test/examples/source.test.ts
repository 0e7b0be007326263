/** Runs examples/source with ninja and with CMake, where they are installed. */
import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inFolder, MAIN } from '../support/command.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('examples/source', { tests: 2, timeoutMs: 120_000 });

const isInstalled = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;

/** In a copy of the example. */
const inExample = (work: (folder: string, run: (tool: string, ...args: string[]) => string) => Promise<void>) =>
  inFolder(async (folder) => {
    await cp(path.join(REPOSITORY, 'examples', 'source'), folder, { recursive: true });
    const run = (tool: string, ...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8' });
      assert.is(status, 0, stdout + stderr);
      return stdout;
    };
    await work(folder, run);
  });

/** A build does nothing, until a header changes. */
async function followsHeader(folder: string, output: string, build: () => string, idle: RegExp): Promise<void> {
  build();
  const before = await readFile(path.join(folder, output));
  assert.match(build(), idle);
  await writeFile(path.join(folder, 'blend.h'), '#define WEIGHT 0.75f\n');
  build();
  assert.not.ok(before.equals(await readFile(path.join(folder, output))));
}

test.long('ninja', () =>
  inExample(async (folder, run) => {
    if (!isInstalled('ninja')) return;
    const darm = `darm = ${process.execPath} ${MAIN}`;
    const rules = await readFile(path.join(folder, 'build.ninja'), 'utf8');
    await writeFile(path.join(folder, 'build.ninja'), rules.replace('darm = npx darm', darm));
    await followsHeader(
      folder,
      'blend.hsaco',
      () => run('ninja'),
      /no work to do|^\[1\/\d+\] .*--toolchain-digest[^[]*$/,
    );
  }),
);

test.long('CMake', () =>
  inExample(async (folder, run) => {
    if (!isInstalled('cmake')) return;
    run('cmake', '-B', 'build', `-DDARM=${process.execPath};${MAIN}`);
    const build = (): string => run('cmake', '--build', 'build', '--verbose');
    await followsHeader(folder, 'build/blend.hipfb', build, /^(?![^]*--emit fatbin)/);
  }),
);

test.run();
