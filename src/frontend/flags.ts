/**
 * clang's flags, as its driver spells them, and what the driver makes of each for `clang -cc1`
 * (clang/lib/Driver/ToolChains/Clang.cpp, AMDGPU.cpp, HIPAMD.cpp). What is not listed here is refused: many flags of
 * clang name files that it would read or write.
 */
import { DarmError } from '../errors.js';

/** What flags ask for, beyond arguments that go to `-cc1` as they are. */
export interface ParsedFlags {
  /** For `-cc1`, in the order in which they were given. */
  readonly cc1: string[];
  language: Language | null;
  standard: string | null;
  /** `0` to `3`, `s`. */
  optimize: string | null;
  debug: 'none' | 'lines' | 'full';
  readonly targets: string[];
  waveSize: 32 | 64 | null;
  codeObjectVersion: number;
  unsafeMath: boolean;
  finiteMath: boolean;
  flushDenormals: boolean;
  /** `-ffp-contract`, when given. */
  contract: string | null;
  exceptions: boolean;
  /** Names of values stay in the bitcode. */
  keepNames: boolean;
  visibility: string | null;
  /** `-nogpulib`, `-nogpuinc`, `-nostdinc`, `-nostdinc++`. */
  libraries: boolean;
  hipHeaders: boolean;
  systemHeaders: boolean;
  standardLibrary: boolean;
  colors: boolean | null;
  errorLimit: number;
  /** What the flags say is to be written. */
  emit: 'i' | 'asm' | null;
  /** `-I` and the like, to say where a missing header was looked for. */
  readonly folders: string[];
}

export type Language = 'hip' | 'opencl';

const LANGUAGES: Readonly<Record<string, Language>> = {
  hip: 'hip',
  cuda: 'hip',
  'c++': 'hip',
  cl: 'opencl',
  opencl: 'opencl',
};

/** Flags that `-cc1` takes as the driver does. */
const SAME = new Set([
  '-w', '-pedantic', '-pedantic-errors', '-undef', '-C', '-CC', '-P', '-dD', '-dM', '-H', '-fno-rtti', '-fwrapv',
  '-fno-inline', '-fno-inline-functions', '-finline-functions', '-finline-hint-functions', '-ffreestanding',
  '-fno-builtin', '-fno-signed-char', '-fgpu-exclude-wrong-side-overloads', '-fgpu-approx-transcendentals',
  '-fgpu-allow-device-init', '-fgpu-defer-diag', '-fno-hip-fp32-correctly-rounded-divide-sqrt', '-fapprox-func',
  '-freciprocal-math', '-fno-signed-zeros', '-fms-extensions', '-fdeclspec', '-fno-show-column',
  '-fno-caret-diagnostics', '-fno-diagnostics-show-option', '-fdiagnostics-print-source-range-info',
  '-fdiagnostics-parseable-fixits', '-fno-diagnostics-fixit-info', '-fdiagnostics-show-template-tree',
  '-fno-elide-type', '-fcoroutines', '-fsized-deallocation', '-faligned-allocation', '-fchar8_t', '-fno-char8_t',
  '-fno-operator-names', '-fdelayed-template-parsing', '-fblocks', '-fno-threadsafe-statics', '-fno-common',
  '-fno-spell-checking', '-fshort-enums', '-fno-assume-sane-operator-new', '-fno-dollars-in-identifiers', '-ftrapv',
  '-fno-access-control', '-fno-delete-null-pointer-checks', '-mno-amdgpu-ieee', '-fatomic-fine-grained-memory',
  '-fatomic-remote-memory', '-fatomic-ignore-denormal-mode', '-fexperimental-new-constant-interpreter',
  '-ffixed-point', '-fno-autolink', '-fstrict-enums', '-fno-elide-constructors', '-fno-implicit-modules',
  '-fignore-exceptions', '-cl-single-precision-constant', '-cl-strict-aliasing', '-cl-mad-enable',
  '-cl-no-signed-zeros', '-cl-kernel-arg-info', '-cl-opt-disable', '-cl-uniform-work-group-size',
  '-cl-fp32-correctly-rounded-divide-sqrt', '-cl-unsafe-math-optimizations', '-cl-finite-math-only',
  '-cl-fast-relaxed-math',
]); // prettier-ignore

