/**
 * What lies in a folder for temporary files is not trusted: a module there is checked by its hash, the folder by its
 * owner.
 */
import { chmod, chown, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compileLazily, compileLlvm, readManifest, type Make } from '../../src/binding/load.js';
import { moduleFolder } from '../../src/platform/node.js';
import { privateTemporaryFolder } from '../../src/process/files.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('load', { tests: 3, timeoutMs: 60_000 });

async function withTemporaryFiles(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    try {
      await use(folder);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
}

test.long('a forged module of the right size is not loaded', () =>
  withTemporaryFiles(async (folder) => {
    const wasm = path.join(folder, 'wasm');
    await cp(moduleFolder(), wasm, { recursive: true, filter: (name) => !/\.(wasm|cold|memory|image)$/.test(name) });
    const { module, memory } = await readManifest();
    const forged = new Map([
      [`llvm.${module.sha256.slice(0, 16)}.wasm`, module.bytes],
      [`llvm.${memory!.sha256.slice(0, 16)}.memory`, memory!.bytes],
    ]);
    for (const each of ['darm', path.basename((await privateTemporaryFolder())!)]) {
      await mkdir(path.join(folder, each), { recursive: true });
      for (const [name, bytes] of forged) await writeFile(path.join(folder, each, name), new Uint8Array(bytes));
    }
    process.env['DARM_WASM'] = wasm;
    try {
      const code = await compileLlvm();
      assert.ok(WebAssembly.Module.exports(code.first).length > 10);
      assert.ok((code.memory!.content as Uint8Array).some((byte) => byte !== 0));
      for (const name of forged.keys()) assert.ok((await readdir(wasm)).includes(name));
    } finally {
      delete process.env['DARM_WASM'];
    }
  }),
);

test('a further part that is needed is compiled ahead, the others are not, and all come in their order', async () => {
  const { further } = await readManifest();
  assert.equal(Object.keys(further), ['optimiser', 'rest']);
  const made: [string, WebAssembly.Module][] = [];
  const noted =
    (how: string, compile: Make['lazily']): Make['lazily'] =>
    async (part) => {
      const module = await compile(part);
      made.push([how, module]);
      return module;
    };
  const code = await compileLlvm({
    ...compileLazily,
    needed: ['optimiser', 'of another module'],
    ahead: noted('ahead', compileLazily.lazily),
    lazily: noted('lazily', compileLazily.lazily),
  });
  const by = new Map(made);
  assert.is(made.length, 2);
  assert.ok(code.further[0]!.module === by.get('ahead') && code.further[1]!.module === by.get('lazily'));
});

test("somebody else's folder, one that others can write to, and a link are not used", () =>
  withTemporaryFiles(async (folder) => {
    const ours = (await privateTemporaryFolder())!;
    assert.is(path.dirname(ours), folder);
    await chmod(ours, 0o777);
    assert.is(await privateTemporaryFolder(), null);
    await chmod(ours, 0o700);
    assert.is(await privateTemporaryFolder(), ours);
    if (process.getuid?.() === 0) {
      await chown(ours, 12345, 12345);
      assert.is(await privateTemporaryFolder(), null);
    }
    await rm(ours, { recursive: true });
    await symlink(path.join(folder, 'elsewhere'), ours);
    assert.is(await privateTemporaryFolder(), null);
    await mkdir(path.join(folder, 'elsewhere'));
    assert.is(await privateTemporaryFolder(), null);
  }));

test.run();
