/**
 * Which tests run: `npm test` runs the quick ones, `npm run test:long` those that are written with `test.long`, and a
 * file that is named or run by itself runs all. The variable `DARM_TESTS` says it to the process of a file.
 *
 * The runner decides by its text whether to start a file. Where the text does not tell, a test could be left out in
 * both modes: `neverRuns` finds that.
 */
export const MODES = ['quick', 'long', 'all'] as const;
export type Mode = (typeof MODES)[number];

export const modeOfProcess = (): Mode => MODES.find((mode) => mode === process.env['DARM_TESTS']) ?? 'all';

export const isLeftOut = (isLong: boolean, mode: Mode): boolean => mode !== 'all' && isLong !== (mode === 'long');

/** A call, or `const register = isLarge ? test.long : test;`. */
const HAS_QUICK = /(?<![.\w])test[(;]/;
const HAS_LONG = /\btest\.long\b/;

/** Whether a file has to be started. One in which no test is found is: the runner complains when it registers none. */
export function runsIn(text: string, mode: Mode): boolean {
  const hasLong = HAS_LONG.test(text);
  if (mode === 'all') return true;
  return mode === 'long' ? hasLong : !hasLong || HAS_QUICK.test(text);
}

/** Whether a file left tests out for which the other mode does not start it. */
export function neverRuns(text: string, mode: Mode, leftOut: number): boolean {
  return leftOut > 0 && !runsIn(text, mode === 'long' ? 'quick' : 'long');
}

/** The number of tests of a file that has only long ones. */
export function longTests(text: string): number {
  const [, number] = /\btests: (\d+)/.exec(text) ?? [];
  if (number === undefined) throw new Error('a file of only long tests has to say their number in digits');
  return Number(number);
}

/**
 * Why no file is started.
 *
 * @param matching number of files whose paths fit the filters
 */
export function nothingRuns(filters: readonly string[], matching: number): string {
  if (matching === 0) return `no test file below dist/test has ${filters.join(' or ')} in its path`;
  return `the files that match (${matching}) have no long tests: without --long, their tests run`;
}
