/**
 * The package as users get it: packed, installed into an empty folder without optional or development packages, used.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inspectCodeObject } from '../src/formats/code-object.js';
import { assert, suite } from './support/suite.js';
import { inFolder } from './support/command.js';

const test = suite('package', { tests: 1, timeoutMs: 300_000 });

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
/** As strict as can be, the package's own types included, and for Node: without those of browsers. */
const TYPE_CHECK = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--types', 'node'],
  ...['--typeRoots', path.join(ROOT, 'node_modules/@types'), '--module', 'nodenext', '--lib', 'es2022'],
  ...['--target', 'es2022'],
];

/** CommonJS as TypeScript has long written it. Its `module: commonjs` knows nothing of `exports`. */
const COMMONJS_CHECK = [...TYPE_CHECK.map((flag) => (flag === 'nodenext' ? 'commonjs' : flag)), 'user.cts'];

const COMMONJS_USER = `
import darm = require('darm');
import { createLambdaHandler } from 'darm/lambda';
import { createService } from 'darm/service';
const compiler: darm.Compiler = darm.createCompiler({ threads: 1 });
console.log(typeof createLambdaHandler, createService(compiler, { concurrency: 1 }));
`;

const USER = `
import { createCompiler, DarmError } from 'darm';
import { createLambdaHandler } from 'darm/lambda';
import { createService } from 'darm/service';
import { readFile } from 'node:fs/promises';
const compiler = createCompiler({ threads: 2 });
const { artifacts, target } = await compiler.compile(await readFile('kernel.bc'), { emit: ['hsaco', 'bc'] });
const error = await compiler.compile(new Uint8Array(0)).catch((thrown) => thrown);
const service = createService(compiler, { concurrency: 2 });
const { status } = await service.fetch(new Request('http://darm/readyz'));
await compiler.close();
const kinds = artifacts.map(({ kind }) => kind).join();
console.log(target, kinds, error instanceof DarmError, error.code, status, typeof createLambdaHandler());
`;

test.long('pack, install, compile', async () => {
  await inFolder(async (folder) => {
    process.env['DARM_PREPARED_DIR'] = folder;
    // dist/ exists already: this test runs from it.
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
    });
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    const names = files.map((file) => file.path);
    for (const name of [
      'LICENSE',
      'README.md',
      // Messages and help refer to pages.
      'docs/launch-spec.md',
      'src/report/html/page.css',
      'dist/command/main.js',
      'dist/site/index.html',
      'dist/site/main.js',
      'dist/site/examples.json',
      'wasm/dist/llvm.wasm.br',
      'wasm/dist/optimiser.wasm.br',
      'wasm/dist/rest.wasm.br',
      'wasm/dist/llvm.memory.br',
      'wasm/dist/llvm.mjs',
      'wasm/dist/clang.wasm.br',
      'wasm/dist/clang-rest.wasm.br',
      'wasm/dist/clang.mjs',
      'wasm/dist/headers.image.br',
      'wasm/dist/LICENSES/musl.txt',
      'wasm/dist/manifest.json',
    ])
      assert.ok(names.includes(name), `${name} is missing`);
    assert.ok(
      !names.some((name) => /^(dist\/)?(test|bench|kernels)\/|\.(wasm|cold|memory|image)$/.test(name)),
      'something is packed that nobody needs',
    );

    const consumer = path.join(folder, 'consumer');
    await mkdir(consumer);
    await writeFile(path.join(consumer, 'package.json'), '{ "private": true, "type": "module" }');
    const flags = ['--omit=optional', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, path.join(folder, filename)], { cwd: consumer });
    await writeFile(path.join(consumer, 'kernel.bc'), await readFile(path.join(ROOT, 'kernels/ir/sb1.gfx906.O3.bc')));
    await writeFile(path.join(consumer, 'user.js'), USER);
    await writeFile(path.join(consumer, 'user.mts'), USER);
    await writeFile(path.join(consumer, 'user.cts'), COMMONJS_USER);
    for (const check of [[...TYPE_CHECK, 'user.mts'], COMMONJS_CHECK])
      await run(process.execPath, [TSC, ...check], { cwd: consumer }).catch((error: unknown) =>
        assert.unreachable((error as { stdout: string }).stdout),
      );

    const used = await run(process.execPath, ['user.js'], { cwd: consumer });
    assert.is(used.stdout.trim(), 'gfx906 hsaco,bc true bad-input 200 function');
    const darm = path.join(consumer, 'node_modules', '.bin', 'darm');
    await run(darm, ['compile', 'kernel.bc', '--report', 'kernel.html'], { cwd: consumer });
    assert.is(inspectCodeObject(await readFile(path.join(consumer, 'kernel.hsaco'))).target, 'gfx906');
    assert.match(await readFile(path.join(consumer, 'kernel.html'), 'utf8'), /^<!doctype html>/);
  });
});

test.run();
