/** What README.md shows is what happens. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inspectCodeObject } from '../../src/formats/code-object.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('docs/readme', { tests: 2, timeoutMs: 120_000 });

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
const readme = (): Promise<string> => readFile(path.join(ROOT, 'README.md'), 'utf8');

test.long('the demo prints what README.md says', async () => {
  const { stdout } = await run(process.execPath, [path.join(ROOT, 'dist/bench/demo.js')]);
  assert.match(stdout, /^Bitonic sort/);
  assert.ok((await readme()).includes(`\`\`\`\n${stdout.trimEnd()}\n\`\`\``), stdout);
});

test('the program in README.md compiles a kernel', async () => {
  const program = /^```js\n([^]*?)^```/m.exec(await readme())![1]!;
  const said = / \/\/ (.*)$/m.exec(program)![1]!;
  await inFolder(async (folder) => {
    await mkdir(path.join(folder, 'node_modules'));
    await symlink(ROOT, path.join(folder, 'node_modules', 'darm'), 'dir');
    await symlink(path.join(ROOT, 'kernels'), path.join(folder, 'kernels'), 'dir');
    await writeFile(path.join(folder, 'example.mjs'), program);
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder });
    assert.is(stdout.trimEnd(), said);
    assert.is(inspectCodeObject(await readFile(path.join(folder, 'bitonic.hsaco'))).target, 'gfx906');
  });
});

test.run();
