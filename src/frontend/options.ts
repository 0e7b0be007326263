/** What a source needs beside the options of a job: the API's side of clang's flags. */
import { DarmError, type SourceDiagnostic } from '../errors.js';
import { givenOf } from '../job/option-table.js';
import { completeJobOptions, DEFAULT_OPTIONS, type JobOptions } from '../job/options.js';
import type { SourceJob, Translation } from '../job/source.js';
import { withSettings } from '../job/target-id.js';
import { platform } from '../platform/index.js';
import { cc1Arguments } from './cc1.js';
import { parseFlags, type ParsedFlags } from './flags.js';
import type { Language } from './language.js';
import { checkRefused } from './refused-flags.js';

export interface SourceOptions {
  readonly language: Language;
  /** As messages name the source, and where relative includes begin; default: `kernel.hip`, `kernel.cl`. */
  readonly name?: string;
  /** Contents of headers by the name in `#include`, in front of all others. */
  readonly headers?: Readonly<Record<string, string | Uint8Array>>;
  /** Macros; `true` stands for 1, `false` takes a definition away. */
  readonly defines?: Readonly<Record<string, string | number | boolean>>;
  /** Folders of the disk, as `-I`. */
  readonly includePaths?: readonly string[];
  /** clang's own flags, in its spelling: `-std=c++20`, `-ffast-math`. Refused by name when not known. */
  readonly flags?: readonly string[];
  /**
   * Kernels, device functions and variables, as C++ names them (`add<float>`, `&counter`), whose symbols are wanted.
   */
  readonly nameExpressions?: readonly string[];
  /** Whether includes may come from the disk; by default, they may. The service says no. */
  readonly disk?: boolean;
}

/** The options of a job whose input is source. Its default is `-O3`. */
export type SourceCompileOptions = SourceOptions & Partial<JobOptions>;

const KEYS = ['language', 'name', 'headers', 'defines', 'includePaths', 'flags', 'nameExpressions', 'disk'] as const;

/** Whether options are for source. */
export const isForSource = (options: object): options is SourceCompileOptions =>
  typeof options === 'object' && options !== null && 'language' in options;

/** The variable whose initialiser clang's module reads the symbols from: wasm/frontend/frontend.cpp. */
const NAMES_VARIABLE = '__darm_name_expressions';

/** A source with all that is asked about it, checked. */
export interface SourceRequest {
  readonly source: Uint8Array;
  readonly options: SourceOptions;
  readonly flags: ParsedFlags;
  readonly language: Language;
  readonly name: string;
  readonly target: string;
  readonly optimize: string;
  /** For what follows the translation. */
  readonly job: JobOptions;
}

/** @throws DarmError `usage` */
export function completeSource(where: string, source: string | Uint8Array, given: SourceCompileOptions): SourceRequest {
  const options = sourceOptions(where, given);
  const flags = parseFlags([...definesOf(options), ...(options.includePaths ?? []).map((folder) => `-I${folder}`), ...(options.flags ?? [])]); // prettier-ignore
  const language = flags.language ?? options.language;
  const asked = options.name ?? (language === 'hip' ? 'kernel.hip' : 'kernel.cl');
  // clang would take it as a flag, and `-` as standard input.
  const name = asked.startsWith('-') ? `./${asked}` : asked;
  const job = jobOptions(where, given, flags);
  if (job.mcpu === null)
    throw new DarmError(
      'usage',
      'source needs a processor: --mcpu gfx1100, for example (in the library mcpu, or a target for compileFatBinary)',
    );
  const ofPipeline = job.optimize === 'none' ? '0' : job.optimize.slice(1);
  const optimize = flags.optimize ?? ofPipeline;
  checkRefused(flags.refused, given.optimize === undefined ? optimize : ofPipeline);
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  return { source: withNames(bytes, options), options, flags, language, name, target: job.mcpu, optimize, job };
}

/** `-O` of clang's is the level of LLVM's pipeline and of code generation, unless each is given for itself. */
function jobOptions(where: string, given: SourceCompileOptions, flags: ParsedFlags): JobOptions {
  // Options may be inherited; what is not known is refused where it is the object's own.
  const names = new Set([...Object.keys(given), ...Object.keys(DEFAULT_OPTIONS)]);
  for (const key of KEYS) names.delete(key);
  const asked: Partial<JobOptions> = givenOf(given, [...names]);
  const level = flags.optimize ?? (asked.optimize === undefined ? '3' : null);
  // What `-Oz` has beyond `-Os`, clang tells LLVM by attributes of functions.
  const pipeline = level === 'z' ? 's' : level;
  const optimize = asked.optimize ?? (level === '0' ? 'none' : (`O${pipeline}` as JobOptions['optimize']));
  const codegenLevels = { none: 0, O1: 1, O2: 2, O3: 3, Os: 2 } as const;
  if (new Set([...(asked.mcpu ? [asked.mcpu] : []), ...flags.targets]).size > 1)
    throw new DarmError('usage', 'one target at a time, or a fat binary: --emit fatbin, compileFatBinary with targets');
  const target = asked.mcpu ?? flags.targets[0] ?? null;
  return completeJobOptions(where, {
    ...asked,
    optimize,
    mcpu: typeof target === 'string' && target !== '' ? withSettings(target, flags.settings) : target,
    codegenLevel: asked.codegenLevel ?? codegenLevels[optimize],
    // clang links them, unless -nogpulib says no.
    deviceLibs: 'never',
  });
}

