/** What leads to a launch on a GPU and what is made of its results. The launch itself needs a GPU. */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compare, evaluate, referenceCode, type GpuResults } from '../../bench/gpu/evaluate.js';
import { gpuModules } from '../../bench/gpu/modules.js';
import { bodyOf, prepareModule, type GpuLaunch } from '../../bench/gpu/prepare.js';
import { corpusModule } from '../../kernels/corpus/index.js';
import { createCompiler } from '../../src/index.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('bench/gpu', { tests: 6, timeoutMs: 60_000 });

const LOADER = `${REPOSITORY}bench/gpu/loader.py`;
const loader = (...args: readonly string[]) => spawnSync('python3', [LOADER, ...args], { encoding: 'utf8' });
const ONCE = { seed: 1, size: 1 };
const floats = (...values: readonly number[]) => new Uint8Array(Float32Array.from(values).buffer);

test('outputs are equal, close, or differ', () => {
  const like = (element: 'f32' | 'u32', a: Uint8Array, b: Uint8Array) => compare({ element, bytes: a }, b);
  const many = Array.from({ length: 100 }, (_, k) => k);
  assert.is(like('f32', floats(1, NaN), floats(1, NaN)), 'equal');
  assert.is(like('f32', floats(1, 2), floats(1, 2.0001)), 'close');
  assert.is(like('f32', floats(...many), floats(...many.map((v) => (v === 50 ? 7 : v)))), 'close');
  assert.is(like('f32', floats(...many), floats(...many.map((v) => (v > 50 ? 7 : v)))), 'differs');
  assert.is(like('f32', floats(...many, Infinity), floats(...many.map(() => Infinity), 5)), 'differs');
  const doubles = new Uint8Array(Float64Array.from([1, 2, 3]).buffer);
  assert.is(
    compare({ element: 'f64', bytes: doubles }, new Uint8Array(Float64Array.from([1, 2, 4]).buffer)),
    'differs',
  );
  assert.is(like('u32', Uint8Array.of(1, 0, 0, 0), Uint8Array.of(2, 0, 0, 0)), 'differs');
});

test('the loader says what it lacks', () => {
  const probe = loader('--probe');
  if (probe.error !== undefined) return; // no Python: bench:gpu says that it skips
  assert.ok([0, 3].includes(probe.status!), probe.stderr);
  assert.is((probe.status === 0 ? probe.stdout : probe.stderr).trim().split('\n').length, 1);
  assert.is(loader().status, 2);
});

test('OpenCL does not run on a GPU of NVIDIA', () => {
  const names = gpuModules((name) => name === 'chroma_key' || name === 'title_case', { checked: ONCE, timed: ONCE });
  assert.equal(
    names.map(({ name }) => name),
    ['parse'],
  );
});

