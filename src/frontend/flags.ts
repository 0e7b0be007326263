/**
 * clang's flags, as its driver spells them, and what the driver makes of each for `clang -cc1`
 * (clang/lib/Driver/ToolChains/Clang.cpp, AMDGPU.cpp, HIPAMD.cpp). What is not listed here is refused: many flags of
 * clang name files that it would read or write.
 */
import { DarmError } from '../errors.js';
import { FAST, levelWarning, type DriverWarning } from './driver-warnings.js';
import { FloatingPoint } from './floating-point.js';
import type { Language } from './language.js';
import { isRefused } from './refused-flags.js';

/** What flags ask for, beyond arguments that go to `-cc1` as they are. */
export interface ParsedFlags {
  /** For `-cc1`, in the order in which they were given. */
  readonly cc1: string[];
  language: Language | null;
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
]);

/** Flags that `-cc1` takes as the driver does. What takes one of them back (`-frtti`, `-fno-rtti`) is in the list below. */
const SAME = new Set([
  '-pthread', '-w', '-pedantic', '-pedantic-errors', '-undef', '-C', '-CC', '-P', '-dD', '-dM', '-H', '-fno-rtti', '-fwrapv',
  '-fno-inline', '-fno-inline-functions', '-finline-functions', '-finline-hint-functions', '-ffreestanding',
  '-fno-builtin', '-fno-signed-char', '-fgpu-exclude-wrong-side-overloads',
  '-fgpu-allow-device-init', '-fgpu-defer-diag', '-fno-hip-fp32-correctly-rounded-divide-sqrt',
  '-fdeclspec', '-fno-show-column', '-fno-caret-diagnostics', '-fno-diagnostics-show-option',
  '-fdiagnostics-print-source-range-info', '-fdiagnostics-parseable-fixits', '-fno-diagnostics-fixit-info',
  '-fdiagnostics-show-template-tree', '-fno-elide-type', '-fcoroutines', '-fsized-deallocation',
  '-faligned-allocation', '-fchar8_t', '-fno-char8_t', '-fno-operator-names', '-fdelayed-template-parsing',
  '-fblocks', '-fno-threadsafe-statics', '-fno-common', '-fno-spell-checking', '-fshort-enums',
  '-fno-assume-sane-operator-new', '-fno-dollars-in-identifiers', '-ftrapv', '-fno-access-control',
  '-fno-delete-null-pointer-checks', '-mno-amdgpu-ieee', '-fatomic-fine-grained-memory', '-fatomic-remote-memory',
  '-fatomic-ignore-denormal-mode', '-fexperimental-new-constant-interpreter', '-ffixed-point', '-fno-autolink',
  '-fstrict-enums', '-fno-elide-constructors', '-fno-implicit-modules', '-fignore-exceptions',
  '-fvisibility-inlines-hidden', '-fno-jump-tables', '-fhip-kernel-arg-name', '-fconvergent-functions',
  '-fno-convergent-functions', '-fstrict-vtable-pointers', '-fdollars-in-identifiers', '-fno-use-cxa-atexit',
  '-fmerge-all-constants', '-ffinite-loops', '-fno-finite-loops', '-fno-strict-float-cast-overflow',
  '-fwrapv-pointer', '-fno-strict-return', '-fprotect-parens', '-fgnu-keywords', '-fasm-blocks',
  '-fno-sized-deallocation', '-fno-aligned-allocation', '-fkeep-static-consts', '-fno-show-source-location',
  '-fno-assumptions', '-fno-optimize-sibling-calls', '-fwritable-strings', '-fforce-enable-int128', '-fms-volatile',
  '-fforce-emit-vtables', '-cl-single-precision-constant', '-cl-strict-aliasing', '-cl-mad-enable',
  '-cl-no-signed-zeros', '-cl-kernel-arg-info', '-cl-opt-disable', '-cl-fp32-correctly-rounded-divide-sqrt',
  '-cl-unsafe-math-optimizations', '-cl-fast-relaxed-math', '-fopenmp-simd', '-fdiagnostics-absolute-paths',
  '-fno-diagnostics-show-note-include-stack', '-fparse-all-comments', '-fno-trigraphs', '-fnew-infallible',
  '-foffload-uniform-block', '-fno-offload-uniform-block', '-foffload-implicit-host-device-templates',
  '-fassume-nothrow-exception-dtor', '-fuse-line-directives', '-funroll-loops', '-fno-unroll-loops',
]); // prettier-ignore

/** Flags with `=` that `-cc1` takes as they are. */
const SAME_WITH_VALUE = [
  '-ftemplate-depth=', '-fconstexpr-depth=', '-fconstexpr-steps=', '-ftemplate-backtrace-limit=',
  '-fmacro-backtrace-limit=', '-fconstexpr-backtrace-limit=', '-fmax-type-align=', '-cl-ext=', '-mprintf-kind=', '-fmacro-prefix-map=',
  '-fdebug-prefix-map=', '-fgpu-default-stream=', '-fmessage-length=', '-fspell-checking-limit=',
  '-flax-vector-conversions=', '-fclang-abi-compat=', '-fno-builtin-', '-fpack-struct=', '-cuid=',
  '-ffp-eval-method=', '-ftrivial-auto-var-init=', '-fnew-alignment=', '-fstrict-flex-arrays=',
  '--gpu-max-threads-per-block=',
]; // prettier-ignore

