/**
 * Finds the jobs of a batch: which modules it compiles and where each result goes. Inputs are files, folders (their
 * `.bc` and `.ll` files), glob patterns and manifests. A line of a manifest is a file name or a JSON object `{"input",
 * "output"?, "options"?}`. No files but manifests are read here.
 */
import { promises, readdir, type Dirent, type Stats } from 'node:fs';
import path from 'node:path';
import { glob, type FileSystemAdapter } from 'tinyglobby';
import { completeJobOptions, type Emit, type JobOptions } from '../job/options.js';
import { DarmError } from '../errors.js';
import { ifThere, ioError, readText } from '../process/files.js';
import { completeSource, type SourceOptions } from '../frontend/options.js';
import { checkSameSettings, parseTargetId } from '../job/target-id.js';

export interface BatchJob {
  /** Path as the caller gave it; for a manifest's line, the path joined to the manifest's folder. */
  readonly input: string;
  /** Paths of the results in the output folder, one for each kind of `emit`: normalised, with `/` as the separator. */
  readonly outputs: readonly string[];
  readonly options: JobOptions;
  /** For source: clang's side, and the options that were given; what was not has other defaults. */
  readonly source: (SourceOptions & Partial<JobOptions>) | null;
  /** Whether the result is a fat binary: of a container's images, or of a module compiled for each target. */
  readonly fatBinary: boolean;
}

export interface CollectOptions {
  readonly options: Partial<JobOptions>;
  readonly fatBinary: boolean;
  /** clang's side of an input that is source, and the options of its job that were given; null for the rest. */
  readonly sourceOf?: (input: string) => (SourceOptions & Partial<JobOptions>) | null;
  /** The extension, with the dot, of results that no manifest names: no two kinds have the same. */
  readonly extension: (kind: Emit | 'fatbin') => string;
  /** Where results go: what lies there is no input of a folder or pattern that leads there from above. */
  readonly outDir?: string;
  /** Told of each folder that cannot be read or found below another: its modules are left out. */
  readonly onUnreadable?: (error: DarmError) => void;
}

/**
 * @throws DarmError `usage` for an impossible option, `io` for an input that does not exist, `bad-input` for a mistake
 *   in a manifest and for a pattern or folder without files
 */
export async function collectJobs(inputs: readonly string[], collect: CollectOptions): Promise<BatchJob[]> {
  const jobs: BatchJob[][] = [];
  for (const input of inputs) jobs.push(await jobsOf(input, collect));
  return jobs.flat();
}

async function jobsOf(input: string, collect: CollectOptions): Promise<BatchJob[]> {
  if (input === '-') return manifestJobs(await readText('-'), '<stdin>', '.', collect);
  if (input.endsWith('.jsonl')) return manifestJobs(await readText(input), input, path.dirname(input), collect);
  const here = await ifThere(promises.stat(input)).catch((error) => Promise.reject(ioError('read', input, error)));
  if (here?.isDirectory())
    return globJobs(
      input,
      ['**/*.{bc,ll}'],
      collect,
      `${input} holds no .bc and no .ll file; source is named by a pattern, '${input}/**/*.hip'`,
    );
  if (here === null && /[*?[\]{}]/.test(input)) {
    const parts = input.split('/');
    const first = parts.findIndex((part) => /[*?[\]{}]/.test(part));
    const base = parts.slice(0, first).join('/') || (input.startsWith('/') ? '/' : '.');
    return globJobs(base, [parts.slice(first).join('/')], collect, `nothing matches ${input}`);
  }
  if (here === null) throw ioError('read', input, Object.assign(new Error(), { code: 'ENOENT' }));
  return [jobOf(input, path.basename(input), collect)];
}

type ReaddirDone = (error: NodeJS.ErrnoException | null, entries: Dirent[] | undefined) => void;

/** The glob's double asterisk stands for no folder whose name has one. */
const LINE_END = /[\n\r\u2028\u2029]/;
const UNMATCHED_FOLDER = 'the name of this folder has a line end; name the folder itself';

async function globJobs(base: string, patterns: string[], collect: CollectOptions, none: string): Promise<BatchJob[]> {
  const unreadable: DarmError[] = [];
  // tinyglobby itself says nothing of a folder that it cannot read.
  const reportingReaddir = (folder: string, options: { withFileTypes: true }, done: ReaddirDone): void =>
    readdir(folder, options, (error, entries) => {
      if (error !== null) unreadable.push(ioError('read', folder, error));
      for (const entry of entries ?? [])
        if (LINE_END.test(entry.name) && entry.isDirectory())
          unreadable.push(new DarmError('io', `cannot read ${path.join(folder, entry.name)}: ${UNMATCHED_FOLDER}`));
      done(error, entries);
    });
  // Nor of a link that leads nowhere, and it would go once round where a link leads to a folder above it.
  const realFolder = async (link: string): Promise<string> => {
    try {
      if (!(await promises.stat(link)).isDirectory()) return link;
      // With a separator: else tinyglobby takes "kernels-2" for a folder in "kernels", and leaves it out.
      const folder = path.join(await promises.realpath(link), path.sep);
      if (!(await liesIn(link, folder))) return folder;
      unreadable.push(new DarmError('io', `cannot read ${link}: it is a link to a folder that it lies in`));
    } catch {
      // It leads nowhere, which reading it will tell.
    }
    return link;
  };
  const fs = {
    readdir: reportingReaddir,
    realpath: (link: string, done: (error: null, found: string) => void): void =>
      void realFolder(link).then((found) => done(null, found)),
    stat: (found: string, done: (error: null, found: Pick<Stats, 'isDirectory'>) => void): void =>
      done(null, { isDirectory: () => found.endsWith(path.sep) }),
  };
  const found = await glob(patterns, { cwd: base, dot: false, expandDirectories: false, fs: fs as FileSystemAdapter });
  const files = await withoutResults(base, found, collect.outDir);
  unreadable.sort((a, b) => (a.message < b.message ? -1 : 1)).forEach((error) => collect.onUnreadable?.(error));
  const inOut = `what is found in ${base} lies in the output folder: it is taken for results`;
  if (files.length === 0) throw new DarmError('bad-input', found.length === 0 ? none : inOut);
  return files.sort().map((file) => jobOf(path.join(base, file), file, collect));
}

