/** What clang finds when it looks for a file. */
import { JobFiles } from '../../src/frontend/files.js';
import { PackageImage } from '../../src/frontend/image.js';
import { FileKind } from '../../src/job/source.js';
import { clangCode } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/files', { tests: 1 });

test('a name that no system opens is nothing, even if a shorter one is the same file', async () => {
  const { image } = await clangCode();
  const source = new TextEncoder().encode('#include __FILE__\n');
  const job = { arguments: [], name: 'k.cl', source, headers: new Map(), disk: false, colors: false };
  const files = new JobFiles(job, new PackageImage(image), new Map());
  const [longest, longer] = [`${'./'.repeat(2045)}/k.cl`, `${'./'.repeat(2046)}k.cl`];
  assert.is(files.stat(longest).kind, FileKind.File);
  assert.equal(files.read(longest), source);
  assert.is(files.stat(longer).kind, FileKind.Nothing);
  assert.is(files.read(longer), null);
});

test.run();