/** Flags with `=` that `-cc1` takes as they are. */
const SAME_WITH_VALUE = [
  '-ftemplate-depth=', '-fconstexpr-depth=', '-fconstexpr-steps=', '-ftemplate-backtrace-limit=',
  '-fmacro-backtrace-limit=', '-fmax-type-align=', '-cl-ext=', '-mprintf-kind=', '-fmacro-prefix-map=',
  '-fdebug-prefix-map=', '-fgpu-default-stream=', '-fmessage-length=', '-fspell-checking-limit=',
  '-flax-vector-conversions=', '-fclang-abi-compat=', '-fcomplex-arithmetic=', '-fno-builtin-', '-fpack-struct=',
  '-cuid=',
]; // prettier-ignore

/** Flags that say what is so anyway, or that concern only what we do not do. */
const NOTHING_TO_DO = new Set([
  '-funroll-loops', '-frtti', '-fno-gpu-exclude-wrong-side-overloads', '-fno-gpu-defer-diag', '-mamdgpu-ieee',
  '-fno-atomic-fine-grained-memory', '-fno-atomic-remote-memory', '-fno-atomic-ignore-denormal-mode',
  '-fassociative-math', '-c', '--offload-device-only', '--cuda-device-only', '-emit-llvm', '-pipe', '-fPIC', '-fpic',
  '-fPIE', '-fno-math-errno', '-fmath-errno', '-ftrapping-math', '-fno-associative-math',
  '-fno-unsafe-math-optimizations', '-fno-fast-math', '-fno-finite-math-only', '-fhonor-nans', '-fhonor-infinities',
  '-fsigned-zeros', '-fno-reciprocal-math', '-fno-approx-func', '-fsigned-char', '-fstrict-aliasing', '-fexceptions',
  '-fcxx-exceptions', '-fno-gpu-flush-denormals-to-zero', '-fno-gpu-rdc', '-fhip-fp32-correctly-rounded-divide-sqrt',
  '-fgpu-sanitize', '-fno-gpu-sanitize', '-fno-gpu-approx-transcendentals', '-fno-gpu-allow-device-init',
  '-fcaret-diagnostics', '-fshow-column', '-fbuiltin', '-fhosted', '-finline', '-fdiscard-value-names',
  '-fno-strict-enums', '-fomit-frame-pointer', '-fno-omit-frame-pointer', '-fno-stack-protector',
  '-Qunused-arguments', '-fno-ident', '-Qn', '-m64', '--hip-link', '-fno-lto', '-fvectorize', '-fslp-vectorize',
  '-fno-plt', '-no-canonical-prefixes', '-fno-crash-diagnostics', '-gdwarf-5', '-gz=none',
  '-fno-unroll-all-loops', '-no-hip-rt', '--no-offload-new-driver', '--offload-new-driver', '-fno-offload-lto',
  '-mno-unsafe-fp-atomics', '-fthreadsafe-statics', '-pthread',
]); // prettier-ignore

/** Processor features with flags: `-mcumode`, `-mno-cumode`. */
const FEATURES = ['cumode', 'tgsplit', 'wavefrontsize64', 'amdgpu-precise-memory-op'];

export function noFlags(): ParsedFlags {
  return {
    cc1: [],
    language: null,
    standard: null,
    optimize: null,
    debug: 'none',
    targets: [],
    waveSize: null,
    codeObjectVersion: 6,
    unsafeMath: false,
    finiteMath: false,
    flushDenormals: false,
    contract: null,
    exceptions: true,
    keepNames: false,
    visibility: null,
    libraries: true,
    hipHeaders: true,
    systemHeaders: true,
    standardLibrary: true,
    colors: null,
    errorLimit: 19,
    emit: null,
    folders: [],
  };
}

type Handler = (flags: ParsedFlags, value: string) => void;

