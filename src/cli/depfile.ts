/** Dependency files for make and ninja, in the format of the option `-MD` of C compilers. */

import { DarmError } from '../errors.js';

/**
 * The rule `target: input…` with special characters escaped. Standard input is left out of the inputs.
 *
 * @param hasPhonies adds a rule without anything for each input but the first, so that make does not miss one that is
 *   gone
 */
export function depfile(target: string, inputs: readonly string[], hasPhonies = false): string {
  const files = inputs.filter((file) => file !== '-');
  for (const name of [target, ...files])
    if (/[\n\r]/.test(name))
      throw new DarmError(
        'usage',
        `the name ${JSON.stringify(name)} has a line end, which dependency files cannot have`,
      );
  const phonies = hasPhonies ? inputs.slice(1).map((file) => `${escaped(file)}:\n`) : [];
  return `${escaped(target)}:${files.map((file) => ` \\\n  ${escaped(file)}`).join('')}\n${phonies.join('')}`;
}

/** Escapes a name for make as clang and gcc do: a backslash before spaces and `#`, and `$` doubled. */
const escaped = (file: string): string => file.replace(/(\\*)([ \t#])/g, '$1$1\\$2').replaceAll('$', () => '$$');
