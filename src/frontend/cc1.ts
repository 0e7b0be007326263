/**
 * The arguments of `clang -cc1` for a source and a processor: what clang's driver makes of a compilation for the device
 * (clang/lib/Driver/ToolChains/Clang.cpp, AMDGPU.cpp, HIPAMD.cpp), without the driver. Folders below `IMAGE_FOLDER`
 * are the package's headers and device libraries.
 */
import { DarmError } from '../errors.js';
import { deviceLibraries, linkingArguments } from './device-libraries.js';
import { HEADERS_FOLDER } from './files.js';
import type { ParsedFlags } from './flags.js';
import { IMAGE_FOLDER } from './image.js';
import { LEAN } from './lean.js';
import type { Language } from './language.js';
import { parseTargetId } from '../job/target-id.js';
import { SUPPLEMENT_FOLDER } from './supplement.js';

/** Of standard headers, for HIP. */
const WRAPPERS = `${IMAGE_FOLDER}/clang/include/cuda_wrappers`;

const DEBUG_INFO = { directives: 'line-directives-only', lines: 'line-tables-only', full: 'constructor' } as const;

export interface Translating {
  readonly flags: ParsedFlags;
  readonly language: Language;
  /** As messages name the source. */
  readonly name: string;
  /** A target id. */
  readonly target: string;
  /** `0` to `3`, `s`, `z`. */
  readonly optimize: string;
  readonly product: 'bitcode' | 'text';
  readonly hasHeaders: boolean;
  /** The processors that there are device libraries for. */
  readonly processors: readonly string[];
}

/** @throws DarmError `bad-target` for a processor that is not AMD's, and without device libraries for it */
export function cc1Arguments(job: Translating): string[] {
  const { flags, language, name, optimize } = job;
  const { cpu, features } = parseTargetId(job.target);
  if (!/^(gfx|amdgcn)/.test(cpu))
    throw new DarmError('bad-target', `source is compiled for AMD's processors only, of which ${cpu} is none`);
  const isHip = language === 'hip';
  const words = ['-triple', 'amdgcn-amd-amdhsa'];
  if (isHip) words.push('-aux-triple', 'x86_64-unknown-linux-musl');
  words.push(`-O${optimize}`, '-Werror=atomic-alignment', job.product === 'text' ? '-E' : '-emit-llvm-bc');
  words.push('-disable-free', '-disable-llvm-verifier', '-disable-llvm-passes');
  if (!flags.keepNames) words.push('-discard-value-names');
  words.push('-main-file-name', baseName(name), '-mrelocation-model', 'pic', '-pic-level', '2');
  words.push(
    '-fhalf-no-semantic-interposition',
    `-mframe-pointer=${(flags.framePointers ?? (optimize === '0' || flags.profiled)) ? 'all' : 'none'}`,
  );
  if (flushesDenormals(job, cpu)) words.push('-fdenormal-fp-math-f32=preserve-sign,preserve-sign');
  words.push(...flags.floatingPoint.arguments(language), '-mconstructor-aliases');
  if (flags.unwindTables && !flags.cc1.includes('-ffreestanding')) words.push('-funwind-tables=2');
  if (isHip) words.push('-aux-target-cpu', 'x86-64', '-fcuda-is-device');
  words.push('-fno-threadsafe-statics');
  // At -O0 the pass that the option asks for does not run.
  if (isHip && optimize !== '0') words.push('-mllvm', '-amdgpu-internalize-symbols');
  if (flags.visibility === null) words.push('-fvisibility=hidden', '-fapply-global-visibility-to-externs');
  else words.push(`-fvisibility=${flags.visibility}`);
  if (flags.codeObjectVersion !== 6) words.push(`-mcode-object-version=${flags.codeObjectVersion}`);
  if (flags.libraries && job.product === 'bitcode') words.push(...linkingArguments(librariesFor(job, cpu)));
  words.push('-target-cpu', cpu);
  for (const feature of features.split(',').filter(Boolean)) words.push('-target-feature', feature);
  if (flags.debug !== 'none')
    words.push(`-debug-info-kind=${DEBUG_INFO[flags.debug]}`, `-dwarf-version=${flags.dwarfVersion}`);
  // Paths in the output would differ between machines.
  words.push('-debugger-tuning=gdb', '-fdebug-compilation-dir=.', '-fcoverage-compilation-dir=.');
  words.push('-resource-dir', `${IMAGE_FOLDER}/clang`);
  // clang would go on to /usr/local/include and /usr/include, which are other headers on every machine.
  words.push('-nostdsysteminc');
  if (job.hasHeaders) words.push('-I', HEADERS_FOLDER);
  if (!flags.isPreprocessed) words.push(...folders(flags, isHip));
  words.push(...languageArguments(flags, isHip));
  if (!isHip) words.push(...runtimeMacros(flags, cpu));
  // The clock is no input: __DATE__ and __TIME__ are those of its beginning.
  words.push('-source-date-epoch', '0');
  words.push(...flags.cc1);
  words.push('-x', isHip ? (flags.isPreprocessed ? 'hip-cpp-output' : 'hip') : 'cl', name);
  return words;
}

