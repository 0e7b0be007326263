/**
 * AMD's device libraries for a module that is no source of clang's. clang links libraries into what it has compiled,
 * and that is nothing here: an empty source, which leaves no trace. The first library is the module itself, of which
 * only goes what it keeps to itself and never uses; of the others clang takes what is called. Nothing is optimised.
 */
import { DarmError } from '../errors.js';
import type { LibraryUser } from '../job/library-user.js';
import type { SourceJob } from '../job/source.js';
import { deviceLibraries, linkingArguments } from './device-libraries.js';
import { HEADERS_FOLDER } from './files.js';

/** Where clang finds the module: among the headers that came with the source. */
const MODULE = 'module.bc';

/** Names of files that are neither flags to clang nor in the way of the package's folders. */
const USABLE_NAME = /^(?:\/?\w[^\0]*\/)?[\w<][^\0/]*$/;

/** Versions of code objects, times 100. */
const VERSIONS: readonly number[] = [400, 500, 600];

/**
 * @param processors those that there are device libraries for
 * @throws DarmError `bad-target` where there are no libraries
 */
export function linkingJob(
  { bitcode, sourceName, triple, cpu, calls }: LibraryUser,
  processors: readonly string[],
): SourceJob {
  const { settings, flushesDenormals, codeObjectVersion } = calls;
  if (!VERSIONS.includes(codeObjectVersion))
    throw new DarmError(
      'bad-target',
      `there are no device libraries for code object version ${codeObjectVersion / 100}`,
    );
  const libraries = deviceLibraries({
    cpu,
    processors,
    has64Lanes: settings.includes('+wavefrontsize64'),
    unsafeMath: false,
    finiteOnly: false,
    codeObjectVersion,
  });
  const name = USABLE_NAME.test(sourceName) ? sourceName : 'module';
  const words = ['-triple', triple, '-emit-llvm-bc', '-disable-free', '-disable-llvm-verifier'];
  words.push('-disable-llvm-passes', '-mcode-object-version=none', '-Qn', '-target-cpu', cpu);
  for (const setting of settings) words.push('-target-feature', setting);
  if (flushesDenormals) words.push('-fdenormal-fp-math-f32=preserve-sign,preserve-sign');
  words.push('-mlink-bitcode-file', `${HEADERS_FOLDER}/${MODULE}`, ...linkingArguments(libraries));
  return {
    arguments: [...words, '-x', 'c', name],
    name,
    source: new Uint8Array(),
    headers: new Map([[MODULE, bitcode]]),
    disk: false,
    colors: false,
  };
}
