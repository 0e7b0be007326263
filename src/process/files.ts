/** Reading inputs, and writing outputs whole or not at all. */
import {
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { DarmError, limitText } from '../errors.js';
import { placeOf } from './surroundings.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EEXIST: 'there is something else of this name',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENOSPC: 'no space left',
  EDQUOT: 'no space left within the quota',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files: raise the limit (ulimit -n)',
  EFBIG: 'the file would be larger than allowed',
  ELOOP: 'too many symbolic links',
  ENFILE: 'too many open files in the whole system',
};

/** Node gives such a name only with replacement characters, with which no file is found. */
const isMangled = (file: string): boolean => file.includes('\ufffd');

export function ioError(action: string, file: string, error: unknown): DarmError {
  if (error instanceof DarmError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOENT' && isMangled(file) ? 'its name is not UTF-8; rename it' : (REASONS[code] ?? message);
  return new DarmError('io', `cannot ${action} ${file}: ${reason}`);
}

/** Whatever was thrown, as the error type that users see. A system call that failed is not a mistake of ours. */
export function typedError(thrown: unknown): DarmError {
  if (thrown instanceof DarmError) return thrown;
  if (!(thrown instanceof Error)) return new DarmError('internal', String(thrown));
  const { code, syscall, path: file } = thrown as NodeJS.ErrnoException;
  // Node's own permissions (`--permission`): from Node 22 on, its message names the flag that is missing.
  if (code === 'ERR_ACCESS_DENIED') return new DarmError('io', thrown.message);
  // Node's loader says so in its own words, or takes a file that it could not open for one that is not there.
  if (/\bEMFILE\b|: too many open files/.test(thrown.message)) return ioError('load', 'a module', { code: 'EMFILE' });
  if (code === 'ERR_MODULE_NOT_FOUND')
    return new DarmError('io', `${thrown.message}: install darm anew, or raise the limit of open files (ulimit -n)`);
  return syscall === undefined ? new DarmError('internal', String(thrown)) : ioError(syscall, file ?? 'a file', thrown);
}

const MIB = 2 ** 20;
/** The largest input: the compiler takes modules of this size by default. */
const MAX_INPUT_BYTES = 1024 * MIB;
/** The largest text of our own formats (manifests, launch specs, response files). V8's strings end at 512 MiB. */
const MAX_TEXT_BYTES = 256 * MIB;
/** In which an input has to arrive, unless the caller says otherwise: milliseconds. */
const READ_TIMEOUT = 600_000;

/** A second reader would find it empty. */
let hasReadStandardInput = false;

function standardInput(): Readable {
  if (hasReadStandardInput) throw new DarmError('usage', 'standard input (-) can be read only once');
  hasReadStandardInput = true;
  return process.stdin;
}

/**
 * A file's bytes; `-` is standard input. Devices and pipes may be endless, or may never begin: a FIFO that nobody
 * writes to. So there is a limit for the size and, for them, one for the time.
 *
 * @param timeout milliseconds, 0 for no limit
 */
export async function readInput(
  file: string,
  timeout = READ_TIMEOUT,
  maxBytes = MAX_INPUT_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const place = { file: file === '-' ? '<stdin>' : file };
  const checkSize = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new DarmError('bad-input', `the input has more than ${maxBytes / MIB} MiB, which is the limit`, place);
  };
  try {
    const at = file === '-' ? file : placeOf(file);
    const found = file === '-' ? null : await stat(at);
    // Some files of the system have no size, but content.
    if (found?.isFile() && found.size > 0) {
      checkSize(found.size);
      return await readFile(at);
    }
    const late = new DarmError('timeout', `the input did not arrive within ${limitText(timeout)}`, place);
    const stream = found === null ? standardInput() : await openStream(at, found);
    return await inTime(timeout, late, readStream(stream, checkSize)).finally(() => stream.destroy());
  } catch (error) {
    throw ioError('read', file === '-' ? 'standard input' : file, error);
  }
}

export async function readText(file: string, timeout = READ_TIMEOUT): Promise<string> {
  return new TextDecoder().decode(await readInput(file, timeout, MAX_TEXT_BYTES));
}