/** @param name path of the input relative to its root; the result has it too, with another extension */
function jobOf(
  input: string,
  name: string,
  { options, fatBinary, extension, sourceOf }: CollectOptions,
  own: Partial<JobOptions> = {},
): BatchJob {
  const job = completeJobOptions('darm batch', { ...options, ...own });
  const shown = SHOWN.find((option) => job[option]);
  if (shown !== undefined)
    throw new DarmError('usage', `option "${shown}" is not for darm batch, which writes artifacts only`);
  if (fatBinary && own.emit !== undefined)
    throw new DarmError('usage', 'option "emit" and --emit fatbin exclude each other');
  const found = sourceOf?.(input) ?? null;
  const source = found && { ...found, emit: job.emit, ...own };
  // What no input can make good is told before anything is compiled, and not once for each of them.
  const targets = targetsOf({ options: source ?? job, fatBinary });
  if (new Set(targets).size !== targets.length) throw new DarmError('usage', 'a target is named twice');
  for (const mcpu of targets) {
    parseTargetId(mcpu);
    if (source !== null) completeSource('darm batch', '', { ...source, mcpu });
  }
  // Flags may complete the targets of source.
  if (source === null) checkSameSettings(targets.filter((target) => target !== null));
  const kinds = fatBinary ? (['fatbin'] as const) : job.emit;
  const outputs = kinds.map((kind) => withExtension(name, extension(kind)));
  return { input, outputs, options: job, source, fatBinary };
}

/** What these options ask for is shown and no artifact: it would be lost. */
const SHOWN = ['stats', 'remarks', 'report'] as const;

/** Else a second run would take the first one's results for inputs. */
async function withoutResults(base: string, files: string[], outDir: string | undefined): Promise<string[]> {
  if (outDir === undefined) return files;
  const out = await ifThere(promises.realpath(outDir)).catch((error) => Promise.reject(ioError('read', outDir, error)));
  if (out === null) return files;
  const isOfOut = (file: string): Promise<boolean> => liesIn(path.resolve(base, file), path.join(out, path.sep));
  if (await isOfOut('any')) return files;
  const results = new Set<string>();
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    if (await isOfOut(path.join(folder, 'any'))) results.add(folder);
  return files.filter((file) => !results.has(path.dirname(file)));
}

/**
 * Whether the way to a file or link leads through a folder. The folders on the way may be links, too: where two folders
 * have links to each other, neither lies in the other.
 *
 * @param folder a real path with a separator at its end
 */
async function liesIn(file: string, folder: string): Promise<boolean> {
  for (let at = file; at !== path.dirname(at);) {
    at = path.dirname(at);
    if (path.join(await promises.realpath(at), path.sep).startsWith(folder)) return true;
  }
  return false;
}

/** A job's target ids; null stands for the processor that the functions name. */
export const targetsOf = ({ options, fatBinary }: TargetsGiven): readonly (string | null)[] =>
  (fatBinary ? options.mcpu?.split(',') : null) ?? [options.mcpu ?? null];

interface TargetsGiven {
  readonly options: Partial<JobOptions>;
  readonly fatBinary: boolean;
}

const withExtension = (name: string, extension: string): string =>
  name.slice(0, name.length - path.extname(name).length).replaceAll(path.sep, '/') + extension;

function manifestJobs(text: string, manifest: string, folder: string, collect: CollectOptions): BatchJob[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const fail = (what: string) => new DarmError('bad-input', what, { file: manifest, line: index + 1 });
    if (line.includes('\0')) throw fail('this line has a NUL; each name has a line of its own');
    const {
      input,
      output,
      options = {},
    } = line.trimStart().startsWith('{') ? parsed(line, fail) : { input: line.trim() };
    const own = output === undefined ? null : path.normalize(output).replaceAll(path.sep, '/');
    if (own !== null && (path.isAbsolute(own) || own.endsWith('/') || /^\.?$|^\.\.(?:\/|$)/.test(own)))
      throw fail('"output" must be a path below the output folder');
    try {
      const file = path.isAbsolute(input) ? input : path.join(folder, input);
      const job = jobOf(file, path.basename(input), collect, options);
      if (own === null) return [job];
      if (job.outputs.length > 1)
        throw fail('"output" is one file, and "emit" asks for several: leave "output" out, or write a line for each');
      return [{ ...job, outputs: [own] }];
    } catch (error) {
      throw error instanceof DarmError ? fail(error.message) : error;
    }
  });
}

interface ManifestLine {
  readonly input: string;
  readonly output?: string;
  readonly options?: Partial<JobOptions>;
}

function parsed(line: string, fail: (what: string) => DarmError): ManifestLine {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as Record<string, unknown>;
  } catch {
    throw fail('this line is not JSON');
  }
  for (const name of Object.keys(value))
    if (!['input', 'output', 'options'].includes(name)) throw fail(`unknown name "${name}"`);
  const { input, output, options } = value;
  if (typeof input !== 'string' || input === '') throw fail('"input" must be the name of a file');
  if (output !== undefined && (typeof output !== 'string' || output === '')) throw fail('"output" must be a path');
  if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options)))
    throw fail('"options" must be an object');
  return value as unknown as ManifestLine;
}
