/** Finds clang's WebAssembly code and the image of headers and device libraries; see load.ts. Only for source. */
import { DarmError } from '../errors.js';
import {
  compileLazily,
  compileParts,
  findMemory,
  readManifest,
  type FrontendManifest,
  type LlvmCode,
  type MakeFirst,
  type StartingMemory,
} from './load.js';

/** clang, compiled, and what it reads. It can be posted to other threads. */
export interface FrontendCode {
  readonly code: LlvmCode;
  readonly constants: FrontendManifest['constants'];
  /** Where its `start` is, an instance decides. */
  readonly image: StartingMemory;
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

/** clang, once per process, or what the process has begun to compile. */
export async function compileFrontend(make: MakeFirst = compileLazily): Promise<FrontendCode> {
  if (begun !== null) {
    const clang = begun;
    begun = null;
    return clang;
  }
  const facts = await frontendManifest();
  const found = findMemory('headers', 0, facts.image, 'image');
  found.catch(() => {});
  const code = await compileParts('clang', 'clang-rest', facts, make);
  return { code, constants: facts.constants, image: await found };
}
