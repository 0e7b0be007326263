/** Containers can be read and written; replacing an image changes what it must and nothing else. */
import { DarmError } from '../../../src/errors.js';
import { sniffInput } from '../../../src/formats/bitcode.js';
import { writeBundle } from '../../../src/formats/offload/bundle.js';
import { writeCompressed } from '../../../src/formats/offload/compressed.js';
import { readContainer, replaceImages } from '../../../src/formats/offload/container.js';
import { describeContainer } from '../../../src/formats/offload/describe.js';
import { imageNameFor, parseImageId } from '../../../src/formats/offload/image.js';
import { selectImage } from '../../../src/formats/offload/select.js';
import { assert, suite } from '../../support/suite.js';
import {
  bundleOf,
  everyContainer,
  fakeBitcode,
  fakeElf,
  NOTHING,
  packedBundleOf,
  secondVersionOf,
  textBundleOf,
} from '../../support/containers.js';

const test = suite('formats/offload/container', { tests: 17 });

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function refusal(error: unknown): DarmError {
  assert.instance(error, DarmError);
  return error as DarmError;
}

test('reads what it wrote', async () => {
  for (const [name, bytes] of Object.entries(await everyContainer())) {
    assert.is(sniffInput(bytes), 'offload-bundle', name);
    const { images } = await readContainer(bytes);
    const devices = images.filter(({ kind }) => kind !== 'host');
    assert.equal(
      devices.map(({ target }) => target),
      ['gfx906', 'gfx90a:sramecc+:xnack-', 'gfx1100'],
      name,
    );
    assert.ok(devices.every(({ triple }) => triple === 'amdgcn-amd-amdhsa'));
    assert.ok(same(devices[0]!.bytes, fakeElf(5000, 3)), name);
    assert.ok(same(devices[1]!.bytes, fakeElf(9001, 5)), name);
    assert.ok(same(devices[2]!.bytes, fakeElf(4096, 7)), name);
  }
});

test('replacing nothing gives the same bytes, and so does replacing an image by itself', async () => {
  for (const [name, bytes] of Object.entries(await everyContainer())) {
    const container = await readContainer(bytes);
    assert.is(await replaceImages(container, new Map()), bytes, name);
    // A compressor may give other bytes, and code objects move to page boundaries.
    if (/zlib|zstd|compressed|packed/.test(name)) continue;
    for (const [index, image] of container.images.entries()) {
      const again = await replaceImages(container, new Map([[index, image.bytes]]));
      assert.ok(same(again, bytes), `${name}: image ${index}`);
    }
  }
});

test('replacing an image leaves the others', async () => {
  for (const [name, bytes] of Object.entries(await everyContainer()))
    for (const length of [1, 4999, 5000, 5001, 20_000]) {
      const container = await readContainer(bytes);
      const index = selectImage(container.images, 'gfx90a');
      const replacement = fakeElf(length, 11);
      const result = await readContainer(await replaceImages(container, new Map([[index, replacement]])));
      result.images.forEach((image, i) => {
        assert.is(image.id, container.images[i]!.id);
        const expected = i === index ? replacement : container.images[i]!.bytes;
        assert.ok(same(image.bytes, expected), `${name}: image ${i} with ${length} bytes`);
      });
      const partsOf = ({ parts }: ReturnType<typeof describeContainer>): unknown => parts;
      assert.equal(partsOf(describeContainer(result)), partsOf(describeContainer(container)), name);
    }
});

test('in a bundle only the size and the image itself change when the new one fits', async () => {
  const bytes = bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) }, { target: 'gfx1100', bytes: fakeElf(6000, 5) });
  const container = await readContainer(bytes);
  const result = await replaceImages(container, new Map([[1, fakeElf(8000, 9)]]));
  assert.is(result.length, bytes.length);
  const changed = [...result].flatMap((byte, i) => (byte === bytes[i] ? [] : [i]));
  const sizeField = 32 + 24 + 'host-x86_64-unknown-linux-gnu-'.length + 8;
  assert.ok(changed.every((at) => (at >= sizeField && at < sizeField + 8) || (at >= 4096 && at < 4096 + 8000)));
  assert.ok(changed.some((at) => at < 4096));
});

