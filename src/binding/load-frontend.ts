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

/** What a process began before it knew what it was for. */
let begun: Promise<FrontendCode> | null = null;

/** Begins to read and compile. The next caller of `compileFrontend` gets the result, or the error. */
export function beginFrontend(compile: () => Promise<FrontendCode>): void {
  begun = compile();
  begun.catch(() => {});
}

/** The part of clang that a first compilation needs, once per process; `around` is for that part alone. */
export async function compileFrontend(
  around: <T>(compile: () => Promise<T>) => Promise<T> = (compile) => compile(),
): Promise<FrontendCode> {
  if (begun !== null) {
    const clang = begun;
    begun = null;
    return clang;
  }
  const { module, rest, constants, image } = await frontendManifest();
  const compile = (): Promise<WebAssembly.Module> => compilePart('clang', module);
  const [first, bytes] = await Promise.all([
    rest === null ? compile() : around(compile),
    readPart('headers', image, 'image'),
  ]);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return { code: { first, rest: rest === null ? null : 'unread' }, constants, image: shared };
}

/** Adds what is missing. */
export async function completeFrontend(clang: FrontendCode): Promise<FrontendCode> {
  const { rest } = await frontendManifest();
  if (clang.code.rest !== 'unread' || rest === null) return clang;
  return { ...clang, code: { ...clang.code, rest: await compilePart('clang-rest', rest) } };
}
