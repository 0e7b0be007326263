/** Source as the input of subcommands: which inputs are source, clang's flags on our command line, clang's messages. */
import path from 'node:path';
import type { Compiler } from '../compiler/api.js';
import type { SourceOptions } from '../frontend/options.js';
import { isFlag, valuedFlag } from '../frontend/flags.js';
import { DarmError } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import { visible } from '../report/visible.js';
import { writeMessage } from './messages.js';
import { jobOptions } from './option-groups.js';

/** What the command line says about source. */
export interface SourceFlags {
  /** clang's flags, as they were given. */
  readonly clang: readonly string[];
  /** Options of the job that were not given: for source, their defaults are others. */
  readonly unset: readonly (keyof JobOptions)[];
}

/** Subcommands whose input may be source. */
const SUBCOMMANDS = ['compile', 'analyze', 'check', 'tune', 'batch'];

/** Words that are clang's and not darm's, also those that are not known: `-fwhatever`. */
const CLANG =
  /^-(D|U|I|isystem|iquote|idirafter|include|imacros|x|std=|cl-|f|m[a-z]|m64$|W|w$|g|nogpu|nostd|pedantic|undef$|P$|C$|CC$|dM$|dD$|E$|S$|c$|O([4-9sgz]|\d\d+|fast)?$|l|L|B|s$|shared$|static$|rdynamic$|stdlib=|Xarch_|emit-llvm$|Q|pipe$|pie$|pthread$|no-|cuid=|isysroot$|target$|X(clang|linker|assembler|preprocessor)$)/;
const CLANG_LONG =
  /^--(offload-|cuda-|no-offload|std=|gpu-max-threads-per-block=|(gcc-toolchain|gcc-install-dir|sysroot|target)=|(rocm|hip)-[a-z-]*path=|hip-(link$|version=)|(no-)?gpu-bundle-output$)/;
/** Of several levels the last counts, darm's own or clang's. */
const LEVEL = /^-O(\d+|[sgz]|fast)?$/;
/** darm's own flags that have their value in the next word, which may look like one of clang's. */
const TAKES_VALUE = /^-(o|j|M[FTQ]|-[a-z-]+)$/;
const SWITCHES =
  /^--(json|quiet|stats|once|depfile|depfile-phony|server-fallback|detect-races|check-lds|full-unit|verify-analyses|no-[a-z-]+|fail-fast|force)$/;

/** Takes clang's flags out of a command line. What they mean is checked where the input is source. */
export function takeClangFlags(argv: readonly string[]): { own: string[]; clang: string[] } {
  const own: string[] = [];
  const clang: string[] = [];
  let dropLevel = (): void => {};
  if (!SUBCOMMANDS.includes(argv[0] ?? '')) return { own: [...argv], clang };
  for (let at = 0; at < argv.length; at++) {
    // darm's own level may stand apart from its flag, clang's does not. Many write processors so, too.
    const isApart = argv[at] === '-O' && /^\d+$/.test(argv[at + 1] ?? '');
    const isProcessor = argv[at] === '--offload-arch' && at + 1 < argv.length;
    const word = isApart ? `-O${argv[++at]}` : isProcessor ? `--offload-arch=${argv[++at]}` : argv[at]!;
    const isClangs = !isApart && (CLANG.test(word) || CLANG_LONG.test(word) || isFlag(word));
    if (word === '--') {
      own.push(...argv.slice(at));
      break;
    }
    if (LEVEL.test(word)) {
      dropLevel();
      const words = isClangs ? clang : own;
      const place = words.length;
      // Of `-Ofast`, a warning stays.
      dropLevel = word === '-Ofast' ? () => {} : () => void words.splice(place, 1);
    }
    if (isClangs) {
      clang.push(word);
      if (valuedFlag(word) === word && at + 1 < argv.length) clang.push(argv[++at]!);
    } else {
      own.push(word);
      if (TAKES_VALUE.test(word) && !SWITCHES.test(word) && at + 1 < argv.length) own.push(argv[++at]!);
    }
  }
  return { own, clang };
}

/**
 * What clang's flags say is to be written; null where they say nothing. `-E` goes before `-S`, and that before `-c`.
 */
export function emitOf(clang: readonly string[]): 'i' | 'll' | 'asm' | 'bc' | null {
  if (clang.includes('-E')) return 'i';
  const isLlvm = clang.includes('-emit-llvm');
  if (clang.includes('-S')) return isLlvm ? 'll' : 'asm';
  return isLlvm ? 'bc' : null;
}