test('new code objects are aligned to pages, whatever was there before', async () => {
  const bytes = packedBundleOf(
    { target: 'gfx906', bytes: fakeBitcode(700, 3) },
    { target: 'gfx908', bytes: fakeBitcode(900, 5) },
    { target: 'gfx1100', bytes: fakeBitcode(800, 7) },
  );
  const container = await readContainer(bytes);
  assert.is(container.images[1]!.span.offset % 4096 === 0, false);
  const { images } = await readContainer(await replaceImages(container, new Map([[1, fakeElf(5000, 9)]])));
  assert.is(images[0]!.span.offset, container.images[0]!.span.offset);
  assert.is(images[1]!.span.offset, 4096);
  assert.is(images[2]!.span.offset, 4096 + 5000);
});

test('a bundle has the layout that HIP needs', async () => {
  const bytes = bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) }, { target: 'gfx1100', bytes: fakeElf(1, 5) });
  const { images } = await readContainer(bytes);
  assert.equal(
    images.map(({ id, span }) => [id, span.offset, span.size]),
    [
      ['host-x86_64-unknown-linux-gnu-', 4096, 0],
      ['hipv4-amdgcn-amd-amdhsa--gfx906', 4096, 5000],
      ['hipv4-amdgcn-amd-amdhsa--gfx1100', 12288, 1],
    ],
  );
  assert.is(bytes.length, 12289);
  const many = Array.from({ length: 100 }, (_, i) => ({ id: `hipv4-amdgcn-amd-amdhsa--gfx${i}`, bytes: NOTHING }));
  assert.throws(
    () => writeBundle(many),
    (error: unknown) => /do not fit into the first 4096 bytes/.test(refusal(error).message),
  );
});

test('a compressed bundle has the header of its version', async () => {
  const data = bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) });
  // As md5sum computes it.
  const md5 = '1bb6db35a5df309f';
  for (const [version, sizes, hashAt] of [
    [1, [[8, 4, data.length]], 12],
    [2, [[8, 4, null], [12, 4, data.length]], 16], // prettier-ignore
    [3, [[8, 8, null], [16, 8, data.length]], 24], // prettier-ignore
  ] as const)
    for (const [method, compression] of (['zlib', 'zstd'] as const).entries()) {
      const bytes = Buffer.from(await writeCompressed(data, compression, version));
      assert.is(bytes.toString('latin1', 0, 4), 'CCOB');
      assert.equal([bytes.readUInt16LE(4), bytes.readUInt16LE(6)], [version, method]);
      for (const [at, width, value] of sizes)
        assert.is(width === 4 ? bytes.readUInt32LE(at) : Number(bytes.readBigUInt64LE(at)), value ?? bytes.length);
      assert.is(bytes.toString('hex', hashAt, hashAt + 8), md5);
    }
});

test('offload binaries stay close together, and the kinds of images are updated', async () => {
  const { 'offload binaries': bytes } = await everyContainer();
  const container = await readContainer(bytes!);
  const result = Buffer.from(await replaceImages(container, new Map([[0, fakeBitcode(123, 3)]])));
  assert.is(result.readUInt16LE(32), 2);
  const size = Number(result.readBigUInt64LE(8));
  assert.is(size % 8, 0);
  assert.is(result.readUInt32LE(size), 0xad10ff10);
  assert.ok(result.subarray(size).equals(Buffer.from(bytes!).subarray(Number(Buffer.from(bytes!).readBigUInt64LE(8)))));
});

test('reads version 2 of offload binaries, and replaces in it', async () => {
  const bytes = secondVersionOf(
    { target: 'gfx906', bytes: fakeBitcode(100, 3) },
    { target: 'gfx1100', bytes: fakeBitcode(200, 5) },
  );
  const container = await readContainer(bytes);
  const result = Buffer.from(await replaceImages(container, new Map([[0, fakeElf(1000, 3)]])));
  assert.is(Number(result.readBigUInt64LE(8)), result.length);
  assert.equal([result.readUInt16LE(32), result.readUInt16LE(72)], [1, 2]);
  const { images } = await readContainer(result);
  assert.equal(
    images.map(({ target, bytes }) => [target, bytes.length]),
    [
      ['gfx906', 1000],
      ['gfx1100', 200],
    ],
  );
});

