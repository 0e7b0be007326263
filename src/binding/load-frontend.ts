/** Finds clang's WebAssembly code and the image of headers and device libraries; see load.ts. Only for source. */
import { DarmError } from '../errors.js';
import { platform } from '../platform/index.js';
import {
  arrived,
  beginParts,
  compileLazily,
  readManifest,
  type BegunCode,
  type FrontendManifest,
  type LlvmCode,
  type Make,
} from './load.js';

/** clang, compiled, and what it reads. It can be posted to other threads. */
export interface FrontendCode {
  readonly code: LlvmCode;
  readonly constants: FrontendManifest['constants'];
  /** The headers and libraries, as `Platform.find` has them. */
  readonly image: string | Uint8Array;
}

export async function frontendManifest(): Promise<FrontendManifest> {
  const { frontend } = await readManifest();
  if (frontend === null || frontend === undefined)
    throw new DarmError('io', 'this build of darm has no front end: rebuild it (build.sh)');
  return frontend;
}

/** What a process began before it knew what it was for. */
let begun: Promise<BegunCode> | null = null;

/** Begins to read and compile clang. The next caller of `compileFrontend` gets the result, or the error. */
export function beginFrontend(make: Make): Promise<unknown> {
  begun = beginParts('clang', frontendManifest(), make);
  return begun;
}

/** clang, once per process, or what the process has begun to compile. */
export async function compileFrontend(make: Make = compileLazily): Promise<FrontendCode> {
  const clang = begun ?? beginParts('clang', frontendManifest(), make);
  begun = null;
  const { constants, image } = await frontendManifest();
  const found = platform.find('headers', image, 'image');
  // What fails is thrown where it is waited for.
  found.catch(() => {});
  return { code: await arrived(await (await clang).finish()), constants, image: await found };
}