/** Flags with a value: in the same word, or in the next one. */
const WITH_VALUE: Readonly<Record<string, Handler>> = {
  '-D': (flags, value) => void flags.cc1.push('-D', value),
  '-U': (flags, value) => void flags.cc1.push('-U', value),
  '-I': (flags, value) => addFolder(flags, '-I', value),
  '-isystem': (flags, value) => addFolder(flags, '-isystem', value),
  '-iquote': (flags, value) => addFolder(flags, '-iquote', value),
  '-idirafter': (flags, value) => addFolder(flags, '-idirafter', value),
  '-include': (flags, value) => void flags.cc1.push('-include', value),
  '-imacros': (flags, value) => void flags.cc1.push('-imacros', value),
  '-x': (flags, value) => {
    const language = LANGUAGES[value];
    if (language === undefined)
      throw new DarmError('usage', `language '${value}' is not one of ${Object.keys(LANGUAGES).join(', ')}`);
    flags.language = language;
  },
};

function addFolder(flags: ParsedFlags, flag: string, folder: string): void {
  flags.cc1.push(flag, folder);
  flags.folders.push(folder);
}

const FAST_MATH = ['-fapprox-func', '-funsafe-math-optimizations', '-fno-signed-zeros', '-mreassociate', '-freciprocal-math']; // prettier-ignore

/** Flags that stand alone and mean more than themselves. */
const SPECIAL: Readonly<Record<string, (flags: ParsedFlags) => void>> = {
  '-E': (flags) => (flags.emit = 'i'),
  '-S': (flags) => (flags.emit = 'asm'),
  '-g': (flags) => (flags.debug = 'full'),
  '-ggdb': (flags) => (flags.debug = 'full'),
  '-g2': (flags) => (flags.debug = 'full'),
  '-gline-tables-only': (flags) => (flags.debug = 'lines'),
  '-g1': (flags) => (flags.debug = 'lines'),
  '-g0': (flags) => (flags.debug = 'none'),
  '-nogpulib': (flags) => (flags.libraries = false),
  '--no-offloadlib': (flags) => (flags.libraries = false),
  '-nogpuinc': (flags) => (flags.hipHeaders = false),
  '--no-offload-inc': (flags) => (flags.hipHeaders = false),
  '-nostdinc': (flags) => (flags.systemHeaders = false),
  '-nostdlibinc': (flags) => (flags.systemHeaders = false),
  '-nostdinc++': (flags) => (flags.standardLibrary = false),
  '-fno-discard-value-names': (flags) => (flags.keepNames = true),
  '-fno-exceptions': (flags) => (flags.exceptions = false),
  '-fno-strict-aliasing': (flags) => void flags.cc1.push('-relaxed-aliasing'),
  '-fno-trapping-math': (flags) => void flags.cc1.push('-ffp-exception-behavior=ignore'),
  '-fgpu-flush-denormals-to-zero': (flags) => (flags.flushDenormals = true),
  '-fcuda-flush-denormals-to-zero': (flags) => (flags.flushDenormals = true),
  '-cl-denorms-are-zero': (flags) => (flags.flushDenormals = true),
  '-munsafe-fp-atomics': (flags) => void flags.cc1.push('-fatomic-ignore-denormal-mode'),
  '-fcolor-diagnostics': (flags) => (flags.colors = true),
  '-fdiagnostics-color': (flags) => (flags.colors = true),
  '-fno-color-diagnostics': (flags) => (flags.colors = false),
  '-fno-diagnostics-color': (flags) => (flags.colors = false),
  '-ffinite-math-only': (flags) => {
    flags.finiteMath = true;
    flags.cc1.push('-menable-no-infs', '-menable-no-nans', '-ffinite-math-only');
  },
  '-fno-honor-nans': (flags) => void flags.cc1.push('-menable-no-nans'),
  '-fno-honor-infinities': (flags) => void flags.cc1.push('-menable-no-infs'),
  '-funsafe-math-optimizations': (flags) => {
    flags.unsafeMath = true;
    flags.contract ??= 'fast';
    flags.cc1.push(...FAST_MATH);
  },
  '-ffast-math': (flags) => {
    flags.unsafeMath = true;
    flags.finiteMath = true;
    flags.contract ??= 'fast';
    flags.cc1.push('-menable-no-infs', '-menable-no-nans', ...FAST_MATH, '-ffast-math', '-ffinite-math-only');
    flags.cc1.push('-complex-range=basic', '-fgpu-approx-transcendentals');
  },
};

