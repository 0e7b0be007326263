/**
 * Questions that come from elsewhere: whatever arrives, it is a question or an error. What an option may be, its table
 * says.
 */
import { DarmError } from '../errors.js';
import { LANGUAGES, QUESTION_KINDS, type ExploreJob, type ExploreQuestion } from './protocol.js';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

const isOneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: unknown): value is T =>
    values.some((each) => each === value);

/** @throws DarmError `usage` */
export function checkQuestion(value: unknown): ExploreQuestion {
  const { kind, job, form, side, spec, simulation } = isFields(value) ? value : {};
  const own = { kind, job: checkJob(job) };
  const demand = (holds: boolean, what: string): void => {
    if (!holds) fail(what);
  };
  const isSide = isOneOf('before', 'after');
  if (!isOneOf(...QUESTION_KINDS)(kind)) return fail(`"kind" must be one of ${QUESTION_KINDS.join(', ')}`);
  switch (kind) {
    case 'listing':
      demand(isOneOf('ir', 'machine')(form), '"form" must be ir or machine');
      demand(isSide(side), '"side" must be before or after');
      return { ...own, form, side } as ExploreQuestion;
    case 'launch':
      demand(typeof spec === 'string', '"spec" must be JSON text');
      demand(isFields(simulation), '"simulation" must be an object');
      return { ...own, spec, simulation } as ExploreQuestion;
    case 'artifact':
      demand(isSide(side), '"side" must be before or after');
      return { ...own, side } as ExploreQuestion;
    default:
      return own as ExploreQuestion;
  }
}

function checkJob(value: unknown): ExploreJob {
  if (!isFields(value)) return fail('"job" must be an object');
  const { source, language, options, flags } = value;
  if (typeof source !== 'string' && !(source instanceof Uint8Array)) return fail('"source" must be text or bytes');
  if (!isOneOf(...LANGUAGES)(language)) return fail(`"language" must be one of ${LANGUAGES.join(', ')}`);
  if (!isFields(options)) return fail('"options" must be an object');
  if (!Array.isArray(flags) || !flags.every((flag) => typeof flag === 'string'))
    return fail('"flags" must be a list of texts');
  return { source, language, options, flags: flags as string[] };
}

function fail(what: string): never {
  throw new DarmError('usage', `in the explorer's question, ${what}`);
}
