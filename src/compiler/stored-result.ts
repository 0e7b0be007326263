/** Compilations, and clang's translations, as they are kept: MessagePack, without timings. */
import { decode, encode } from '@msgpack/msgpack';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';

/** What is kept may have more than that. */
export type Keepable = Pick<CompileResult, 'artifacts' | 'timings'>;

export const encodeResult = (result: Keepable): Uint8Array =>
  encode({ ...result, timings: {} }, { ignoreUndefined: true });

export const decodeResult = (bytes: Uint8Array): Keepable => withOwnBytes(decode(bytes) as Keepable);

/** The decoder's bytes are views of the whole entry. */
function withOwnBytes<Result extends Keepable>(result: Result): Result {
  return { ...result, artifacts: result.artifacts.map((each) => ({ ...each, bytes: new Uint8Array(each.bytes) })) };
}

/** A result as it leaves the machine. What comes from elsewhere must say which job it belongs to. */
interface SharedResult {
  readonly key: string;
  /** What the compilation took. */
  readonly milliseconds: number;
  readonly result: CompileResult;
}

export const encodeShared = (key: string, result: CompileResult): Uint8Array =>
  encode(
    { key, milliseconds: result.timings['total'] ?? 0, result: { ...result, timings: {} } },
    { ignoreUndefined: true },
  );

/** @throws Error for everything but the result of the job of that key with these options, as far as can be told */
export function decodeShared(
  bytes: Uint8Array,
  key: string,
  { emit }: JobOptions,
): { readonly result: CompileResult; readonly milliseconds: number } {
  const shared = decode(bytes) as SharedResult;
  if (shared.key !== key) throw new Error('the result belongs to another job');
  const { result, milliseconds } = shared;
  checkResult(result, emit);
  return { result: withOwnBytes(result), milliseconds: typeof milliseconds === 'number' ? milliseconds : 0 };
}

/** @throws Error for what is no result of a job that makes these artifacts, as far as can be told */
export function checkResult(result: unknown, emit: JobOptions['emit']): asserts result is CompileResult {
  if (!isResult(result)) throw new Error('the result has another form');
  const kinds = result.artifacts.map(({ kind }) => kind);
  if (JSON.stringify([...kinds].sort()) !== JSON.stringify([...new Set(emit)].sort()))
    throw new Error('the result has other artifacts than the job');
}

type Form = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
const fits = (value: unknown, form: Form): boolean =>
  isObject(value) && Object.entries(form).every(([name, is]) => is(value[name]));
const isListOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(is);

const COUNTS: Form = {
  divergentBranches: isNumberOrNull,
  instructions: isNumber,
  machineInstructions: isNumberOrNull,
};
const FUNCTION: Form = {
  name: isText,
  melds: isListOf((meld) => fits(meld, { kind: isText, profit: isNumber, net: isNumber })),
  netUnit: isText,
  switchesLowered: isNumber,
  sidesHoisted: isNumber,
  before: (value) => value === null || fits(value, COUNTS),
  after: (value) => fits(value, COUNTS),
  bailout: (value) => value === null || isText(value),
};
const RESULT: Form = {
  target: isText,
  artifacts: isListOf((each) => fits(each, { kind: isText, bytes: (bytes) => bytes instanceof Uint8Array })),
  functions: isListOf((each) => fits(each, FUNCTION)),
  remarks: isListOf(isObject),
  histories: isListOf(isObject),
  diagnostics: isListOf(isText),
};

const isResult = (value: unknown): value is CompileResult => fits(value, RESULT);
