/** Messages on standard error, one line each: `darm: error: FILE:LINE:COLUMN: message`. */
import type { DarmError, SourceLocation } from '../errors.js';
import { surroundings } from '../process/surroundings.js';
import { visibleLine } from '../report/visible.js';

/** A message may quote the input, which may be of any length. */
const LONGEST = 10_000;

function oneLine(text: string): string {
  const line = visibleLine(text.slice(0, LONGEST).replace(/\s+/g, ' ').trim());
  return text.length > LONGEST ? `${line} …` : line;
}

function position({ file, line, column }: SourceLocation): string {
  return (
    [file, line, column]
      .filter((part) => part !== undefined)
      .map((part) => `${visibleLine(String(part))}:`)
      .join('') + ' '
  );
}

const ignore = (): void => {};

/** Writes to standard error. When it does not take messages, the results are still worth writing. */
export function writeMessage(text: string): void {
  const here = surroundings();
  if (here !== null) return here.message(text);
  // Also where others listen: the pipe from a worker thread's standard error does until the first error, which it throws
  // if nobody else listens.
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  process.stderr.write(text);
}

export function warn(message: string): void {
  writeMessage(`darm: warning: ${oneLine(message).replace(/^warning: /, '')}\n`);
}

export function reportError(error: DarmError, location: SourceLocation | undefined): void {
  const hint = error.code === 'internal' ? ' (this is a bug in darm)' : '';
  writeMessage(`darm: error: ${location ? position(location) : ''}${oneLine(error.message)}${hint}\n`);
}
