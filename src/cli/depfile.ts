/** Dependency files for make and ninja, in the format of the option `-MD` of C compilers. */

import { DarmError } from '../errors.js';

/** Compilers' flags as darm's, which are no single letters. */
const FLAGS: Readonly<Record<string, string>> = {
  '-MD': '--depfile',
  '-MMD': '--depfile',
  '-MF': '--depfile-path',
  '-MT': '--depfile-target',
  '-MQ': '--depfile-target',
  '-MP': '--depfile-phony',
};

/** A command line with darm's flags for compilers'. A value may follow without a space; `-MQ` escapes its one. */
export function withDepfileFlags(words: readonly string[]): string[] {
  const own: string[] = [];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  for (let at = 0; at < end; at++) {
    const word = words[at]!;
    const [, flag, joined = ''] = /^(-M[FTQ])(.*)$/s.exec(word) ?? [];
    own.push(FLAGS[flag ?? word] ?? word);
    if (flag === undefined) continue;
    const value = joined === '' ? words[++at] : joined;
    if (value !== undefined) own.push(flag === '-MQ' ? escaped(value) : value);
  }
  return [...own, ...words.slice(end)];
}

/**
 * The rule `target: input…` with special characters escaped. Standard input is left out of the inputs.
 *
 * @param targets what the rule is for, as make reads it, in the place of `output`
 * @param hasPhonies adds a rule without anything for each input but the first, so that make does not miss one that is
 *   gone
 */
export function depfile(
  output: string,
  inputs: readonly string[],
  { targets = [], hasPhonies = false }: { readonly targets?: readonly string[]; readonly hasPhonies?: boolean } = {},
): string {
  const files = inputs.filter((file) => file !== '-');
  for (const name of [...(targets.length === 0 ? [output] : targets), ...files])
    if (/[\n\r]/.test(name))
      throw new DarmError(
        'usage',
        `the name ${JSON.stringify(name)} has a line end, which dependency files cannot have`,
      );
  const phonies = hasPhonies ? inputs.slice(1).map((file) => `${escaped(file)}:\n`) : [];
  const rule = targets.length === 0 ? escaped(output) : targets.join(' ');
  return `${rule}:${files.map((file) => ` \\\n  ${escaped(file)}`).join('')}\n${phonies.join('')}`;
}

/** Escapes a name for make as clang and gcc do: a backslash before spaces and `#`, and `$` doubled. */
const escaped = (file: string): string => file.replace(/(\\*)([ \t#])/g, '$1$1\\$2').replaceAll('$', () => '$$');
