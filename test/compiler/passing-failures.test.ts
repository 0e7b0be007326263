/** A failure to load that passes is not kept: jobs fail while it lasts and work afterwards. */
import { cp, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { moduleFolder } from '../../src/platform/node.js';
import { createCompiler, DarmError } from '../../src/index.js';
import { inFolder } from '../support/command.js';
import { kernel } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('passing failures', { tests: 1, timeoutMs: 170_000 });

const failure = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);

test.long('LLVM is loaded again after its files were missing for a moment', async () => {
  const bytes = await kernel('sb1.gfx906.O3');
  for (const threads of [0, 1])
    for (const file of [
      'manifest.json',
      'llvm.wasm.br',
      'llvm.memory.br',
      'llvm.mjs',
      ...(threads > 0 ? ['rest.wasm.br'] : []),
    ])
      // prettier-ignore
      await inFolder(async (folder) => {
        const wasm = path.join(folder, 'wasm');
        // What is away is not there unpacked, either. The rest need not be unpacked anew; clang is of no use here.
        const part = file.replace(/\..*/, '');
        const left = new RegExp(`^(clang|headers)\\.|^${part}\\..*\\.(wasm|cold|memory)$`);
        await cp(moduleFolder(), wasm, { recursive: true, filter: (name) => !left.test(path.basename(name)) });
        const away = path.join(folder, 'away');
        await mkdir(away);
        await rename(path.join(wasm, file), path.join(away, file));
        process.env['DARM_WASM'] = wasm;
        process.env['TMPDIR'] = folder;
        try {
          await using compiler = createCompiler({ threads, tierPolicy: 'short' });
          const error = await failure(compiler.compile(bytes));
          assert.instance(error, DarmError, `${file}, ${threads} threads: ${String(error)}`);
          assert.is((error as DarmError).code, 'io', (error as DarmError).message);
          if (file !== 'llvm.mjs') assert.instance(await failure(compiler.ready()), DarmError);
          await rename(path.join(away, file), path.join(wasm, file));
          await compiler.ready();
          assert.is((await compiler.compile(bytes)).target, 'gfx906');
        } finally {
          delete process.env['DARM_WASM'];
          delete process.env['TMPDIR'];
        }
      });
});

test.run();