test('the text form, with every comment sign', async () => {
  for (const comment of [';', '#', '//']) {
    const bytes = textBundleOf(
      { [imageNameFor('gfx906').id]: 'one\n\ntwo', 'host-x86_64-unknown-linux-gnu-': '' },
      comment,
    );
    assert.is(sniffInput(bytes), 'offload-bundle');
    const container = await readContainer(bytes);
    assert.equal(
      container.images.map(({ target, bytes }) => [target, Buffer.from(bytes).toString()]),
      [
        ['gfx906', 'one\n\ntwo'],
        ['', ''],
      ],
    );
    const result = await replaceImages(container, new Map([[0, Buffer.from('other')]]));
    assert.is(Buffer.from(result).toString(), Buffer.from(bytes).toString().replace('one\n\ntwo', 'other'));
    const binary = await replaceImages(container, new Map([[0, fakeElf(10, 1)]])).catch((error: unknown) => error);
    assert.match(refusal(binary).message, /text bundle holds text only/);
  }
});

test('zeros between and after parts stay', async () => {
  const one = bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) });
  const two = bundleOf({ target: 'gfx1100', bytes: fakeElf(100, 5) });
  const bytes = new Uint8Array(8 * 4096);
  bytes.set(one);
  bytes.set(two, 4 * 4096);
  const container = await readContainer(bytes);
  assert.equal(
    container.parts.map(({ offset }) => offset),
    [0, 4 * 4096],
  );
  const small = await replaceImages(container, new Map([[1, fakeElf(8000, 9)]]));
  assert.is(small.length, bytes.length);
  assert.ok(same(small.subarray(4 * 4096), bytes.subarray(4 * 4096)));
  const large = await readContainer(await replaceImages(container, new Map([[1, fakeElf(15_000, 9)]])));
  assert.is(large.parts[1]!.offset, 5 * 4096);
});

test('ids of entries', () => {
  const fields = (id: string): string[] => {
    const { kind, triple, target } = parseImageId(id);
    return [kind, triple, target];
  };
  assert.equal(fields('hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-'), ['hipv4', 'amdgcn-amd-amdhsa', 'gfx90a:sramecc+:xnack-']); // prettier-ignore
  assert.equal(fields('hip-amdgcn-amd-amdhsa-gfx900'), ['hip', 'amdgcn-amd-amdhsa', 'gfx900']);
  assert.equal(fields('hipv4-amdgcn-amd-amdhsa--gfx9-4-generic'), ['hipv4', 'amdgcn-amd-amdhsa', 'gfx9-4-generic']);
  assert.equal(fields('host-x86_64-unknown-linux-gnu-'), ['host', 'x86_64-unknown-linux-gnu', '']);
  assert.equal(fields('cuda-nvptx64-nvidia-cuda--sm_70'), ['cuda', 'nvptx64-nvidia-cuda', 'sm_70']);
  assert.equal(fields(''), ['', '', '']);
  assert.is(imageNameFor('gfx10-3-generic').id, 'hipv4-amdgcn-amd-amdhsa--gfx10-3-generic');
  assert.is(imageNameFor('openmp-amdgcn-amd-amdhsa--gfx906').kind, 'openmp');
  for (const wrong of ['', 'host', 'gfx906 ', 'gfx90a:xnack', 'a=b'])
    assert.throws(
      () => imageNameFor(wrong),
      (error: unknown) => refusal(error).code === 'usage',
    );
});

