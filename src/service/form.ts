/**
 * Reads a form (multipart/form-data). The platform's parser does the work. It takes time for every part and every byte
 * of a part's head, and blocks the event loop meanwhile, so both are limited before it runs.
 */
import { MIMEType } from 'node:util';
import { readBody, type BodyReading } from './body.js';
import { checkObject, parseJson, type GivenOptions } from './job-options.js';
import { Refusal } from './problem.js';

export interface Form {
  /** The files in order, with the names of their fields. */
  readonly files: readonly (readonly [field: string, file: File])[];
  readonly options: GivenOptions;
}

export const FORM_TYPE = 'multipart/form-data';

/** Most bytes in the head of a part, on average. */
const HEAD_BYTES = 512;

/** @throws Refusal `malformed-request`, `body-too-large`, and those of `readBody` */
export async function readForm(request: Request, reading: BodyReading, maxFiles: number): Promise<Form> {
  const bytes = await readBody(request, reading);
  const type = formType(request);
  // Options are a part, too.
  checkParts(bytes, type.params.get('boundary')!, maxFiles + 1);
  const form = await new Response(bytes, { headers: { 'Content-Type': String(type) } }).formData().catch(() => {
    throw malformed();
  });
  const parts: [string, File | string][] = [];
  form.forEach((value, field) => parts.push([field, value]));
  const files: [string, File][] = [];
  let options: GivenOptions = {};
  for (const [field, value] of parts) {
    // Clients that set the type of a part often add a file name, so this one may look like a file.
    if (field === 'options') options = checkObject(parseJson(typeof value === 'string' ? value : await value.text()));
    else if (typeof value !== 'string') files.push([field, value]);
    else throw new Refusal('malformed-request', `the field ${JSON.stringify(field)} of the form must be a file`);
  }
  return { files, options };
}

const malformed = (): Refusal => new Refusal('malformed-request', 'the body is not multipart/form-data');

function formType(request: Request): MIMEType {
  try {
    const type = new MIMEType(request.headers.get('content-type') ?? '');
    if (type.params.get('boundary')) return type;
  } catch {
    // Not a media type at all.
  }
  throw malformed();
}

function checkParts(body: Uint8Array, boundary: string, most: number): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const mark = Buffer.from(`--${boundary}`);
  let headBytesLeft = most * HEAD_BYTES;
  let parts = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at)) {
    at += mark.length;
    // The mark at the end of the form.
    if (bytes.toString('latin1', at, at + 2) === '--') return;
    if (++parts > most) throw new Refusal('body-too-large', `the form has more than ${most} parts`);
    const headBytes = bytes.subarray(at, at + headBytesLeft).indexOf('\r\n\r\n');
    if (headBytes < 0)
      throw new Refusal(
        'body-too-large',
        `the heads of the form's parts have more than ${HEAD_BYTES} bytes on average`,
      );
    headBytesLeft -= headBytes;
  }
}