/**
 * Flags that say what is so anyway, or that concern only what we do not do: host code (`-fopenmp`, as clang's driver has
 * it for HIP, and the host's processor), linking, and where clang's driver would look for other tools. They take back
 * their opposite: of `-fno-rtti -frtti`, the last wins.
 */
const NOTHING_TO_DO = new Set([
  // What is to be written is the caller's to say; the command has it from these (cli/source.ts).
  '-E', '-S',
  '-frtti', '-fno-gpu-exclude-wrong-side-overloads', '-fno-gpu-defer-diag', '-mamdgpu-ieee',
  '-fno-atomic-fine-grained-memory', '-fno-atomic-remote-memory', '-fno-atomic-ignore-denormal-mode', '-c',
  '--offload-device-only', '--cuda-device-only', '-emit-llvm', '-pipe', '-fPIC', '-fpic', '-fPIE', '-fpie',
  '-fsigned-char', '-fno-gpu-rdc', '-fhip-fp32-correctly-rounded-divide-sqrt',
  '-fgpu-sanitize', '-fno-gpu-sanitize', '-fno-gpu-allow-device-init',
  '-fcaret-diagnostics', '-fshow-column', '-fbuiltin', '-finline', '-fno-strict-enums',
  '-fno-stack-protector', '-Qunused-arguments', '-fno-ident', '-Qn', '-m64', '--hip-link', '-fno-lto', '-flto',
  '-fno-ms-compatibility', '-fno-plt', '-no-canonical-prefixes', '-fno-crash-diagnostics',
  '-gz=none', '-fno-unroll-all-loops', '-no-hip-rt', '--no-offload-new-driver', '--offload-new-driver',
  '-fno-offload-lto', '-fthreadsafe-statics', '-fopenmp', '-fno-openmp', '-fno-wrapv', '-fno-wrapv-pointer',
  '-fno-semantic-interposition', '-fstandalone-debug', '-fno-standalone-debug', '-fjump-tables', '-fverbose-asm',
  '-fhip-new-launch-api', '-fno-hip-new-launch-api', '-fno-hip-kernel-arg-name', '-fno-trapv',
  '-fno-merge-all-constants', '-fdelete-null-pointer-checks', '-foptimize-sibling-calls', '-fextended-identifiers',
  '-fpermissive', '-fno-permissive', '-faccess-control', '-felide-constructors', '-fspell-checking', '-fautolink',
  '-fno-strict-vtable-pointers', '-fno-short-enums', '-fno-cf-protection', '-shared', '-static', '-rdynamic', '-s',
  '-fuse-cxa-atexit', '-fexcess-precision=fast', '-pie', '-no-pie', '-fno-openmp-simd', '-fansi-escape-codes',
  '-fdiagnostics-show-option', '-fdiagnostics-format=clang', '-fno-limit-debug-info', '-fintegrated-as', '-fno-modules',
  '-fassume-sane-operator-new', '-fzero-initialized-in-bss', '-fno-fat-lto-objects',
  '-ffat-lto-objects', '-fcf-protection=none', '-nostdlib', '-nodefaultlibs',
  '-gsplit-dwarf', '-grecord-gcc-switches', '-gno-record-gcc-switches', '-fstack-clash-protection', '-mno-red-zone',
  '-mno-omit-leaf-frame-pointer', '--gpu-bundle-output', '--no-gpu-bundle-output', '--no-offload-compress',
  '--offload-compress', '-fdiagnostics-show-note-include-stack', '-fcommon',
  '-integrated-as', '-nostdlib++', '-fno-align-functions',
  // hipcc's word for a code object.
  '--genco',
  // What clang prints beside its messages: commands and times.
  '-v', '-ftime-report', '-ftime-report=per-pass', '-ftime-report=per-pass-run',
  // Where functions lie; all of them go into one section in the end.
  '-ffunction-sections', '-fno-function-sections', '-fdata-sections', '-fno-data-sections',
]); // prettier-ignore

/** The same, with values. */
const NOTHING_TO_DO_WITH_VALUE = [
  /^-Wl,/,
  /^-Wa,/,
  /^-(flto|fopenmp|fuse-ld|stdlib|mcmodel|ftls-model|parallel-jobs|fuse-cuid|frandom-seed|-offload-jobs)=/,
  /^--(gcc-toolchain|gcc-install-dir|sysroot|cuda-path|rocm-path|hip-path|hip-version|(rocm|hip)-device-lib-path)=/,
  // GCC's optimisations, which clang does not have.
  /^-f(no-)?(gcse|ivopts|merge-constants|prefetch-loop-arrays|rename-registers|whole-program|use-linker-plugin)$/,
  /^-finline-limit=/,
  /^-finput-charset=utf-?8$/i,
  // What clang writes beside the object, and prints of LLVM's passes. The code is the same.
  /^--?save-temps(=|$)/,
  /^-R(no-)?pass(-missed|-analysis)?(=|$)/,
  // AMD's processors have none, whatever the attribute of a function says.
  /^-fstack-protector(-strong|-all)?$/,
  // The host's processor.
  /^-m(arch|tune)=(?!gfx)/,
  /^-m(no-)?(s?sse|avx|fma|f16c|bmi|aes|popcnt|lzcnt|adx|sha|movbe|prfchw|amx|pclmul|rdrnd|rdseed|xsave)[\w.-]*$/,
];

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