function sourceOptions(where: string, given: SourceCompileOptions): SourceOptions {
  if (typeof given !== 'object' || given === null)
    throw new DarmError('usage', `the options of ${where} must be an object`);
  const { language, name, headers = {}, defines = {}, includePaths = [], flags = [], nameExpressions = [], disk } = given; // prettier-ignore
  const fail = (option: string, what: string): never => {
    throw new DarmError('usage', `option "${option}" in ${where} ${what}`);
  };
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && !value.includes('\0');
  if (language !== 'hip' && language !== 'opencl') fail('language', 'must be "hip" or "opencl"');
  if (name !== undefined && !isText(name)) fail('name', 'must be a string');
  // Copies have no holes, which `every` leaves out.
  for (const [key, value] of Object.entries({ includePaths, flags, nameExpressions }))
    if (!Array.isArray(value) || ![...(value as unknown[])].every(isText)) fail(key, 'must be a list of strings');
  for (const [key, value] of Object.entries({ headers, defines }))
    if (typeof value !== 'object' || value === null) fail(key, 'must be an object');
  for (const [header, content] of Object.entries(headers))
    if (!isText(header) || !(typeof content === 'string' || content instanceof Uint8Array))
      fail('headers', 'must have texts, and names of at least one character');
  if (!Object.values(defines).every((value) => ['string', 'number', 'boolean'].includes(typeof value)))
    fail('defines', 'must have strings, numbers, true or false');
  if (disk !== undefined && typeof disk !== 'boolean') fail('disk', 'must be true or false');
  if (nameExpressions.length > 0 && language !== 'hip') fail('nameExpressions', 'is for HIP');
  return given;
}

function definesOf({ defines = {} }: SourceOptions): string[] {
  return Object.entries(defines).flatMap(([name, value]) => {
    if (!/^[A-Za-z_]\w*(\([\w, .]*\))?$/.test(name)) throw new DarmError('usage', `'${name}' is no name of a macro`);
    if (value === false) return [`-U${name}`];
    return [`-D${name}=${value === true ? 1 : value}`];
  });
}

function withNames(source: Uint8Array, { nameExpressions = [] }: SourceOptions): Uint8Array {
  if (nameExpressions.length === 0) return source;
  for (const expression of nameExpressions)
    if (/[;{}#\n\r\\]/.test(expression)) throw new DarmError('usage', `'${expression}' is no name expression`);
  // HIPRTC's callers write `&counter` as well as `counter`.
  const entities = nameExpressions.map((expression) => expression.replace(/^\s*&(?!&)/, ''));
  const addresses = entities.map((entity) => `(const void *)&(${entity})`).join(',\n');
  const variable =
    `\n#line 1 "<name expressions>"\n` +
    `__attribute__((device, used)) static const void *${NAMES_VARIABLE}[] = {\n${addresses}};\n`;
  return concatenated(source, new TextEncoder().encode(variable));
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

/** What a worker gets. */
export async function translationJob(
  request: SourceRequest,
  product: 'bitcode' | 'text',
  processors: readonly string[],
  colors: boolean,
): Promise<SourceJob> {
  const { source, options, flags, language, name, target, optimize } = request;
  const headers = Object.entries(options.headers ?? {});
  const encoder = new TextEncoder();
  const hasHeaders = headers.length > 0;
  const words = cc1Arguments({ flags, language, name, target, optimize, product, hasHeaders, processors });
  const all = language === 'hip' ? await withUnitId(words, source) : words;
  const isColored = flags.colors ?? colors;
  return {
    // Colours are no part of the unit's id: they change no bytes of what comes out.
    arguments: isColored ? ['-fcolor-diagnostics', ...all] : all,
    name,
    source,
    headers: new Map(headers.map(([key, text]) => [key, typeof text === 'string' ? encoder.encode(text) : text])),
    disk: options.disk ?? true,
    colors: isColored,
  };
}

/** Their values are places on the disk, which change nothing as long as the same is there. */
const PLACES = new Set(['-I', '-isystem', '-iquote', '-idirafter', '-include', '-imacros']);

/**
 * clang's driver makes the id of a compilation unit from its path; here it depends on what is compiled, and how, so
 * that a folder of another name changes no bytes. The last word is the source's name.
 */
async function withUnitId(words: readonly string[], source: Uint8Array): Promise<string[]> {
  if (words.some((word) => word.startsWith('-cuid='))) return [...words];
  const placeless = words.slice(0, -1).filter((_, at) => !PLACES.has(words[at - 1] ?? ''));
  const id = (await platform.sha256(placeless.join('\0'), source)).slice(0, 16);
  return [`-cuid=${id}`, ...words];
}

export const isError = ({ severity }: SourceDiagnostic): boolean => severity === 'error' || severity === 'fatal';

/** The error of a source that clang refuses. Its text is clang's log. */
export function refusal(
  { log, diagnostics }: Pick<Translation, 'log' | 'diagnostics'>,
  folders: readonly string[],
): DarmError {
  const first = diagnostics.find(isError);
  const place = first && {
    ...(first.file !== null && { file: first.file }),
    ...(first.line !== null && { line: first.line }),
    ...(first.column !== null && { column: first.column }),
  };
  const isMissing = first !== undefined && /file not found$/.test(first.message);
  const isNoFile = first !== undefined && /^cannot open file .*: Not supported$/.test(first.message);
  const searched = isMissing ? `note: looked for in ${[...folders, "the package's headers"].join(', ')}\n` : '';
  const note = isNoFile ? 'note: what is included must be a file of at most 256 MiB\n' : searched;
  const isTarget = first !== undefined && /^unknown target CPU/.test(first.message);
  const message = first?.message ?? 'clang gave no reason';
  return new DarmError(isTarget ? 'bad-target' : 'compile-failed', message, place, {
    log: log + note,
    diagnostics,
    isRefusal: true,
  });
}
