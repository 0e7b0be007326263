/**
 * The folder and the messages of one command among several in a process: a persistent worker of a build system does
 * several at the same time. Elsewhere, they are those of the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';

export interface Surroundings {
  /** What relative names of files are relative to. */
  readonly folder: string;
  /** Takes what would go to standard error. */
  readonly message: (text: string) => void;
}

const current = new AsyncLocalStorage<Surroundings>();

export const within = <T>(surroundings: Surroundings, work: () => Promise<T>): Promise<T> =>
  current.run(surroundings, work);

export const surroundings = (): Surroundings | null => current.getStore() ?? null;

/** Where a file is that the command calls so. */
export function placeOf(file: string): string {
  const { folder } = surroundings() ?? {};
  return folder === undefined ? file : path.resolve(folder, file);
}
