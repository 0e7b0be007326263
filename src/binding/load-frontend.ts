/** Finds clang's WebAssembly code and the image of headers and device libraries; see load.ts. Only for source. */
import { DarmError } from '../errors.js';
import { platform } from '../platform/index.js';
import {
  compileLazily,
  compilePart,
  findMemory,
  readManifest,
  readPart,
  type FrontendManifest,
  type LlvmCode,
  type MakeFirst,
} from './load.js';

/** clang, compiled, and what it reads. It can be posted to other threads. */
export interface FrontendCode {
  readonly code: LlvmCode;
  readonly constants: FrontendManifest['constants'];
  /** In shared memory, where there is such, so that threads do not copy it. */
  readonly image: Uint8Array;
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

/** The part of clang that a first compilation needs, once per process. */
export async function compileFrontend(make: MakeFirst = compileLazily): Promise<FrontendCode> {
  if (begun !== null) {
    const clang = begun;
    begun = null;
    return clang;
  }
  const { module, rest, memory: facts, constants, image } = await frontendManifest();
  const [code, memory, bytes] = await Promise.all([
    readPart('clang', module).then((found) => make(found, module, rest === null)),
    facts === null ? null : findMemory('clang', constants.start, facts),
    readPart('headers', image, 'image'),
  ]);
  return {
    code: { ...code, rest: rest === null ? null : 'unread', memory },
    constants,
    image: platform.shared(bytes),
  };
}

/** Adds what is missing. */
export async function completeFrontend(clang: FrontendCode): Promise<FrontendCode> {
  const { rest } = await frontendManifest();
  if (clang.code.rest !== 'unread' || rest === null) return clang;
  return { ...clang, code: { ...clang.code, rest: await compilePart('clang-rest', rest) } };
}