/** Processors whose multiply-add is slow, or slow with denormals: `float` has none there unless a flag says so. */
const SLOW_DENORMALS = /^gfx([67]\d\d|8(?!01)\d\d)$/;

function flushesDenormals({ flags, language }: Translating, cpu: string): boolean {
  const isUsual = SLOW_DENORMALS.test(cpu);
  return language === 'hip' ? (flags.flushDenormals ?? isUsual) : flags.denormalsAreZero || isUsual;
}

/**
 * The same with fewer headers: HIP's and clang's include most of the C++ library for sources that use it without saying
 * so, and it takes clang twice as long (wasm/frontend/include/lean). Of what is left, functions are left out (lean.ts).
 * A source that needs them is refused. Null where that would be no saving.
 */
export function leanArguments(words: readonly string[]): string[] | null {
  const first = words.indexOf(WRAPPERS) - 1;
  // Warnings of all headers are for those who ask for them.
  if (words.includes('-Wsystem-headers')) return null;
  if (first < 0 || words.includes('-E') || !words.includes(`${IMAGE_FOLDER}/c++`)) return null;
  return words.toSpliced(first, 0, '-internal-isystem', `${IMAGE_FOLDER}/${LEAN}`);
}

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** OpenCL's own in front. */
function librariesFor({ flags, language, processors }: Translating, cpu: string): string[] {
  const common = deviceLibraries({
    cpu,
    processors,
    has64Lanes: flags.waveSize === 64,
    unsafeMath: flags.floatingPoint.unsafeLibraries,
    finiteOnly: flags.floatingPoint.finiteLibraries,
    codeObjectVersion: flags.codeObjectVersion * 100,
  });
  return language === 'opencl' ? ['opencl', ...common] : common;
}

/** The package's headers, behind the user's own. */
function folders(flags: ParsedFlags, isHip: boolean): string[] {
  const words: string[] = [];
  const isystem = (folder: string): void => void words.push('-internal-isystem', `${IMAGE_FOLDER}/${folder}`);
  if (isHip && flags.systemHeaders) {
    // Wrappers of standard headers come before the standard library.
    if (flags.hipHeaders) words.push('-internal-isystem', WRAPPERS);
    if (flags.hipHeaders) isystem('hip');
    if (flags.hipHeaders) isystem('darm');
    if (flags.standardLibrary) {
      words.push('-internal-isystem', SUPPLEMENT_FOLDER);
      isystem('c++');
    }
  }
  isystem('clang/include');
  if (isHip && flags.systemHeaders) words.push('-internal-externc-isystem', `${IMAGE_FOLDER}/c`);
  return words;
}

/**
 * Macros of OpenCL that clang leaves to the runtime: the version of the device, and whether it has images. The values
 * are those of AMD's. A macro that the caller defines is the caller's.
 */
function runtimeMacros({ cc1 }: ParsedFlags, cpu: string): string[] {
  const macros = HAS_NO_IMAGES.test(cpu)
    ? ['__OPENCL_VERSION__=200']
    : ['__OPENCL_VERSION__=200', '__IMAGE_SUPPORT__=1'];
  const own = new Set(cc1.map((word, at) => (cc1[at - 1] === '-D' ? /^\w*/.exec(word)![0] : null)));
  return macros.filter((macro) => !own.has(macro.replace(/=.*/, ''))).flatMap((macro) => ['-D', macro]);
}

const HAS_NO_IMAGES = /^gfx(9[45]|9-4|12-?5|13)/;

function languageArguments(flags: ParsedFlags, isHip: boolean): string[] {
  const words = ['-ferror-limit', String(flags.errorLimit), '-fgnuc-version=4.2.1', '-fskip-odr-check-in-gmf'];
  if (isHip) {
    if (flags.standard !== null) words.push(`-std=${flags.standard}`);
    words.push('-fdeprecated-macro', '-fno-autolink', '-fhip-new-launch-api');
    if (flags.exceptions) words.push('-fcxx-exceptions', '-fexceptions');
    words.push('-fcuda-allow-variadic-functions');
    if (flags.hipHeaders && flags.systemHeaders && !flags.isPreprocessed)
      words.push('-include', '__clang_hip_runtime_wrapper.h', '-include', 'darm_hip_declarations.h');
  } else {
    if (flags.standard !== null) words.push(`-cl-std=${flags.standard}`);
    words.push('-finclude-default-header', '-fdeclare-opencl-builtins');
  }
  words.push('-vectorize-loops', '-vectorize-slp', '-faddrsig', '-fdwarf2-cfi-asm');
  return words;
}
