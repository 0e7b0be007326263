/** How artifacts are sent: their media types and digests, and their form in JSON documents. */
import { createHash } from 'node:crypto';
import type { Emit } from '../job/options.js';
import { compileDocument } from '../report/json/compile-document.js';
import type { Artifact, CompileResult } from '../job/results.js';

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

/** Headers of an answer that is the artifact itself. `ETag` and `Repr-Digest` (RFC 9530) hold the same digest. */
export function artifactHeaders({ kind, bytes }: Artifact): Record<string, string> {
  const hash = createHash('sha256').update(bytes).digest();
  return {
    'Content-Type': MEDIA_TYPES[kind],
    ETag: `"${hash.toString('hex')}"`,
    'Repr-Digest': `sha-256=:${hash.toString('base64')}:`,
  };
}

/** The document of `darm compile --json` with the artifacts' bytes, and with what the command prints separately. */
export function compileAnswer(result: CompileResult): object {
  const artifacts = result.artifacts.map(({ kind, bytes }) => ({
    kind,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  }));
  const { diagnostics, remarks, histories } = result;
  return { ...compileDocument(result, artifacts), diagnostics, remarks, histories };
}
