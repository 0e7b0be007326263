/**
 * The options of a job as a request gives them: the library's, by the library's names, from the query, a form's
 * `options` part or a line of a batch; and `timeout` in milliseconds, which can only lower the service's own.
 */
import { DarmError } from '../errors.js';
import { completeSource, type SourceCompileOptions } from '../frontend/options.js';
import { choice, listOf, numberIn, text, type OptionType } from '../job/option-table.js';
import { completeJobOptions, JOB_OPTIONS, type JobOptions } from '../job/options.js';
import { Refusal } from './problem.js';

export interface RequestedJob {
  /** With a `language`: for source. */
  readonly options: JobOptions | SourceCompileOptions;
  readonly emit: JobOptions['emit'];
  /** Milliseconds; null: the service's limit. */
  readonly timeout: number | null;
}

export type GivenOptions = Readonly<Record<string, unknown>>;

const WHERE = 'the request';

/** Options of source. A request brings what is included: folders of the server's disk are none of its business. */
const SOURCE_TYPES: Readonly<Record<string, OptionType>> = {
  language: choice('hip', 'opencl'),
  name: text,
  flags: listOf(text),
  nameExpressions: listOf(text),
};

/** What only JSON can say: objects of texts. */
const SOURCE_OBJECTS = ['headers', 'defines'];

const TYPES: ReadonlyMap<string, OptionType> = new Map<string, OptionType>([
  ...Object.entries(JOB_OPTIONS).map(([name, { type }]) => [name, type] as const),
  ['timeout', numberIn(1, Infinity)],
  ...Object.entries(SOURCE_TYPES),
]);
const unknownOption = (name: string): DarmError => new DarmError('usage', `unknown option "${name}" in ${WHERE}`);

/** @throws DarmError `usage`, which names the option */
export function requestedJob(given: GivenOptions): RequestedJob {
  const { timeout = null, ...options } = given;
  if (timeout !== null && !(typeof timeout === 'number' && timeout >= 1))
    throw new DarmError('usage', `option "timeout" in ${WHERE} must be a number of milliseconds, 1 or more`);
  if (!('language' in options)) {
    const name = [...Object.keys(SOURCE_TYPES), ...SOURCE_OBJECTS].find((each) => each in options);
    if (name !== undefined) throw new DarmError('usage', `option "${name}" in ${WHERE} needs a "language"`);
    const job = completeJobOptions(WHERE, options as Partial<JobOptions>);
    return { options: job, emit: job.emit, timeout };
  }
  const source = { ...options, disk: false } as SourceCompileOptions;
  // Mistakes are told before the job waits for its turn.
  const { job } = completeSource(WHERE, '', source);
  return { options: source, emit: job.emit, timeout };
}

/**
 * Options of a JSON text; anything but an object is refused. So are unknown options, here and not when a job starts:
 * the options of a form are for all jobs of a batch, and each would look at all of them.
 */
export function checkObject(value: unknown): GivenOptions {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DarmError('usage', `the options of ${WHERE} must be an object`);
  const unknown = Object.keys(value).find((name) => !TYPES.has(name) && !SOURCE_OBJECTS.includes(name));
  if (unknown !== undefined) throw unknownOption(unknown);
  return value as GivenOptions;
}

/**
 * `?emit=hsaco&threshold=0.1&once=true`. A list may be repeated or separated by commas. The type of an option says how
 * its text is read; whether the value is possible is checked with the rest.
 */
export function optionsFromQuery(query: URLSearchParams): GivenOptions {
  const options: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const type = TYPES.get(name);
    if (type === undefined) throw unknownOption(name);
    const values = query.getAll(name);
    if (type.kind === 'list') options[name] = values.flatMap((value) => value.split(','));
    else if (values.length > 1) throw new DarmError('usage', `option "${name}" in ${WHERE} must be given once`);
    else options[name] = valueOf(values[0]!, type);
  }
  return options;
}

/** Text that does not fit the type stays text, which the check then refuses. */
function valueOf(text: string, type: OptionType): unknown {
  switch (type.kind) {
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'nullable':
      return valueOf(text, type.of);
    case 'number':
      return text.trim() === '' ? text : Number(text);
    case 'choice':
      return type.values.find((value) => String(value) === text) ?? text;
    default:
      return text;
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('malformed-request', 'the JSON cannot be parsed');
  }
}
