/** Agreement with LLVM's own tools, in both directions: they read what we write, and we read what they write. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeCompressed } from '../../../src/formats/offload/compressed.js';
import { readContainer, replaceImages } from '../../../src/formats/offload/container.js';
import { imageNameFor } from '../../../src/formats/offload/image.js';
import { selectImage } from '../../../src/formats/offload/select.js';
import { assert, suite } from '../../support/suite.js';
import { inFolder } from '../../support/command.js';
import { bundleOf, fakeBitcode, fakeElf, offloadBinaryOf } from '../../support/containers.js';
import { haveTools, runTool } from '../../support/tools.js';

const test = suite('formats/offload/llvm-tools', { tests: 5, timeoutMs: 60_000 });

const BUNDLER = 'clang-offload-bundler-22';
const PACKAGER = 'llvm-offload-binary-22';

const IMAGES = [
  { target: 'gfx906', bytes: fakeElf(5000, 3) },
  { target: 'gfx90a:sramecc+:xnack-', bytes: fakeElf(9001, 5) },
  { target: 'gfx1100', bytes: fakeElf(4096, 7) },
] as const;
const IDS = IMAGES.map(({ target }) => imageNameFor(target).id);
const TARGETS = `--targets=host-x86_64-unknown-linux-gnu-,${IDS.join(',')}`;

/** A folder with the images as files, named by their numbers, and an empty file for the host. */
async function inImages(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'host'), '');
    for (const [i, { bytes }] of IMAGES.entries()) await writeFile(path.join(folder, `${i}.o`), bytes);
    await use(folder);
  });
}

const bundle = (folder: string, args: readonly string[], version = ''): Promise<string> =>
  runTool(
    folder,
    BUNDLER,
    ['--type=o', TARGETS, '--input=host', '--input=0.o', '--input=1.o', '--input=2.o', ...args, '--output=theirs'],
    version === '' ? {} : { COMPRESSED_BUNDLE_FORMAT_VERSION: version },
  );

async function unbundlesTo(folder: string, bytes: Uint8Array, expected: readonly Uint8Array[]): Promise<void> {
  await writeFile(path.join(folder, 'ours'), bytes);
  const outputs = expected.map((_, i) => `--output=out${i}`);
  await runTool(folder, BUNDLER, ['--type=o', '--unbundle', '--input=ours', `--targets=${IDS.join(',')}`, ...outputs]);
  for (const [i, image] of expected.entries())
    assert.ok((await readFile(path.join(folder, `out${i}`))).equals(image), `image ${i}`);
}

const images = IMAGES.map(({ bytes }) => bytes);

test('a bundle is the one that clang writes', async () => {
  if (!haveTools(BUNDLER)) return;
  await inImages(async (folder) => {
    await bundle(folder, ['--bundle-align=4096']);
    const theirs = await readFile(path.join(folder, 'theirs'));
    assert.ok(theirs.equals(bundleOf(...IMAGES)));
    const listed = await runTool(folder, BUNDLER, ['--type=o', '--list', '--input=theirs']);
    const ours = (await readContainer(theirs)).images.map(({ id }) => id);
    assert.equal(listed.trim().split('\n').sort(), ours.sort());
  });
});

test('compressed bundles, in both directions', async () => {
  if (!haveTools(BUNDLER)) return;
  await inImages(async (folder) => {
    for (const version of [1, 2, 3] as const) {
      for (const compression of ['zlib', 'zstd'] as const)
        await unbundlesTo(folder, await writeCompressed(bundleOf(...IMAGES), compression, version), images);
      if (version === 1) continue; // clang still reads it but does not write it any more
      await bundle(folder, ['--bundle-align=4096', '--compress'], String(version));
      const container = await readContainer(await readFile(path.join(folder, 'theirs')));
      const [{ part }] = container.parts as [(typeof container.parts)[number]];
      assert.ok(part.format === 'compressed' && part.version === version && part.compression === 'zstd');
      assert.ok(Buffer.from(part.contents.bytes).equals(bundleOf(...IMAGES)));
    }
  });
});

test('a replaced image, in all that clang made', async () => {
  if (!haveTools(BUNDLER)) return;
  await inImages(async (folder) => {
    for (const args of [[], ['--bundle-align=4096'], ['--bundle-align=4096', '--compress']]) {
      await bundle(folder, args);
      const container = await readContainer(await readFile(path.join(folder, 'theirs')));
      for (const length of [100, 9000, 30_000]) {
        const replacement = fakeElf(length, 11);
        const index = selectImage(container.images, 'gfx90a');
        const result = await replaceImages(container, new Map([[index, replacement]]));
        await unbundlesTo(folder, result, [images[0]!, replacement, images[2]!]);
      }
    }
  });
});

test('text bundles', async () => {
  if (!haveTools(BUNDLER)) return;
  await inFolder(async (folder) => {
    const texts = ['; one\n', '; two\n\n'];
    await writeFile(path.join(folder, 'host'), '');
    for (const [i, text] of texts.entries()) await writeFile(path.join(folder, `${i}.ll`), text);
    const targets = `--targets=host-x86_64-unknown-linux-gnu-,${IDS.slice(0, 2).join(',')}`;
    const inputs = ['--input=host', '--input=0.ll', '--input=1.ll'];
    await runTool(folder, BUNDLER, ['--type=ll', targets, ...inputs, '--output=theirs']);
    const container = await readContainer(await readFile(path.join(folder, 'theirs')));
    assert.equal(
      container.images.map(({ bytes }) => Buffer.from(bytes).toString()),
      ['', ...texts],
    );
    await writeFile(path.join(folder, 'ours'), await replaceImages(container, new Map([[1, Buffer.from('; new\n')]])));
    const outputs = ['--output=out0', '--output=out1'];
    const unbundle = ['--type=ll', '--unbundle', '--input=ours', `--targets=${IDS.slice(0, 2).join(',')}`];
    await runTool(folder, BUNDLER, [...unbundle, ...outputs]);
    assert.is(await readFile(path.join(folder, 'out0'), 'utf8'), '; new\n');
    assert.is(await readFile(path.join(folder, 'out1'), 'utf8'), texts[1]);
  });
});

test('offload binaries, in both directions', async () => {
  if (!haveTools(PACKAGER)) return;
  await inImages(async (folder) => {
    const described = IMAGES.map(
      ({ target }, i) => `--image=file=${i}.o,triple=amdgcn-amd-amdhsa,arch=${target},kind=hip`,
    );
    await runTool(folder, PACKAGER, [...described, '-o', 'theirs']);
    const theirs = await readContainer(await readFile(path.join(folder, 'theirs')));
    assert.equal(
      theirs.images.map(({ kind, target }) => [kind, target]),
      IMAGES.map(({ target }) => ['hip', target]),
    );
    assert.ok(theirs.images.every(({ bytes }, i) => Buffer.from(bytes).equals(images[i]!)));

    const replacement = fakeBitcode(333, 3);
    const replaced = await replaceImages(theirs, new Map([[1, replacement]]));
    for (const [bytes, expected] of [
      [offloadBinaryOf(...IMAGES), images],
      [replaced, [images[0], replacement, images[2]]],
    ] as const) {
      await writeFile(path.join(folder, 'ours'), bytes);
      const wanted = IMAGES.map(({ target }, i) => `--image=file=out${i},triple=amdgcn-amd-amdhsa,arch=${target}`);
      await runTool(folder, PACKAGER, ['ours', ...wanted]);
      for (const [i, image] of expected.entries())
        assert.ok((await readFile(path.join(folder, `out${i}`))).equals(image!), `image ${i}`);
    }
  });
});

test.run();
