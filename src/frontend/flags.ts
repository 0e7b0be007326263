/**
 * clang's flags, as its driver spells them, and what the driver makes of each for `clang -cc1`
 * (clang/lib/Driver/ToolChains/Clang.cpp, AMDGPU.cpp, HIPAMD.cpp). What is listed neither here nor in known-flags.ts is
 * refused: many flags of clang name files that it would read or write.
 */
import { DarmError } from '../errors.js';
import { FAST, levelWarning, type DriverWarning } from './driver-warnings.js';
import { FloatingPoint } from './floating-point.js';
import { NOTHING_TO_DO, NOTHING_TO_DO_WITH_VALUE, SAME, SAME_WITH_VALUE } from './known-flags.js';
import type { Language } from './language.js';
import { isRefused } from './refused-flags.js';

/** What flags ask for, beyond arguments that go to `-cc1` as they are. */
export interface ParsedFlags {
  /** For `-cc1`, in the order in which they were given. */
  readonly cc1: string[];
  language: Language | null;
  /** Whether the source is preprocessed, by its language. */
  isPreprocessed: boolean;
  standard: string | null;
  /** `0` to `3`, `s`, `z`. */
  optimize: string | null;
  /** What clang's driver says of levels, in its order. */
  readonly warnings: { level: DriverWarning | null; fast: DriverWarning | null };
  /** Those of refused-flags.ts that nothing has taken back. */
  readonly refused: Set<string>;
  debug: 'none' | 'directives' | 'lines' | 'full';
  dwarfVersion: number;
  targets: string[];
  /** `xnack` and `sramecc` with their signs, for targets that do not say it themselves. */
  readonly settings: Map<string, string>;
  waveSize: 64 | null;
  codeObjectVersion: number;
  readonly floatingPoint: FloatingPoint;
  /** HIP's flag; null: as the processor is. */
  flushDenormals: boolean | null;
  /** OpenCL's flag. */
  denormalsAreZero: boolean;
  /** In all functions; null: as the level and `-pg` have it. */
  framePointers: boolean | null;
  /** `-pg`: frame pointers are all that clang makes of it for AMD's processors. */
  profiled: boolean;
  unwindTables: boolean;
  exceptions: boolean;
  /** Names of values stay in the bitcode. */
  keepNames: boolean;
  visibility: string | null;
  /** `-nogpulib`, `-nogpuinc`, `-nostdinc`, `-nostdinc++`. */
  libraries: boolean;
  hipHeaders: boolean;
  systemHeaders: boolean;
  standardLibrary: boolean;
  /** Of a fat binary. */
  compressed: boolean;
  colors: boolean | null;
  errorLimit: number;
  /** `-I` and the like, to say where a missing header was looked for. */
  readonly folders: string[];
}

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['hip', 'hip'],
  ['cuda', 'hip'],
  ['c++', 'hip'],
  ['cl', 'opencl'],
  ['opencl', 'opencl'],
  ['hip-cpp-output', 'hip'],
  ['cuda-cpp-output', 'hip'],
]);

/** Settings of target ids with flags. */
const SETTINGS = ['sramecc', 'xnack'];

/** Processor features with flags: `-mcumode`, `-mno-cumode`. */
const FEATURES: ReadonlyMap<string, string> = new Map([
  ['cumode', 'cumode'],
  ['tgsplit', 'tgsplit'],
  ['amdgpu-precise-memory-op', 'precise-memory'],
]);

export function noFlags(): ParsedFlags {
  return {
    cc1: [],
    language: null,
    isPreprocessed: false,
    standard: null,
    optimize: null,
    warnings: { level: null, fast: null },
    refused: new Set(),
    debug: 'none',
    dwarfVersion: 5,
    targets: [],
    settings: new Map(),
    waveSize: null,
    codeObjectVersion: 6,
    floatingPoint: new FloatingPoint(),
    flushDenormals: null,
    denormalsAreZero: false,
    framePointers: null,
    profiled: false,
    unwindTables: true,
    exceptions: true,
    keepNames: false,
    visibility: null,
    libraries: true,
    hipHeaders: true,
    systemHeaders: true,
    standardLibrary: true,
    compressed: false,
    colors: null,
    errorLimit: 19,
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
    const language = LANGUAGES.get(value);
    if (language === undefined)
      throw new DarmError('usage', `language '${value}' is not one of ${[...LANGUAGES.keys()].join(', ')}`);
    flags.language = language;
    flags.isPreprocessed = value.endsWith('-cpp-output');
  },
  '-L': () => {},
  '-l': () => {},
  '-B': () => {},
  '-isysroot': () => {},
  '-Xlinker': () => {},
  '-Xassembler': () => {},
  '-Xpreprocessor': (flags, value) => takeMacro(flags, '-Xpreprocessor', value),
  '-Xclang': (_, value) => checkKnown(/^-(finclude-default-header|fdeclare-opencl-builtins)$/, '-Xclang', value),
  // Of HIP that is the host's, of OpenCL the device's; the processor has a flag of its own.
  '-target': (_, value) => checkTriple('-target', value),
  '--target': (_, value) => checkTriple('--target', value),
  // HIP's CMake package gives two. They ask for inlining, which is decided here as without them.
  '-mllvm': (_, value) => {
    if (!/^-amdgpu-(early-inline-all|function-calls)(=\w+)?$/.test(value))
      throw new DarmError('usage', `-mllvm ${value}: LLVM's own options hold for a whole process and are not taken`);
  },
  '-Xarch_host': () => {},
  '-Xarch_device': (flags, value) => takeWord(flags, value),
};

