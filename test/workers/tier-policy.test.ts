/** A short job gets baseline code only, on whichever Node runs it: V8's own trace says so. */
import { spawnSync } from 'node:child_process';
import { inFolder, MAIN } from '../support/command.js';
import { kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('workers/tier-policy', { tests: 1 });

test.long('the command compiles a kernel without optimising LLVM', () =>
  inFolder(async (folder) => {
    const args = [MAIN, 'compile', kernelPath('bitonic.gfx906.O3'), '-o', 'x.hsaco', '--quiet'];
    const { stdout, status } = spawnSync(process.execPath, ['--trace-wasm-compilation-times', ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      env: { ...process.env, DARM_PREPARED_DIR: folder },
    });
    assert.is(status, 0);
    const compiledBy = (compiler: string): number => stdout.split(`using ${compiler}`).length - 1;
    assert.ok(compiledBy('Liftoff') > 1000, 'the trace lists the functions');
    assert.is(compiledBy('TurboFan'), 0);
  }),
);

test.run();
