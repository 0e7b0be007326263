/**
 * Expands `@file` arguments as compilers and linkers do: the words in the file replace the argument. White space
 * separates words; quotes and backslashes work as in GNU tools (`expandargv` of libiberty). When the file cannot be
 * read, the argument stays as it is.
 */
import { readFileSync } from 'node:fs';
import { DarmError } from '../errors.js';

/** A deeper nesting means that a file includes itself. */
const DEEPEST = 16;

/** @throws DarmError `usage` for a file that includes itself or ends within quotes */
export function expandResponseFiles(argv: readonly string[], depth = 0): string[] {
  return argv.flatMap((argument) => {
    if (!argument.startsWith('@') || argument.length === 1) return [argument];
    let text: string;
    try {
      text = readFileSync(argument.slice(1), 'utf8');
    } catch {
      return [argument];
    }
    if (depth === DEEPEST) throw new DarmError('usage', `${argument} includes itself`);
    return expandResponseFiles(wordsOf(text, argument), depth + 1);
  });
}

function wordsOf(text: string, file: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\' && quote !== "'" && at + 1 < text.length) word = (word ?? '') + text[++at]!;
    else if (quote !== null) {
      if (char === quote) quote = null;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) throw new DarmError('usage', `${file} ends within quotes`);
  return word === null ? words : [...words, word];
}