const TARGET = /^(x86_64|amdgcn)-[\w-]+$/;

/** Of what goes to other tools, some is so anyway, or asks for nothing that concerns the result. */
function checkKnown(known: RegExp, flag: string, value: string, between = ' '): void {
  if (!known.test(value)) throw new DarmError('usage', `unknown flag '${flag}${between}${value}'`);
}

function checkTriple(flag: string, value: string): void {
  if (value.startsWith('gfx'))
    throw new DarmError('usage', `${flag} ${value} is no triple: name the processor with --mcpu or --offload-arch`);
  checkKnown(TARGET, flag, value);
}

/** Distributions give macros to the preprocessor itself: `-Wp,-D_FORTIFY_SOURCE=2`. */
function takeMacro(flags: ParsedFlags, flag: string, value: string): void {
  checkKnown(/^-[DU]./, flag, value, flag === '-Wp' ? ',' : ' ');
  takeWord(flags, value);
}

function addFolder(flags: ParsedFlags, flag: string, folder: string): void {
  flags.cc1.push(flag, folder);
  flags.folders.push(folder);
}

type Special = (flags: ParsedFlags) => void;

/** Flags that stand alone and mean more than themselves. */
const SPECIAL: Readonly<Record<string, Special>> = {
  ...Object.fromEntries(
    ['-g', '-g2', '-g3', '-ggdb', '-ggdb2', '-ggdb3', '-gdwarf'].map((word): [string, Special] => [
      word,
      (flags) => (flags.debug = 'full'),
    ]),
  ),
  '-gline-directives-only': (flags) => (flags.debug = 'directives'),
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
  '-fdiscard-value-names': (flags) => (flags.keepNames = false),
  '-fexceptions': (flags) => (flags.exceptions = true),
  '-fcxx-exceptions': (flags) => (flags.exceptions = true),
  '-fno-exceptions': (flags) => (flags.exceptions = false),
  '-fno-omit-frame-pointer': (flags) => (flags.framePointers = true),
  '-fomit-frame-pointer': (flags) => (flags.framePointers = false),
  '-pg': (flags) => (flags.profiled = true),
  '-fasynchronous-unwind-tables': (flags) => (flags.unwindTables = true),
  '-fno-asynchronous-unwind-tables': (flags) => (flags.unwindTables = false),
  '-fstrict-aliasing': (flags) => takeBack(flags, '-relaxed-aliasing'),
  '-fno-strict-aliasing': (flags) => void flags.cc1.push('-relaxed-aliasing'),
  '-funsigned-char': (flags) => void flags.cc1.push('-fno-signed-char'),
  '-fno-unsigned-char': (flags) => takeBack(flags, '-fno-signed-char'),
  '-fstrict-overflow': (flags) => {
    takeBack(flags, '-fwrapv');
    takeBack(flags, '-fwrapv-pointer');
  },
  '-fno-strict-overflow': (flags) => void flags.cc1.push('-fwrapv', '-fwrapv-pointer'),
  '-fno-lax-vector-conversions': (flags) => void flags.cc1.push('-flax-vector-conversions=none'),
  '-mwavefrontsize64': (flags) => setWaveSize(flags, 64),
  '-mno-wavefrontsize64': (flags) => setWaveSize(flags, null),
  '-fgpu-flush-denormals-to-zero': (flags) => (flags.flushDenormals = true),
  '-fcuda-flush-denormals-to-zero': (flags) => (flags.flushDenormals = true),
  '-fno-gpu-flush-denormals-to-zero': (flags) => (flags.flushDenormals = false),
  '-fno-cuda-flush-denormals-to-zero': (flags) => (flags.flushDenormals = false),
  '-cl-denorms-are-zero': (flags) => (flags.denormalsAreZero = true),
  '-cl-finite-math-only': (flags) => {
    flags.floatingPoint.noteOpenClFlag('-cl-finite-math-only');
    flags.cc1.push('-menable-no-infs', '-menable-no-nans', '-cl-finite-math-only');
  },
  '-fms-extensions': (flags) => void flags.cc1.push('-fms-extensions', '-fms-anonymous-structs'),
  '-mprintf-kind=buffered': (flags) =>
    void flags.cc1.push('-mprintf-kind=buffered', '-Werror=format-invalid-specifier'),
  '-cl-uniform-work-group-size': (flags) => void flags.cc1.push('-foffload-uniform-block'),
  '-munsafe-fp-atomics': (flags) => void flags.cc1.push('-fatomic-ignore-denormal-mode'),
  '-mno-unsafe-fp-atomics': (flags) => takeBack(flags, '-fatomic-ignore-denormal-mode'),
  '-Ofast': (flags) => {
    flags.optimize = '3';
    flags.warnings.level = null;
    flags.warnings.fast = FAST;
    flags.floatingPoint.take('-Ofast');
  },
  '-fhosted': (flags) => takeBack(flags, '-ffreestanding'),
  '-fno-offload-implicit-host-device-templates': (flags) => takeBack(flags, '-foffload-implicit-host-device-templates'),
  '--offload-compress': (flags) => (flags.compressed = true),
  '--no-offload-compress': (flags) => (flags.compressed = false),
  '-fcolor-diagnostics': (flags) => (flags.colors = true),
  '-fdiagnostics-color': (flags) => (flags.colors = true),
  '-fno-color-diagnostics': (flags) => (flags.colors = false),
  '-fno-diagnostics-color': (flags) => (flags.colors = false),
};