async function inTime<T>(timeout: number, late: DarmError, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    if (timeout > 0) timer = setTimeout(() => reject(late), timeout);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function readStream(
  stream: AsyncIterable<unknown>,
  checkSize: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    checkSize((size += chunk.length));
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Opening a FIFO waits for its writer, and a process cannot end while one of its threads waits so. Therefore FIFOs are
 * opened without waiting, and read as sockets are.
 */
async function openStream(file: string, found: Stats): Promise<Readable> {
  if (!found.isFIFO()) return createReadStream(file, { highWaterMark: MIB });
  const { Socket } = await import('node:net');
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** No other thread or process has it. */
const UNIQUE = [process.pid, process.hrtime.bigint(), Math.floor(Math.random() * 2 ** 32)]
  .map((part) => part.toString(36))
  .join('');
let written = 0;

/**
 * Writes a temporary file in the same folder and renames it. Its name is short, however long the other's may be. Nobody
 * sees half a file, a failure leaves what was there, and several processes may write the same file at the same time.
 */
export async function writeAtomically(file: string, content: Uint8Array | string, mode?: number): Promise<void> {
  const own = `${UNIQUE}${(written++).toString(36)}`;
  const temporary = path.join(path.dirname(file), `.darm.${own}.tmp`);
  try {
    await writeFile(temporary, content, { flag: 'wx', mode });
    await rename(temporary, file);
  } catch (error) {
    // What was there before is somebody else's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(temporary, { force: true });
    throw error;
  }
}

/** Null if there is no such file. Any other failure says nothing about the file, and remains a failure. */
export async function ifThere<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes an output of the command; `-` is standard output. What is not an ordinary file (a pipe, /dev/null) is written
 * in place, and a symbolic link stays one: the file that it points to is replaced, or made.
 */
export async function writeOutput(file: string, content: Uint8Array | string): Promise<void> {
  if (file === '-') return writeStandardOutput(content);
  if (isMangled(file))
    throw new DarmError(
      'usage',
      `cannot write ${file}: its name is not UTF-8, or has the character U+FFFD; take another one`,
    );
  try {
    const place = placeOf(file);
    const found = await ifThere(stat(place));
    // There can be no file of such a name, and the path without it is another one.
    const isFolder = place.endsWith(path.sep);
    const target = isFolder ? place : realPath(place);
    if (found === null || (found.isFile() && isSame(found, await ifThere(stat(target)))))
      await writeAtomically(target, content, found?.mode);
    // Not the real path: that of /dev/stdout, if it is a pipe or a file that was removed, is no file.
    else await writeFile(place, content);
  } catch (error) {
    throw ioError('write', file, error);
  }
}

const isSame = (a: Stats, b: Stats | null): boolean => a.dev === b?.dev && a.ino === b.ino;

/** As many links as systems follow, and no path is longer. */
const MOST_LINKS = 40;
const LONGEST = 4096;

/**
 * The path without symbolic links. The file need not exist yet, and neither need its folders.
 *
 * @param folders the real paths of folders, as far as they are known
 * @param links how many links may still be followed
 */
export function realPath(file: string, folders = new Map<string, string>(), links = MOST_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = path.dirname(file);
    if (parent === file || file.length > LONGEST) return file;
    let folder = folders.get(parent);
    if (folder === undefined) folders.set(parent, (folder = realPath(parent, folders, links)));
    const there = below(folder, path.basename(file));
    // Any other failure may be a loop of links.
    const link = code === 'ENOENT' && links > 0 ? linkAt(there) : null;
    if (link === null) return there;
    return realPath(path.isAbsolute(link) ? link : below(folder, link), folders, links - 1);
  }
}

/** Not normalised: `..` is the folder above the one that a link leads to, and nothing below one that does not exist. */
const below = (folder: string, file: string): string => folder + (folder.endsWith(path.sep) ? '' : path.sep) + file;

/** What a symbolic link says; null for what is none. */
function linkAt(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}

/**
 * Makes a folder and those above it, unless they are there. Node's `recursive` never ends where the system refuses a
 * folder with ENOENT although the one above exists, as /proc and automounted folders do: it makes the one above again.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    const above = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    // It may be there by now: another job or process makes the same folders.
    if (!(await isFolder(above))) await makeFolder(above, mode);
    await mkdir(folder, { mode }).catch(async (again: unknown) => {
      if (!(await isFolder(folder))) throw again;
    });
  }
}

const isFolder = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Writes to standard output. When it returns, everything is handed to the system, and the process may exit.
 *
 * Node's stream for standard output that is a file takes a part of the data for all of it when the disk is full. So
 * files are written without that stream.
 */
export async function writeStandardOutput(content: Uint8Array | string): Promise<void> {
  try {
    const output = fstatSync(1);
    if (output.isFIFO() || output.isSocket() || process.stdout.isTTY) await writeStream(process.stdout, content);
    else writeFileSync(1, content);
  } catch (error) {
    // EPIPE: the reader has gone; nobody is left to tell.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw ioError('write', 'standard output', error);
  }
}

const ignore = (): void => {};

/**
 * Keeps the errors of a standard stream from ending the process. It does not matter who else listens: the pipe from a
 * worker thread's stream listens until the first error, and throws it if nobody else does.
 */
export function outliveErrors(stream: NodeJS.WriteStream): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

function writeStream(stream: NodeJS.WriteStream, content: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The callback gets the error.
    outliveErrors(stream);
    stream.write(content, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * A folder of this user's below the system's folder for temporary files: made when missing, readable by nobody else.
 * Others can make files there as well, so a folder that belongs to somebody else, that others can write to, or that is
 * a link is not used.
 *
 * @returns null when there is no such folder to be had
 */
export async function privateTemporaryFolder(): Promise<string | null> {
  const user = process.getuid?.();
  const folder = path.join(tmpdir(), user === undefined ? 'darm' : `darm-${user}`);
  try {
    await makeFolder(folder, 0o700);
    const found = await lstat(folder);
    return found.isDirectory() && isWritableByUserOnly(found) ? folder : null;
  } catch {
    return null;
  }
}

/** Whether a file or folder belongs to this user, or to root if that will do, and nobody else can write to it. */
export function isWritableByUserOnly({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, { orRoot = false } = {}): boolean {
  const user = process.getuid?.();
  // Windows has folders of temporary files and of caches for each user.
  if (user === undefined) return true;
  return (uid === user || (orRoot && uid === 0)) && (mode & 0o022) === 0;
}
