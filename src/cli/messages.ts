/** Messages on standard error, one line each: `darm: error: FILE:LINE:COLUMN: message`. */
import type { DarmError, SourceLocation } from '../errors.js';
import { outliveErrors } from '../process/files.js';
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

/** Writes to standard error. When it does not take messages, the results are still worth writing. */
export function writeMessage(text: string): void {
  const here = surroundings();
  if (here !== null) return here.message(text);
  outliveErrors(process.stderr);
  process.stderr.write(text);
}

export function warn(message: string): void {
  writeMessage(`darm: warning: ${oneLine(message).replace(/^warning: /, '')}\n`);
}

export function reportError(error: DarmError, location: SourceLocation | undefined): void {
  const hint = error.code === 'internal' ? ' (this is a bug in darm)' : '';
  writeMessage(`darm: error: ${location ? position(location) : ''}${oneLine(error.message)}${hint}\n`);
}
