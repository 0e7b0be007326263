/** Options as callers give them: unknown names and impossible values are refused by name, the rest gets its defaults. */
import { DarmError } from '../errors.js';
import { CHOICES, DEFAULT_OPTIONS, type JobOptions } from './options.js';

/** How a value is checked: what is wrong with it (`must be …`), or null. */
export type Check = (value: unknown) => string | null;
export type Checks<T> = { readonly [K in keyof T]-?: Check };

const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? null : `must be one of ${values.map((v) => JSON.stringify(v)).join(', ')}`;
export const boolean: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const listOf =
  (each: Check, least: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length < least)
      return 'must be an array' + (least > 0 ? ' that is not empty' : '');
    if (new Set(value).size !== value.length) return 'must not name anything twice';
    return value.map(each).find((complaint) => complaint !== null) ?? null;
  };
const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'must be a string');

export const numberIn =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === 'number' && value >= low && value <= high ? null : `must be a number from ${low} to ${high}`;
export const wholeNumberIn =
  (low: number, high: number): Check =>
  (value) =>
    Number.isInteger(value) && numberIn(low, high)(value) === null
      ? null
      : `must be a whole number from ${low} to ${high}`;

const JOB_CHECKS: Checks<JobOptions> = {
  emit: listOf(oneOf(...CHOICES.emit), 1),
  mcpu: (value) => (value === null ? null : text(value)),
  codegenLevel: oneOf(...CHOICES.codegenLevel),
  optimize: oneOf(...CHOICES.optimize),
  meld: oneOf(...CHOICES.meld),
  meldPoint: oneOf(...CHOICES.meldPoint),
  profit: oneOf(...CHOICES.profit),
  threshold: numberIn(0, 0.5),
  regionReplication: boolean,
  unpredicate: oneOf(...CHOICES.unpredicate),
  functions: listOf(text, 0),
  once: boolean,
  stats: boolean,
  remarks: boolean,
  report: boolean,
  verifyAnalyses: boolean,
};

/** Throws `usage` for options that `checks` does not know or accept. An option that is `undefined` counts as not given. */
export function checkOptions<T extends object>(where: string, options: T, checks: Checks<T>): void {
  if (typeof options !== 'object' || options === null)
    throw new DarmError('usage', `the options of ${where} must be an object`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) throw new DarmError('usage', `unknown option "${name}" in ${where}`);
    if (value === undefined) continue;
    const complaint = checks[name as keyof T](value);
    if (complaint !== null) throw new DarmError('usage', `option "${name}" in ${where} ${complaint}`);
  }
}

export function completeJobOptions(where: string, options: Partial<JobOptions>): JobOptions {
  checkOptions(where, options as JobOptions, JOB_CHECKS);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const complete: JobOptions = { ...DEFAULT_OPTIONS, ...given };
  if (complete.meldPoint === 'early' && complete.optimize === 'none')
    throw new DarmError('usage', `an early meld point in ${where} needs an optimisation level`);
  return complete;
}
