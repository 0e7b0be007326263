/** How clang links device libraries into a module that is no source. */
import { linkingJob } from '../../src/frontend/link-libraries.js';
import type { LibraryCalls, LibraryUser } from '../../src/job/library-user.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/link-libraries', { tests: 4 });

const PROCESSORS = ['906', '1030', '9-4-generic'];
const PLAIN: LibraryCalls = { settings: [], flushesDenormals: false, codeObjectVersion: 600 };

function wordsFor(of: Partial<LibraryUser>, calls: Partial<LibraryCalls> = {}): readonly string[] {
  const user = { bitcode: new Uint8Array(), sourceName: 'k.mlir', triple: 'amdgcn-amd-amdhsa', cpu: 'gfx906' };
  return linkingJob({ ...user, ...of, calls: { ...PLAIN, ...calls } }, PROCESSORS).arguments;
}

const linkedIn = (words: readonly string[], flag: string): string[] =>
  words.filter((_, at) => words[at - 1] === flag).map((path) => path.replace(/.*\//, ''));

test('the module is linked first and as a whole; the libraries are those of the processor', () => {
  const words = wordsFor({ cpu: 'gfx9-4-generic' });
  assert.equal(linkedIn(words, '-mlink-bitcode-file'), ['module.bc']);
  assert.ok(words.indexOf('-mlink-bitcode-file') < words.indexOf('-mlink-builtin-bitcode'));
  assert.equal(linkedIn(words, '-mlink-builtin-bitcode'), [
    'ocml.bc', 'ockl.bc', 'oclc_unsafe_math_off.bc', 'oclc_finite_only_off.bc', 'oclc_wavefrontsize64_on.bc',
    'oclc_isa_version_9-4-generic.bc', 'oclc_abi_version_600.bc',
  ]); // prettier-ignore
});

test("the libraries' functions get the settings of the module's", () => {
  const settings = ['+wavefrontsize64', '+cumode'];
  const words = wordsFor({ cpu: 'gfx1030' }, { settings, flushesDenormals: true, codeObjectVersion: 500 });
  assert.equal(linkedIn(words, '-target-feature'), settings);
  assert.ok(words.includes('-fdenormal-fp-math-f32=preserve-sign,preserve-sign'));
  const libraries = linkedIn(words, '-mlink-builtin-bitcode');
  for (const each of ['wavefrontsize64_on', 'abi_version_500']) assert.ok(libraries.includes(`oclc_${each}.bc`), each);
  const narrow = wordsFor({ cpu: 'gfx1030' });
  assert.ok(linkedIn(narrow, '-mlink-builtin-bitcode').includes('oclc_wavefrontsize64_off.bc'));
  assert.not.ok(narrow.some((word) => word.startsWith('-fdenormal')));
});

test('the module keeps the name of its source, unless clang would take it for something else', () => {
  const nameOf = (sourceName: string): string => wordsFor({ sourceName }).at(-1)!;
  for (const name of ['LLVMDialectModule', '<stdin>', 'src/a b.c', '/src/../k.c']) assert.is(nameOf(name), name);
  for (const name of ['', '-', '-o', '/', 'a/', '.', 'a/..', '/.package/device/ocml.bc', '.headers/module.bc'])
    assert.is(nameOf(name), 'module', name);
});

test('where there are no libraries, the processor or the version is named', () => {
  assert.throws(() => wordsFor({ cpu: 'gfx1170' }), /no device libraries for gfx1170, only for gfx906, gfx1030/);
  assert.throws(() => wordsFor({}, { codeObjectVersion: 700 }), /no device libraries for code object version 7$/);
});

test.run();
