/** Finds clang's WebAssembly code and the image of headers and device libraries; see load.ts. Only for source. */
import { DarmError } from '../errors.js';
import { compilePart, readManifest, readPart, type FrontendManifest, type LlvmCode } from './load.js';

/** clang, compiled, and what it reads. It can be posted to other threads. */
export interface FrontendCode {
  readonly code: LlvmCode;
  readonly constants: FrontendManifest['constants'];
  /** In shared memory, so that threads do not copy it. */
  readonly image: Uint8Array<SharedArrayBuffer>;
}

export async function frontendManifest(): Promise<FrontendManifest> {
  const { frontend } = await readManifest();
  if (frontend === null || frontend === undefined)
    throw new DarmError('io', 'this build of darm has no front end: rebuild it (build.sh)');
  return frontend;
}

/** All of clang, once per process. `around` is for the part that a first compilation needs. */
export async function compileFrontend(
  around: <T>(compile: () => Promise<T>) => Promise<T> = (compile) => compile(),
): Promise<FrontendCode> {
  const { module, rest, constants, image } = await frontendManifest();
  const [first, others, bytes] = await Promise.all([
    rest === null ? compilePart('clang', module) : around(() => compilePart('clang', module)),
    rest === null ? null : compilePart('clang-rest', rest),
    readPart('headers', image, 'image'),
  ]);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return { code: { first, rest: others }, constants, image: shared };
}
