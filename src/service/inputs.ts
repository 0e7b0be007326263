/** Reads the modules and options of a request, from a plain body, a form (multipart/form-data) or lines of JSON. */
import { readBody, type BodyReading } from './body.js';
import { readForm, FORM_TYPE } from './form.js';
import { checkObject, optionsFromQuery, parseJson, type GivenOptions } from './job-options.js';
import { Refusal } from './problem.js';

export interface ModuleInput {
  readonly module: Uint8Array;
  readonly options: GivenOptions;
}

/**
 * Unpacks one module of a batch, and first tells its name. Throws a `Refusal` or `DarmError` that concerns only this
 * module.
 */
export type BatchInput = (named: (name: string | null) => void) => Promise<ModuleInput>;

/** Types of a body that is the module itself. The third is the type that `curl --data-binary` sends by default. */
const MODULE_TYPES = ['application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded'];
const LINES_TYPES = ['application/x-ndjson', 'application/jsonl'];

const mediaType = (request: Request): string =>
  (request.headers.get('content-type') ?? MODULE_TYPES[0]!).split(';')[0]!.trim().toLowerCase();

function unsupported(request: Request, supported: readonly string[]): Refusal {
  const type = JSON.stringify(mediaType(request));
  return new Refusal('unsupported-media-type', `the body's type is ${type}; it must be one of ${supported.join(', ')}`);
}

const queryOptions = (request: Request): GivenOptions => optionsFromQuery(new URL(request.url).searchParams);

/**
 * The input of `compile` and `analyze`. Options come from the query and a form's `options` part, which has precedence.
 */
export async function moduleInput(request: Request, reading: BodyReading): Promise<ModuleInput> {
  const options = queryOptions(request);
  const type = mediaType(request);
  if (MODULE_TYPES.includes(type)) return { module: await readBody(request, reading), options };
  if (type !== FORM_TYPE) throw unsupported(request, [...MODULE_TYPES, FORM_TYPE]);

  const { files, options: more } = await readForm(request, reading, 1);
  if (files.length !== 1 || files[0]![0] !== 'module')
    throw new Refusal('malformed-request', 'the form must hold one file, named "module"');
  return { module: await bytesOf(files[0]![1]), options: { ...options, ...more } };
}

/**
 * The input of `batch`: a form with files, or lines `{"name": …, "module": BASE64, "options": {…}}`. A line is unpacked
 * when its job starts. So a large batch is not in memory twice, and a malformed line fails alone.
 */
export async function batchInputs(
  request: Request,
  { maxBatch, ...reading }: BodyReading & { readonly maxBatch: number },
): Promise<BatchInput[]> {
  const options = queryOptions(request);
  const type = mediaType(request);
  let inputs: BatchInput[];
  if (LINES_TYPES.includes(type)) {
    inputs = lineInputs(await readBody(request, reading), options, maxBatch);
  } else if (type === FORM_TYPE) {
    const form = await readForm(request, reading, maxBatch);
    inputs = form.files.map(([field, file]) => async (named) => {
      named(file.name || field);
      return { module: await bytesOf(file), options: { ...options, ...form.options } };
    });
  } else {
    throw unsupported(request, [...LINES_TYPES, FORM_TYPE]);
  }
  if (inputs.length === 0) throw new Refusal('malformed-request', 'the batch is empty');
  if (inputs.length > maxBatch) throw new Refusal('body-too-large', `the batch has more than ${maxBatch} modules`);
  return inputs;
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

const LINE_FEED = 10;

function lineInputs(bytes: Uint8Array, options: GivenOptions, most: number): BatchInput[] {
  const inputs: BatchInput[] = [];
  for (let start = 0; start < bytes.length && inputs.length <= most;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.every((byte) => byte === 0x20 || byte === 9 || byte === 13)) continue;
    inputs.push(async (named) => unpackLine(line, options, named));
  }
  return inputs;
}

function unpackLine(line: Uint8Array, defaults: GivenOptions, named: (name: string | null) => void): ModuleInput {
  const value = parseJson(new TextDecoder().decode(line));
  if (typeof value !== 'object' || value === null) throw new Refusal('malformed-request', 'the line must be an object');
  const { name = null, module, options = {}, ...rest } = value as Record<string, unknown>;
  if (name !== null && typeof name !== 'string')
    throw new Refusal('malformed-request', 'the member "name" of the line must be a string');
  named(name);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new Refusal('malformed-request', `the line has an unknown member ${JSON.stringify(unknown)}`);
  if (typeof module !== 'string' || !isBase64(module))
    throw new Refusal('malformed-request', 'the member "module" of the line must be base64');
  const bytes = new Uint8Array(Buffer.from(module, 'base64'));
  return { module: bytes, options: { ...defaults, ...checkObject(options) } };
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