/**
 * @param words flags, without names of inputs and outputs
 * @throws DarmError `usage`, which names the first flag that is not known
 */
export function parseFlags(words: readonly string[]): ParsedFlags {
  const flags = noFlags();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const valued = valuedFlag(word);
    if (valued !== null) {
      const value = word === valued ? words[++at] : word.slice(valued.length);
      if (value === undefined || value === '') throw new DarmError('usage', `the flag ${valued} needs a value`);
      checkWord(value);
      WITH_VALUE[valued]!(flags, value);
    } else {
      checkWord(word);
      if (!takeFlag(flags, word)) throw new DarmError('usage', `unknown flag '${word}'`);
    }
  }
  if (flags.cc1.some((flag) => /^-cl-(fast-relaxed-math|unsafe-math-optimizations)$/.test(flag)))
    flags.unsafeMath = true;
  if (flags.cc1.some((flag) => /^-cl-(fast-relaxed-math|finite-math-only)$/.test(flag))) flags.finiteMath = true;
  return flags;
}

/** Words end in NUL bytes on their way to clang. */
function checkWord(word: string): void {
  if (word.includes('\0')) throw new DarmError('usage', 'a flag has a NUL character');
}

/** The flag that this word begins with, if it is one that takes a value. */
export function valuedFlag(word: string): string | null {
  for (const flag of Object.keys(WITH_VALUE))
    if (word === flag || (flag.length === 2 ? word.startsWith(flag) : word.startsWith(`${flag}=`))) return flag;
  return null;
}

function takeFlag(flags: ParsedFlags, word: string): boolean {
  const special = SPECIAL[word];
  if (special !== undefined) special(flags);
  else if (SAME.has(word)) flags.cc1.push(word);
  else if (NOTHING_TO_DO.has(word)) return true;
  else if (SAME_WITH_VALUE.some((prefix) => word.startsWith(prefix))) flags.cc1.push(word);
  else if (/^-W(?![apl],)[\w+#=-]*$/.test(word)) flags.cc1.push(word);
  else return takeValue(flags, word) || takeFeature(flags, word);
  return true;
}

function takeValue(flags: ParsedFlags, word: string): boolean {
  const [, name, value = ''] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
  switch (name) {
    case '-std':
      flags.standard = value;
      return true;
    case '-cl-std':
      flags.standard = value;
      return true;
    case '--offload-arch':
    case '--cuda-gpu-arch':
      flags.targets.push(...value.split(','));
      return true;
    case '-ffp-contract':
      flags.contract = value;
      return true;
    case '-fbracket-depth':
      flags.cc1.push(name, value);
      return true;
    case '-fvisibility':
      flags.visibility = value;
      return true;
    case '-ferror-limit':
      flags.errorLimit = Number(value) || 0;
      return true;
    case '-mcode-object-version':
      if (!['4', '5', '6'].includes(value))
        throw new DarmError('usage', `code object version ${value} is not 4, 5 or 6`);
      flags.codeObjectVersion = Number(value);
      return true;
    case '-fdiagnostics-color':
      flags.colors = value === 'always' ? true : value === 'never' ? false : null;
      return true;
  }
  const level = /^-O([0-3s]?)$/.exec(word);
  if (level === null) return false;
  flags.optimize = level[1] || '1';
  return true;
}

function takeFeature(flags: ParsedFlags, word: string): boolean {
  const [, no, feature] = /^-m(no-)?(.+)$/.exec(word) ?? [];
  if (feature === undefined || !FEATURES.includes(feature)) return false;
  if (feature === 'wavefrontsize64') flags.waveSize = no ? 32 : 64;
  flags.cc1.push('-target-feature', `${no ? '-' : '+'}${feature}`);
  return true;
}
