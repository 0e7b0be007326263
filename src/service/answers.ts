/**
 * Answers with artifacts in them, as they are sent: in pieces, because a large one does not fit into one string, and
 * because memory and the event loop belong to other requests, too.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Emit } from '../job/options.js';
import type { CompiledModule } from '../compiler/api.js';
import type { Artifact } from '../job/results.js';
import { compileDocument } from '../report/json/compile-document.js';
import { Refusal } from './problem.js';

/** Made one after the other, as they are asked for. */
export type Pieces = Iterable<Uint8Array, void> | AsyncIterable<Uint8Array, void>;

export interface Answer {
  readonly headers: Record<string, string>;
  /** Roughly the memory that it takes, in bytes, until it is sent. */
  readonly size: number;
  readonly pieces: () => Pieces;
}

const BINARY = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';
const MEDIA_TYPES: Readonly<Record<Emit, string>> = {
  bc: BINARY,
  ll: TEXT,
  asm: TEXT,
  obj: BINARY,
  hsaco: BINARY,
  ptx: TEXT,
};
const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** A multiple of three, so that the base64 of the pieces is that of the whole: a MiB. */
const PIECE = 3 * 2 ** 18;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function sha256(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    if (piece.length === PIECE) await setImmediate();
  }
  return hash.digest();
}

/** @throws Refusal `answer-too-large` */
export function checkArtifacts(artifacts: readonly Artifact[], maxArtifact: number): void {
  const size = artifacts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size <= maxArtifact) return;
  const subject = artifacts.length === 1 ? 'the artifact has' : 'the artifacts have together';
  throw new Refusal('answer-too-large', `${subject} ${size} bytes; the limit is ${maxArtifact}`);
}

/** The answer that is the artifact itself. `ETag` and `Repr-Digest` (RFC 9530) hold the same digest. */
export async function artifactAnswer({ kind, bytes }: Artifact): Promise<Answer> {
  const hash = await sha256(bytes);
  const headers = {
    'Content-Type': MEDIA_TYPES[kind],
    'Content-Length': String(bytes.length),
    ETag: `"${hash.toString('hex')}"`,
    'Repr-Digest': `sha-256=:${hash.toString('base64')}:`,
  };
  return { headers, size: bytes.length, pieces: () => piecesOf(bytes) };
}

/**
 * The document of `darm compile --json` with the artifacts' bytes, and with what the command prints separately.
 *
 * @param place further members, which stand first
 * @throws Refusal `answer-too-large`
 */
export async function compileAnswer(result: CompiledModule, maxArtifact: number, place: object = {}): Promise<Answer> {
  const { artifacts, remarks, histories, source } = result;
  const left = source && { source: { log: source.log, loweredNames: source.loweredNames } };
  const rest = { ...compileDocument(result, []), artifacts: undefined, ...left, remarks, histories };
  const text = jsonText({ ...place, ...rest }, maxArtifact);
  const heads: string[] = [];
  for (const { kind, bytes } of artifacts)
    heads.push(JSON.stringify({ kind, bytes: bytes.length, sha256: (await sha256(bytes)).toString('hex') }));
  function* pieces(): Generator<Uint8Array> {
    yield* piecesOf(encode(text.slice(0, -1)));
    for (const [i, { bytes }] of artifacts.entries()) {
      yield encode(`${i === 0 ? ',"artifacts":[' : ','}${heads[i]!.slice(0, -1)},"data":"`);
      for (const piece of piecesOf(bytes))
        yield Buffer.from(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64'));
      yield encode('"}');
    }
    yield encode(']}');
  }
  const size = artifacts.reduce((sum, { bytes }) => sum + bytes.length, text.length);
  return { headers: JSON_HEADERS, size, pieces };
}

/** @throws Refusal `answer-too-large` */
export function documentAnswer(document: object, maxArtifact: number): Answer {
  const bytes = encode(jsonText(document, maxArtifact));
  const headers = { ...JSON_HEADERS, 'Content-Length': String(bytes.length) };
  return { headers, size: bytes.length, pieces: () => piecesOf(bytes) };
}

function jsonText(document: object, limit: number): string {
  let text: string | null = null;
  try {
    text = JSON.stringify(document);
  } catch (error) {
    // What V8 throws when a string would be too long.
    if (!(error instanceof RangeError)) throw error;
  }
  if (text !== null && text.length <= limit) return text;
  throw new Refusal('answer-too-large', `the document has more than ${limit} characters without its artifacts`);
}
