/**
 * Expands `@file` arguments as compilers and linkers do: the words in the file replace the argument. White space
 * separates words; quotes and backslashes work as in GNU tools (`expandargv` of libiberty). When there is no such file,
 * the argument stays as it is.
 */
import { stat } from 'node:fs/promises';
import { DarmError } from '../errors.js';
import { ifThere, readText } from '../process/files.js';

/** A deeper nesting means that a file includes itself. */
const DEEPEST = 16;
/** How many files there may be, and how many words. Files that each include several others grow exponentially. */
const MOST_FILES = 1000;
const MOST_WORDS = 500_000;

/** @throws DarmError `usage` for a file that includes itself or ends within quotes, and for too many files or words */
export async function expandResponseFiles(argv: readonly string[]): Promise<readonly string[]> {
  const expanded: string[] = [];
  let [files, words] = [0, 0];
  const expand = async (argument: string, depth: number): Promise<void> => {
    if (++words > MOST_WORDS) throw new DarmError('usage', `the response files have more than ${MOST_WORDS} words`);
    const file = argument.slice(1);
    if (!argument.startsWith('@') || !(await isReadable(file))) {
      expanded.push(argument);
      return;
    }
    if (depth === DEEPEST) throw new DarmError('usage', `${argument} includes itself`);
    if (++files > MOST_FILES) throw new DarmError('usage', `there are more than ${MOST_FILES} response files`);
    for (const word of wordsOf(await readText(file), argument)) await expand(word, depth + 1);
  };
  for (const argument of argv) await expand(argument, 0);
  return expanded;
}

async function isReadable(file: string): Promise<boolean> {
  const found = file === '' ? null : await ifThere(stat(file)).catch(() => null);
  return found !== null && !found.isDirectory();
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