/**
 * @param words flags, without names of inputs and outputs
 * @throws DarmError `usage`, which names the first flag that is not known
 */
export function parseFlags(words: readonly string[]): ParsedFlags {
  const flags = noFlags();
  // As in clang's driver, `-Ofast` does nothing where another level follows.
  const isValue = (at: number): boolean => at > 0 && valuedFlag(words[at - 1]!) === words[at - 1];
  const level = words.findLast((word, at) => /^-O(\d*|[sgz]|fast)$/.test(word) && !isValue(at));
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (valuedFlag(word) === word) {
      if (words[at + 1] === undefined) throw new DarmError('usage', `the flag ${word} needs a value`);
      takeWord(flags, word, words[++at]);
    } else if (word === '-Ofast' && level !== word) flags.warnings.fast = FAST;
    else takeWord(flags, word);
  }
  if (flags.profiled && flags.framePointers === false)
    throw new DarmError('usage', '-fomit-frame-pointer and -pg exclude each other');
  return flags;
}

/** Words end in NUL bytes on their way to clang. */
function checkWord(word: string): void {
  if (word.includes('\0')) throw new DarmError('usage', 'a flag has a NUL character');
}

/** Flags whose value may follow without a space; of longer words (`-include-pch`), clang has flags of other names. */
const JOINED = /^-(.|isystem|iquote|idirafter|include|imacros)$/;

/** The flag that this word begins with, if it is one that takes a value. */
export function valuedFlag(word: string): string | null {
  for (const flag of Object.keys(WITH_VALUE)) {
    const rest = word.startsWith(flag) ? word.slice(flag.length) : null;
    if (rest === '' || rest?.startsWith('=') || (rest !== null && JOINED.test(flag) && !/^-[a-z]/.test(rest)))
      return flag;
  }
  return null;
}

/** Whether a word is a flag that is known, or begins with one. */
export const isFlag = (word: string): boolean =>
  SAME.has(word) ||
  NOTHING_TO_DO.has(word) ||
  isRefused(word) ||
  Object.hasOwn(SPECIAL, word) ||
  valuedFlag(word) !== null ||
  SAME_WITH_VALUE.some((flag) => word.startsWith(flag)) ||
  NOTHING_TO_DO_WITH_VALUE.some((flag) => flag.test(word));

/** @param next the value of a flag that has it in the next word */
function takeWord(flags: ParsedFlags, word: string, next?: string): void {
  const valued = valuedFlag(word);
  const value = valued === null ? word : (next ?? word.slice(valued.length).replace(valued.length > 2 ? /^=/ : '', ''));
  if (value === '') throw new DarmError('usage', `the flag ${valued} needs a value`);
  checkWord(value);
  if (valued !== null) WITH_VALUE[valued]!(flags, value);
  else if (!takeFlag(flags, word)) throw new DarmError('usage', `unknown flag '${word}'`);
}

