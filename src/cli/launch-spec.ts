/** Reads a launch spec and the files that it names. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { MAX_BUFFER_BYTES, parseSpec, type LaunchSpec } from '../simulator/launch/spec.js';
import { ioError, readText } from '../process/files.js';

export interface SpecFile {
  readonly spec: LaunchSpec;
  /** What it names, and was read. */
  readonly files: readonly string[];
}

/**
 * @param kernel replaces the kernel that the spec names; null keeps it
 * @param timeout milliseconds, 0 for no limit
 */
export async function readSpec(file: string, kernel: string | null, timeout: number): Promise<SpecFile> {
  const files: string[] = [];
  const text = await readText(file, timeout);
  const folder = path.dirname(file);
  const spec = located(file, () =>
    parseSpec(text, (name) => {
      const target = path.resolve(folder, name);
      files.push(target);
      try {
        const found = statSync(target);
        // Reading a device may never end. Reading a folder fails below, with a message of its own.
        if (!found.isFile() && !found.isDirectory()) throw new Error('it is not an ordinary file');
        if (found.size > MAX_BUFFER_BYTES) throw new Error('it is larger than a buffer may be');
        return new Uint8Array(readFileSync(target));
      } catch (error) {
        throw ioError('read', target, error);
      }
    }),
  );
  if (kernel === null) return { spec, files };
  if (spec.launches.length > 1)
    throw new DarmError('usage', '--kernel names one kernel, and the launch spec has several launches');
  return { spec: { ...spec, launches: spec.launches.map((launch) => ({ ...launch, kernel })) }, files };
}

/** Adds the name of the spec's file to errors in the spec. */
function located<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DarmError && error.code === 'bad-input')
      throw new DarmError(error.code, error.message, { file: file === '-' ? '<stdin>' : file });
    throw error;
  }
}
