/** The programs that start from source run as they are. */
import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('examples/javascript', { tests: 2, timeoutMs: 120_000 });

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

async function outputOf(program: string): Promise<string> {
  let said = '';
  await inFolder(async (folder) => {
    await mkdir(path.join(folder, 'node_modules'));
    await symlink(ROOT, path.join(folder, 'node_modules', 'darm'), 'dir');
    await cp(path.join(ROOT, 'examples', 'javascript', program), path.join(folder, program));
    said = (await promisify(execFile)(process.execPath, [program], { cwd: folder })).stdout;
  });
  return said;
}

test.long("HIPRTC's saxpy", async () => {
  assert.match(await outputOf('saxpy.mjs'), /^_Z5saxpyIfEvT_PKS0_PS0_j: .*\ny\[3\] = 7, y\[255\] = 511\n$/);
});

test.long('OpenCL for two processors', async () => {
  assert.match(await outputOf('opencl.mjs'), /^gfx906: \d+ bytes, blur\ngfx1100: \d+ bytes, blur\n$/);
});

test.run();