function takeFlag(flags: ParsedFlags, given: string): boolean {
  // GCC's names.
  const word = given.replace(/^-f(no-)?tree-((slp-)?vectorize)$/, '-f$1$2');
  if (Object.hasOwn(SPECIAL, word)) SPECIAL[word]!(flags);
  else if (isRefused(word)) {
    takeBack(flags, opposite(word));
    flags.refused.add(word);
  } else if (flags.floatingPoint.take(word)) return true;
  else if (SAME.has(word)) {
    takeBack(flags, opposite(word));
    flags.cc1.push(word);
    flags.floatingPoint.noteOpenClFlag(word);
  } else if (NOTHING_TO_DO.has(word)) takeBack(flags, opposite(word));
  else if (NOTHING_TO_DO_WITH_VALUE.some((pattern) => pattern.test(word))) return true;
  else if (SAME_WITH_VALUE.some((prefix) => word.startsWith(prefix))) flags.cc1.push(word);
  else if (word.startsWith('-Wp,')) for (const each of word.split(',').slice(1)) takeMacro(flags, '-Wp', each);
  else if (/^-W(?![apl],)[\w+#=-]*$/.test(word)) flags.cc1.push(word);
  else return takeValue(flags, word) || takeFeature(flags, word);
  return true;
}

const opposite = (word: string): string =>
  /^-[fm]no-/.test(word) ? word.replace('no-', '') : word.replace(/^-[fm]/, '$&no-');

/** An earlier flag counts no more. */
function takeBack(flags: ParsedFlags, word: string): void {
  flags.refused.delete(word);
  for (let at = flags.cc1.indexOf(word); at >= 0; at = flags.cc1.indexOf(word)) flags.cc1.splice(at, 1);
}

/** Null: the processor's own, as in clang's driver, which has a flag for 64 lanes and one that takes it back. */
function setWaveSize(flags: ParsedFlags, size: 64 | null): void {
  const at = flags.cc1.indexOf('+wavefrontsize64');
  if (at >= 0) flags.cc1.splice(at - 1, 2);
  flags.waveSize = size;
  if (size !== null) flags.cc1.push('-target-feature', '+wavefrontsize64');
}

function takeValue(flags: ParsedFlags, word: string): boolean {
  const [, name, value = ''] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
  switch (name) {
    case '-std':
    case '--std':
      flags.standard = value;
      return true;
    case '-cl-std':
      flags.standard = value;
      return true;
    case '--offload-arch':
    case '--cuda-gpu-arch':
      flags.targets = [...new Set([...flags.targets, ...value.split(',')])];
      return true;
    case '-mcpu':
    case '-march':
      flags.targets = [value];
      return true;
    case '-ffile-prefix-map':
      flags.cc1.push(`-fdebug-prefix-map=${value}`, `-fmacro-prefix-map=${value}`);
      return true;
    case '-fbracket-depth':
      flags.cc1.push(name, value);
      return true;
    case '-fvisibility':
      flags.visibility = value;
      return true;
    case '-ferror-limit':
      if (!/^\d+$/.test(value)) throw new DarmError('usage', `-ferror-limit=${value} is not a number of errors`);
      flags.errorLimit = Number(value);
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
  const [, dwarf] = /^-gdwarf-([2-5])$/.exec(word) ?? [];
  if (dwarf !== undefined) {
    flags.debug = 'full';
    flags.dwarfVersion = Number(dwarf);
    return true;
  }
  const level = /^-O(?:0+(?=\d))?(\d*|[sgz])$/.exec(word)?.[1];
  if (level === undefined) return false;
  // As clang has it: above 3 there is nothing, and `g` is 1 with fewer variables optimised out, which is not done here.
  const isTooHigh = Number(level) > 3;
  flags.optimize = level === '' || level === 'g' ? '1' : isTooHigh ? '3' : level;
  flags.warnings.level = isTooHigh ? levelWarning(level) : null;
  return true;
}

function takeFeature(flags: ParsedFlags, word: string): boolean {
  const [, no, name = ''] = /^-m(no-)?(.+)$/.exec(word) ?? [];
  if (SETTINGS.includes(name)) {
    flags.settings.set(name, no ? '-' : '+');
    return true;
  }
  const feature = FEATURES.get(name);
  if (feature === undefined) return false;
  flags.cc1.push('-target-feature', `${no ? '-' : '+'}${feature}`);
  return true;
}
