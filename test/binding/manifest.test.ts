/** The committed module was built from the committed sources. */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readManifest } from '../../src/binding/load.js';
import { repair } from '../../src/platform/repair.js';
import { unpackedFiles } from '../../src/platform/unpacked.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/manifest', { tests: 7, timeoutMs: 30_000 });
const dist = path.join(REPOSITORY, 'wasm', 'dist');

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

test('names every source with its hash', async () => {
  const { sources } = await readManifest();
  const folder = await readdir(path.join(REPOSITORY, 'wasm'));
  const wanted = folder
    .filter((name) => /\.(cpp|h|mjs)$/.test(name) || name === 'exports.txt')
    .map((name) => `wasm/${name}`);
  for (const part of ['profile', 'repairs'])
    for (const name of await readdir(path.join(REPOSITORY, 'wasm', part))) wanted.push(`wasm/${part}/${name}`);
  for (const entry of await readdir(path.join(REPOSITORY, 'wasm', 'frontend'), {
    recursive: true,
    withFileTypes: true,
  }))
    if (entry.isFile()) wanted.push(path.relative(REPOSITORY, path.join(entry.parentPath, entry.name)));
  assert.equal(Object.keys(sources).sort(), [...wanted, 'build.sh'].sort());
  for (const [name, hash] of Object.entries(sources))
    assert.is(
      await sha256(path.join(REPOSITORY, name)),
      hash,
      `${name} changed since the module was built: run build.sh`,
    );
});

test('describes the files that are shipped', async () => {
  const manifest = await readManifest();
  const shipped = (await readdir(dist)).filter((name) => name.endsWith('.br'));
  assert.equal(shipped.sort(), Object.keys(manifest.compressed).sort());
  for (const name of shipped) assert.is(await sha256(path.join(dist, name)), manifest.compressed[name]!.sha256);
  assert.is(await sha256(path.join(dist, 'llvm.mjs')), manifest.loader.sha256);
  assert.is(await sha256(path.join(dist, 'clang.mjs')), manifest.frontend!.loader.sha256);
  assert.is(manifest.llvm, '23.1.1');
});

test('what is repaired is what the manifest says, and as long as before', async () => {
  const { module, further, memory } = await readManifest();
  const all = Object.entries({ 'llvm.wasm': module, 'rest.wasm': further['rest']!, 'llvm.memory': memory! });
  for (const [name, { division, ...part }] of all) {
    const facts = division?.whole ?? part;
    const built = brotliDecompressSync(await readFile(path.join(dist, `${name}.br`)));
    const right = Buffer.from(built);
    repair(right, facts);
    assert.ok(!right.equals(built));
    assert.is(right.length, facts.bytes);
    assert.is(createHash('sha256').update(right).digest('hex'), facts.sha256);
  }
});

test.long('what is divided is what the manifest says', async () => {
  const { further, frontend } = await readManifest();
  for (const [part, facts] of Object.entries({ ...further, ...frontend!.further }).filter(([, f]) => f.division)) {
    const packed = brotliDecompressSync(await readFile(path.join(dist, `${part}.wasm.br`)));
    const files = await unpackedFiles(new Uint8Array(packed), facts, 'wasm', (bytes) =>
      createHash('sha256').update(bytes).digest('hex'),
    );
    assert.equal(
      files.map(({ extension, bytes }) => [extension, bytes.length]),
      [
        ['wasm', facts.bytes],
        ['cold', facts.division!.cold.bytes],
      ],
    );
  }
});

/** Of the code of a module's functions, in bytes. */
function largestFunction(module: Uint8Array): number {
  const CODE = 10;
  let at = 8;
  const number = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = module[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < module.length) {
    const section = module[at++];
    const end = number() + at;
    let most = 0;
    if (section === CODE)
      for (let left = number(); left > 0; left--) {
        const size = number();
        most = Math.max(most, size);
        at += size;
      }
    if (section === CODE) return most;
    at = end;
  }
  return 0;
}

test('no function is so large that V8 dies when it optimises it', async () => {
  // Node 24 ended the process for one of 411 kB, the disassembler's.
  for (const name of ['llvm', 'optimiser', 'rest', 'clang', 'clang-rest']) {
    const most = largestFunction(brotliDecompressSync(await readFile(path.join(dist, `${name}.wasm.br`))));
    assert.ok(most > 10_000 && most < 400_000, `${name}: ${most}`);
  }
});

test("ships LLVM's licence", async () => {
  assert.match(await readFile(path.join(dist, 'LICENSE-LLVM.txt'), 'utf8'), /Apache License[^]*LLVM Exceptions/);
});

test('says where headers and device libraries come from, and ships their licences', async () => {
  const { origins } = (await readManifest()).frontend!;
  assert.ok(origins.length >= 4);
  for (const each of origins) {
    assert.match(each.sha256, /^[0-9a-f]{64}$/);
    assert.ok(each.package && each.version && each.file && each.licence);
  }
  const licences = await readdir(path.join(dist, 'LICENSES'));
  assert.equal(licences.sort(), ['libamdhip64-dev.txt', 'libcxx.txt', 'musl.txt', 'rocm-device-libs-22.txt']);
});

test.run();
