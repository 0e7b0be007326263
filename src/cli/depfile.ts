/** Dependency files for make and ninja, as `-MD` of compilers writes them. */

/** `target: input…` with the rule's special characters escaped. Inputs from standard input are left out. */
export function depfile(target: string, inputs: readonly string[]): string {
  const files = inputs.filter((file) => file !== '-');
  return `${escaped(target)}:${files.map((file) => ` \\\n  ${escaped(file)}`).join('')}\n`;
}

/** What make takes: spaces and `#` behind a backslash, `$` doubled (as clang and gcc write it). */
const escaped = (file: string): string => file.replace(/(\\*)([ \t#])/g, '$1$1\\$2').replaceAll('$', () => '$$');
