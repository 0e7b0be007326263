/**
 * The headers of the disk that a source probably reads. It is a guess, made before clang reads anything: includes that
 * the preprocessor skips are followed, too, and a name that a macro makes is missed.
 */
import { FileKind, type SourceJob } from '../job/source.js';
import { platform } from '../platform/index.js';
import { INCLUDE } from './lean.js';
import { folderOf, joined, normalized } from './posix-path.js';

/** Flags that are followed by a folder of headers. */
const FOLDER_FLAGS = ['-iquote', '-I', '-isystem', '-idirafter'];
/** A guess is worth no more questions than this, and no larger headers. */
const MOST_ASKED = 4096;
const MOST_BYTES = 2 ** 20;

const latin1 = new TextDecoder('latin1');

/** @returns the contents, each once */
export function ownHeaders(job: SourceJob): Uint8Array[] {
  const disk = job.disk ? platform.disk : null;
  if (disk === null) return [];
  const folders = job.arguments.filter((_, at) => FOLDER_FLAGS.includes(job.arguments[at - 1]!));
  const found = new Map<string, Uint8Array>();
  const asked = new Set<string>();
  const follow = (content: Uint8Array, folder: string): void => {
    for (const [, header] of latin1.decode(content).matchAll(INCLUDE)) {
      if (asked.size >= MOST_ASKED) return;
      for (const from of header!.startsWith('/') ? ['/'] : [folder, ...folders]) {
        const file = joined(from, header!);
        if (asked.has(file)) continue;
        asked.add(file);
        const { kind, size } = disk.stat(file);
        const text = kind === FileKind.File && size <= MOST_BYTES ? disk.read(file) : null;
        if (text !== null) found.set(file, text);
      }
    }
  };
  for (const content of [job.source, ...job.headers.values()]) follow(content, folderOf(normalized(job.name)));
  // A map goes on with what is added meanwhile.
  for (const [file, content] of found) follow(content, folderOf(file));
  return [...found.values()];
}
