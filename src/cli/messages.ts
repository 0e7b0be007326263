/** Messages on standard error, one line each: `darm: error: FILE:LINE:COLUMN: message`. */
import type { DarmError, SourceLocation } from '../errors.js';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function position({ file, line, column }: SourceLocation): string {
  return (
    [file, line, column]
      .filter((part) => part !== undefined)
      .map((part) => `${part}:`)
      .join('') + ' '
  );
}

export function warn(message: string): void {
  process.stderr.write(`darm: warning: ${oneLine(message).replace(/^warning: /, '')}\n`);
}

export function reportError(error: DarmError, location: SourceLocation | undefined): void {
  const hint = error.code === 'internal' ? ' (this is a bug in darm)' : '';
  process.stderr.write(`darm: error: ${location ? position(location) : ''}${oneLine(error.message)}${hint}\n`);
}