const LANGUAGES: Readonly<Record<string, SourceOptions['language']>> = {
  '.hip': 'hip',
  '.cu': 'hip',
  '.cpp': 'hip',
  '.cc': 'hip',
  '.cxx': 'hip',
  '.c++': 'hip',
  '.cl': 'opencl',
  '.ocl': 'opencl',
};

/** What `--emit i` writes of HIP, and clang's names for it. Of OpenCL C, preprocessed text is like any other. */
const PREPROCESSED = new Set(['.i', '.hipi', '.cui']);

const extensionOf = (input: string): string => path.extname(input).toLowerCase();

/** The language of an input that is source, by `-x` or by its name; null for bitcode and the rest. */
export function sourceLanguage(input: string, clang: readonly string[]): SourceOptions['language'] | null {
  const given = clang.findLastIndex((word) => word.startsWith('-x'));
  if (given >= 0) {
    const value = clang[given] === '-x' ? clang[given + 1] : clang[given]!.slice(2);
    return value === 'cl' || value === 'opencl' ? 'opencl' : 'hip';
  }
  return PREPROCESSED.has(extensionOf(input)) ? 'hip' : (LANGUAGES[extensionOf(input)] ?? null);
}

/** The source that the flags describe; null when the input is none. */
export function sourceOf(input: string, flags: SourceFlags): SourceOptions | null {
  const language = sourceLanguage(input, flags.clang);
  if (language !== null) {
    // What -x says comes behind.
    const own = PREPROCESSED.has(extensionOf(input)) ? ['-x', 'hip-cpp-output'] : [];
    return { language, name: input === '-' ? '<stdin>' : input, flags: [...own, ...flags.clang, ...levelOf(flags)] };
  }
  const first = flags.clang[0];
  if (first === undefined) return null;
  throw new DarmError(
    'usage',
    `${first} is for source, and ${input} does not look like it: say what it is with -x hip or -x cl`,
  );
}

/** `-O2`, as for clang, sets all levels that are not given for themselves. */
function levelOf(flags: SourceFlags): string[] {
  const { codegenLevel } = jobOptions(flags);
  return flags.unset.includes('codegenLevel') || codegenLevel === undefined ? [] : [`-O${codegenLevel}`];
}

/** The targets of a fat binary, by `--mcpu` and by any number of `--offload-arch`, and the other flags. */
export function fatBinaryTargets({ mcpu, flags = [] }: SourceOptions & Partial<JobOptions>): [string[], string[]] {
  const offload = flags.map((flag) => /^--(?:offload|cuda-gpu)-arch=(.*)$/s.exec(flag)?.[1] ?? null);
  const targets = [mcpu ?? null, ...offload].flatMap((each) => each?.split(',') ?? []);
  return [targets, flags.filter((_, at) => offload[at] === null)];
}

/** The options of a job on source: what was not given is left to the defaults of source. */
export function sourceJobOptions(flags: SourceFlags): Partial<JobOptions> {
  const given = Object.entries(jobOptions(flags)).filter(([name]) => !flags.unset.includes(name as keyof JobOptions));
  return Object.fromEntries(given);
}

/** Bitcode for the subcommands that work on modules: that of the input, or what clang makes of it. */
export async function moduleOf(
  compiler: Compiler,
  input: string,
  bytes: Uint8Array,
  flags: SourceFlags,
): Promise<{ module: Uint8Array; options: Partial<JobOptions>; dependencies: readonly string[] }> {
  const source = sourceOf(input, flags);
  if (source === null) return { module: bytes, options: jobOptions(flags), dependencies: [] };
  const translated = await compiler.translate(
    bytes,
    { ...sourceJobOptions(flags), ...source },
    { colors: hasColors(flags.clang) },
  );
  printLog(translated.log, hasColors(flags.clang));
  const { bitcode: module, options, dependencies } = translated;
  return { module, options, dependencies };
}

const COLOR_FLAG = /^-f(no-)?(color-diagnostics|diagnostics-color)(=|$)/;

/** Whether clang's messages have colours: where flags say nothing, if they go to a terminal that shows them. */
export function hasColors(words: readonly string[]): boolean {
  const last = words.findLast((word) => COLOR_FLAG.test(word));
  if (last !== undefined && !last.endsWith('=auto')) return !/^-fno-|=never$/.test(last);
  return process.stderr.isTTY === true && !process.env['NO_COLOR'];
}

// eslint-disable-next-line no-control-regex
const COLOR = /(\x1b\[[0-9;]*m)/;

/** clang's messages as it prints them. They quote the source, which may hold anything. */
export function printLog(log: string, isColored: boolean): void {
  const parts = log.replaceAll('\t', '        ').split(COLOR);
  writeMessage(parts.map((part, index) => (index % 2 === 0 || !isColored ? visible(part) : part)).join(''));
}
