/** The package's headers and libraries, file by file, from the disk and from memory. */
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { DarmError } from '../../src/errors.js';
import { IMAGE_FOLDER, PackageImage } from '../../src/frontend/image.js';
import { FileKind } from '../../src/job/source.js';
import { platform } from '../../src/platform/index.js';
import { imageFiles } from '../support/native-clang.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/image', { tests: 3 });

const facts = async () => (await frontendManifest()).image;

test('every file is what the image holds, read from the disk and from memory', async () => {
  const bytes = await readPart('headers', await facts(), 'image');
  const images = [new PackageImage(bytes), new PackageImage(await platform.find('headers', await facts(), 'image'))];
  let count = 0;
  for (const [name, content] of imageFiles(bytes)) {
    const file = `${IMAGE_FOLDER}/${name}`;
    for (const image of images) {
      assert.equal(image.stat(file), { kind: FileKind.File, size: content.length });
      assert.is(Buffer.compare(image.read(file)!, content), 0, name);
    }
    count++;
  }
  assert.ok(count > 2000);
});

test('folders, and what is not there', async () => {
  const image = new PackageImage(await platform.find('headers', await facts(), 'image'));
  for (const folder of ['', '/hip', '/hip/hip', '/c++', '/clang/include'])
    assert.is(image.stat(IMAGE_FOLDER + folder).kind, FileKind.Folder, folder);
  for (const name of ['/hi', '/hip/', '/hip/hip/hip_runtime', '/nothing.h']) {
    assert.is(image.stat(IMAGE_FOLDER + name).kind, FileKind.Nothing, name);
    assert.is(image.read(IMAGE_FOLDER + name), null);
  }
});

test('a file that is gone', () => {
  assert.throws(
    () => new PackageImage('/nowhere/headers.image'),
    (error: unknown) => error instanceof DarmError && error.code === 'io',
  );
});

test.run();
