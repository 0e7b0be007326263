/**
 * `@file` arguments, as compilers and linkers take them: the file's words stand in place of the argument. Words are separated by white space;
 * quotes and backslashes work as in GNU tools (libiberty, expandargv). A name that is no file stays as it is.
 */
import { readFileSync } from 'node:fs';
import { DarmError } from '../errors.js';

/** Deeper nesting is a file that names itself. */
const DEEPEST = 16;

/** @throws DarmError `usage` for files that lead to themselves or end within quotes */
export function expandResponseFiles(argv: readonly string[], depth = 0): string[] {
  return argv.flatMap((argument) => {
    if (!argument.startsWith('@') || argument.length === 1) return [argument];
    let text: string;
    try {
      text = readFileSync(argument.slice(1), 'utf8');
    } catch {
      return [argument];
    }
    if (depth === DEEPEST) throw new DarmError('usage', `${argument} leads to itself`);
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
