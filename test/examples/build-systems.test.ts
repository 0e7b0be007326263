/** Runs the examples for build systems and plain JavaScript as they are. */
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { darm, filesIn, inFolder, MAIN } from '../support/command.js';
import { kernelPath, REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('examples/build-systems', { tests: 4, timeoutMs: 60_000 });

const run = promisify(execFile);
const EXAMPLES = path.join(REPOSITORY, 'examples');

test.long('an action: a parameter file, an empty environment, any folder, the same bytes', () =>
  inFolder(async (folder) => {
    const outputs: Buffer[] = [];
    for (const [name, environment] of [
      ['one', {}],
      ['another/folder', { SOURCE_DATE_EPOCH: '1', TZ: 'Asia/Tokyo' }],
    ] as const) {
      const sandbox = path.join(folder, name);
      await mkdir(sandbox, { recursive: true });
      await cp(kernelPath('sb1.gfx906.O3'), path.join(sandbox, 'kernel.bc'));
      await writeFile(path.join(sandbox, 'k.params'), `compile\nkernel.bc\n-o\nout.hsaco\n'--mcpu'\ngfx906\n`);
      await run(process.execPath, [MAIN, '@k.params'], { cwd: sandbox, env: environment });
      assert.equal(await filesIn(sandbox), ['k.params', 'kernel.bc', 'out.hsaco']);
      outputs.push(await readFile(path.join(sandbox, 'out.hsaco')));
    }
    assert.ok(outputs[0]!.equals(outputs[1]!));
  }),
);

test.long('dependency files', () =>
  inFolder(async (folder) => {
    await cp(kernelPath('sb1.gfx906.O3'), path.join(folder, 'a $b#.bc'));
    const depfile = async (...args: string[]) => {
      const { code, stderr } = await darm(['compile', 'a $b#.bc', ...args], { cwd: folder });
      assert.is(code, 0, stderr);
    };
    await depfile('-o', 'x.hsaco', '-MD');
    assert.is(await readFile(path.join(folder, 'x.d'), 'utf8'), 'x.hsaco: \\\n  a\\ $$b\\#.bc\n');
    await depfile('-o', '-', '-MF', 'y.d', '-MT', 'target');
    assert.match(await readFile(path.join(folder, 'y.d'), 'utf8'), /^target: /);
    await depfile('-o', 'x.hsaco', '-MMD', '-MFz.d', '-MTx.o x.d', '-MQ', 'a $b', '-MT', 'c');
    assert.match(await readFile(path.join(folder, 'z.d'), 'utf8'), /^x\.o x\.d a\\ \$\$b c: \\\n/);
    const { code, stderr } = await darm(['compile', 'a $b#.bc', '-o', '-', '-MD'], { cwd: folder });
    assert.is(code, 2);
    assert.match(stderr, /name one with -MF/);
  }),
);

test('the toolchain digest is one line and does not change', async () => {
  const digests = await Promise.all([1, 2].map(async () => (await darm(['--toolchain-digest'])).stdout.toString()));
  assert.match(digests[0]!, /^[0-9a-f]{64}\n$/);
  assert.is(digests[0], digests[1]);
});

test.long('plain JavaScript, and ninja if it is installed', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'node_modules'));
    await writeFile(path.join(folder, 'package.json'), '{}');
    await symlink(path.resolve(REPOSITORY), path.join(folder, 'node_modules', 'darm'));
    await cp(path.join(EXAMPLES, 'javascript', 'compile.mjs'), path.join(folder, 'compile.mjs'));
    await cp(kernelPath('sb1.gfx906.O3'), path.join(folder, 'kernel.bc'));
    const { stdout } = await run(process.execPath, ['compile.mjs', 'kernel.bc'], { cwd: folder });
    assert.is(stdout, 'sb1: 1 melds\n');
    const library = await readFile(path.join(folder, 'kernel.hsaco'));

    if (spawnSync('ninja', ['--version']).status !== 0) return console.log('skipped: ninja is not installed');
    const rules = await readFile(path.join(EXAMPLES, 'build-systems', 'build.ninja'), 'utf8');
    await writeFile(path.join(folder, 'build.ninja'), rules.replace('npx darm', `${process.execPath} ${MAIN}`));
    await run('ninja', ['kernel.hsaco'], { cwd: folder });
    assert.ok(library.equals(await readFile(path.join(folder, 'kernel.hsaco'))));
    const again = await run('ninja', ['-d', 'explain', 'kernel.hsaco'], { cwd: folder });
    assert.not.match(again.stdout, /compile kernel\.bc/);
  }),
);

test.run();