test.long('a family becomes PTX, buffers and a manifest, and results are judged', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-gpu-test-'));
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  try {
    const isWanted = (name: string) => name === 'title_case' || name === 'parse_integers';
    const settings = { checked: { seed: 1, size: 0.1 }, timed: { seed: 1, size: 0.2 } };
    const [module, ...others] = gpuModules(isWanted, settings);
    assert.is(others.length, 0);
    const prepared = await prepareModule(compiler, folder, module!, 3, { profit: 'paper' });
    assert.equal(
      prepared.map(({ kernel, changed, approximate }) => [kernel.name, changed, approximate]),
      [
        ['parse_integers', false, false],
        ['title_case', true, false],
      ],
    );
    const manifest = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as GpuLaunch[];
    assert.equal(
      manifest.map(({ name, repeats }) => [name, repeats]),
      [
        ['parse_integers.checked', 0],
        ['title_case.checked', 0],
        ['title_case.timed', 3],
      ],
    );
    const [, launch] = manifest;
    assert.equal([launch!.grid, launch!.block], [[2, 1, 1], [256, 1, 1]]); // prettier-ignore
    assert.equal(launch!.args[2], { value: Buffer.from(Int32Array.of(400).buffer).toString('hex') });
    const files = await readdir(folder);
    for (const { args, versions } of manifest) {
      for (const file of Object.values(versions)) assert.ok(files.includes(file));
      for (const argument of args) if ('file' in argument) assert.ok(files.includes(argument.file));
    }
    const [plain, melded] = await Promise.all(
      Object.values(launch!.versions).map((file) => readFile(path.join(folder, file), 'utf8')),
    );
    assert.is(bodyOf(plain!, 'parse_integers'), bodyOf(melded!, 'parse_integers'));
    assert.not.equal(bodyOf(plain!, 'title_case'), bodyOf(melded!, 'title_case'));

    // Results as a GPU would leave them: here they are the simulator's.
    const kernel = prepared[1]!;
    const code = await compiler.compile(corpusModule('parse', 'gfx1100'), { meld: 'off' });
    const { buffers } = await compiler.simulate(code.artifacts[0]!.bytes, kernel.kernel.checked, { cycles: false });
    const results: GpuResults = {
      device: 'none',
      launches: {
        'title_case.checked': { times: { plain: [], melded: [] } },
        'title_case.timed': { times: { plain: [3, 1, 2, 1], melded: [1, 1, 1, 1] } },
      },
    };
    for (const version of ['plain', 'melded']) {
      await writeFile(path.join(folder, `title_case.checked.${version}.0.bin`), buffers[0]!.bytes);
      await copyFile(
        path.join(folder, 'title_case.timed.0.bin'),
        path.join(folder, `title_case.timed.${version}.0.bin`),
      );
    }
    const reference = await referenceCode(compiler, module!);
    const judge = () => evaluate(compiler, folder, results, reference, kernel);
    const good = { kernel: 'title_case', plain: 1.5, melded: 1, noise: 2.5, simulator: 'equal', complaint: null };
    assert.equal(await judge(), good);
    await writeFile(
      path.join(folder, 'title_case.checked.melded.0.bin'),
      buffers[0]!.bytes.map((byte) => byte ^ 1),
    );
    assert.match((await judge()).complaint!, /differs between the versions/);
    await writeFile(
      path.join(folder, 'title_case.checked.plain.0.bin'),
      buffers[0]!.bytes.map((byte) => byte ^ 1),
    );
    assert.match((await judge()).complaint!, /other memory than the simulator/);
  } finally {
    await compiler.close();
    await rm(folder, { recursive: true });
  }
});

test('the kernels of the paper have their data, too', async () => {
  const modules = gpuModules((name) => /^(lud_16|sb1r_32)$/.test(name), { checked: ONCE, timed: ONCE });
  assert.equal(modules.map(({ name }) => name), ['sb1r', 'lud']); // prettier-ignore
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-gpu-test-'));
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  try {
    await prepareModule(compiler, folder, modules[0]!, 3, {});
    const [launch] = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as GpuLaunch[];
    const filled = launch!.args.flatMap((argument) => ('file' in argument ? [argument.file] : []));
    const contents = await Promise.all(filled.map((file) => readFile(path.join(folder, file))));
    assert.ok(contents.some((bytes) => new Set(bytes).size > 10));
  } finally {
    await compiler.close();
    await rm(folder, { recursive: true });
  }
});

test('a launch that failed is a complaint', async () => {
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const [module] = gpuModules((name) => name === 'title_case', { checked: ONCE, timed: ONCE });
  const [kernel] = module!.kernels;
  const results: GpuResults = {
    device: 'none',
    launches: { [`${kernel!.name}.checked`]: { error: 'cuLaunchKernel: no' } },
  };
  const of = { kernel: kernel!, changed: false, approximate: false };
  const { complaint } = await evaluate(compiler, '.', results, new Uint8Array(), of);
  assert.is(complaint, 'cuLaunchKernel: no');
  await compiler.close();
});

test.run();
