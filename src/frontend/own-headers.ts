/**
 * The headers of the disk that a source probably reads. It is a guess, made before clang reads anything: includes that
 * the preprocessor skips are followed, too, and a name that a macro makes is missed.
 */
import { FileKind, type SourceJob } from '../job/source.js';
import { platform } from '../platform/index.js';
import { HEADERS_FOLDER } from './files.js';
import { INCLUDE } from './lean.js';
import { folderOf, joined, normalized } from './posix-path.js';

/** Flags that are followed by a folder of headers. */
const FOLDER_FLAGS = ['-iquote', '-I', '-isystem', '-idirafter'];
/** So much costs some tenths of a second. Libraries that are larger mention most functions anyway. */
const MOST_ASKED = 16_384;
const MOST_BYTES = 2 ** 22;

const latin1 = new TextDecoder('latin1');

/** @returns the text of all of them, each once; null where there is too much of it */
export function ownHeaders(job: SourceJob): string | null {
  const disk = job.disk ? platform.disk : null;
  if (disk === null) return '';
  const behind = (flags: readonly string[]): string[] =>
    job.arguments.filter((_, at) => flags.includes(job.arguments[at - 1]!));
  const folders = behind(FOLDER_FLAGS).filter((folder) => folder !== HEADERS_FOLDER);
  const found = new Map<string, string>();
  const asked = new Set<string>();
  let bytes = 0;
  const isTooMuch = (): boolean => asked.size > MOST_ASKED || bytes > MOST_BYTES;
  const textOf = (file: string): string | null => {
    asked.add(file);
    const { kind, size } = disk.stat(file);
    // Files of the system have no size, and some never end.
    if (kind !== FileKind.File || size === 0) return null;
    bytes += size;
    const content = isTooMuch() ? null : disk.read(file);
    return content && latin1.decode(content);
  };
  const follow = (text: string, folder: string): void => {
    for (const [, header] of text.matchAll(INCLUDE))
      for (const from of header!.startsWith('/') ? ['/'] : [folder, ...folders]) {
        const file = joined(from, header!);
        if (found.has(file) || isTooMuch()) break;
        const there = asked.has(file) ? null : textOf(file);
        if (there === null) continue;
        found.set(file, there);
        break;
      }
  };
  for (const header of behind(['-include'])) follow(`#include "${header}"`, '.');
  for (const content of [job.source, ...job.headers.values()])
    follow(latin1.decode(content), folderOf(normalized(job.name)));
  // A map goes on with what is added meanwhile.
  for (const [file, text] of found) follow(text, folderOf(file));
  return isTooMuch() ? null : [...found.values()].join('\n');
}