test('an image is named by number, id, target or processor', async () => {
  const container = await readContainer(
    bundleOf(
      { target: 'gfx906', bytes: NOTHING },
      { target: 'gfx90a:xnack+', bytes: NOTHING },
      { target: 'gfx90a:xnack-', bytes: NOTHING },
      { target: 'gfx942:xnack-', bytes: NOTHING },
    ),
  );
  const select = (selector: string): number => selectImage(container.images, selector);
  assert.is(select('gfx906'), 1);
  assert.is(select('gfx90a:xnack-'), 3);
  assert.is(select('gfx942'), 4);
  assert.is(select('0'), 0);
  assert.is(select('host-x86_64-unknown-linux-gnu-'), 0);
  for (const [wrong, message] of [
    ['gfx90a', /names several images \(2, 3\)/],
    ['gfx1100', /no image for 'gfx1100': the container has .*gfx906, gfx90a/],
    ['5', /no image 5: the container has 5/],
    ['', /no image for ''/],
  ] as const)
    assert.throws(
      () => select(wrong),
      (error: unknown) => refusal(error).code === 'usage' && message.test(refusal(error).message),
    );
});

test('images may not overlap', async () => {
  const bytes = Buffer.from(
    bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) }, { target: 'gfx908', bytes: fakeElf(5000, 3) }),
  );
  const entry = 32 + 24 + 'host-x86_64-unknown-linux-gnu-'.length;
  for (const offset of [0, 100, 8000]) {
    bytes.writeBigUInt64LE(BigInt(offset), entry);
    assert.match(refusal(await readContainer(bytes).catch((e: unknown) => e)).message, /overlaps/);
  }
});

test('wrong sizes in compressed bundles are detected', async () => {
  const whole = await writeCompressed(bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) }), 'zstd', 3);
  const message = async (change: (bytes: Buffer) => void, limit?: number): Promise<string> => {
    const bytes = Buffer.from(whole);
    change(bytes);
    return refusal(await readContainer(bytes, limit).catch((e: unknown) => e)).message;
  };
  assert.match(await message((b) => b.writeBigUInt64LE(2n ** 40n, 16)), /cannot hold the 1099511627776/);
  assert.match(await message((b) => b.writeBigUInt64LE(2n ** 62n, 16)), /out of range/);
  assert.match(await message((b) => b.writeBigUInt64LE(9095n, 16)), /not the one in the bundle/);
  assert.match(await message((b) => b.writeBigUInt64LE(31n, 8)), /the data lies outside/);
  assert.match(await message((b) => b.writeBigUInt64LE(BigInt(b.length + 1), 8)), /the data lies outside/);
  assert.match(await message((b) => (b[24]! ^= 1)), /do not have the hash/);
  assert.match(await message(() => {}, 9000), /more than is accepted/);
  assert.match(await message((b) => b.writeUInt16LE(4, 4)), /version 4/);
  assert.match(await message((b) => b.writeUInt16LE(2, 6)), /unknown method 2/);
});

test('only a part may follow a part', async () => {
  const bundle = bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) });
  const message = async (bytes: Uint8Array): Promise<string> =>
    refusal(await readContainer(bytes).catch((e: unknown) => e)).message;
  assert.match(await message(Buffer.concat([bundle, Buffer.from('x')])), /begins at byte 9096/);
  // A compressed part may not contain another compressed part.
  const twice = await writeCompressed(await writeCompressed(bundle, 'zlib', 2), 'zlib', 2);
  assert.match(await message(twice), /begins at byte 0/);
});

test('what is no container, no Map or no image is refused', async () => {
  const container = await readContainer((await everyContainer())['bundle']!);
  const wrong: [unknown, unknown, RegExp][] = [
    [undefined, new Map(), /the container must be a result of readContainer/],
    [{ images: [] }, new Map(), /the container must be a result of readContainer/],
    [container, undefined, /the replacements must be a Map/],
    [container, {}, /the replacements must be a Map/],
    [container, new Map([[99, NOTHING]]), /the container has no image 99/],
    [container, new Map([['1', NOTHING]]), /the container has no image 1/],
    [container, new Map([[1, 'text']]), /the replacement of image 1 must be a Uint8Array/],
  ];
  for (const [given, replacements, message] of wrong) {
    const result = replaceImages(given as typeof container, replacements as Map<number, Uint8Array>);
    const { code, message: said } = refusal(await result.catch((error: unknown) => error));
    assert.is(code, 'usage');
    assert.match(said, message);
  }
});

test.run();
