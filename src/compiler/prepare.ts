/** Makes prepared code in a process of its own, whose flags of V8 are nobody else's. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readManifest, requireWebAssembly, unpackAll } from '../binding/load.js';
import { abortedError, DarmError, type ErrorData } from '../errors.js';
import { platform } from '../platform/index.js';
import { preparedFolder, readPrepared, whyNone, type PreparedFile } from '../workers/prepared-code.js';

const SCRIPT = fileURLToPath(new URL('../../workers/prepare.js', import.meta.url));

type Outcome =
  { readonly ok: true; readonly value: readonly PreparedFile[] } | { readonly ok: false; readonly error: ErrorData };

/**
 * Writes optimised code of LLVM and of clang, for this Node and this processor, into the folder for prepared code,
 * where later processes find it; and unpacks all that the package has compressed.
 *
 * @throws DarmError `usage` when this Node does not hand out code or has no WebAssembly, `io`, `aborted` by the signal
 */
export async function prepareCode(signal?: AbortSignal): Promise<readonly PreparedFile[]> {
  requireWebAssembly();
  await unpackAll();
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], { signal }).catch((error: Error) => {
    if (signal?.aborted) throw abortedError(signal);
    throw new DarmError('internal', `the process that prepares code failed: ${error.message}`);
  });
  const outcome = JSON.parse(stdout) as Outcome;
  if (!outcome.ok) throw DarmError.fromJSON(outcome.error);
  if (!(await isCodePrepared())) throw new DarmError('internal', 'V8 does not take the prepared code back');
  return outcome.value;
}

/** Whether there is prepared code of LLVM that a new process would use. */
async function isCodePrepared(): Promise<boolean> {
  const { module, further } = await readManifest();
  if (Object.keys(further).length === 0) return false;
  return (await readPrepared(platform.openModule('llvm', module), module)) !== null;
}

export interface Versions {
  readonly llvm: string;
  readonly node: string;
  readonly v8: string;
  /** The folder of the prepared code that a new process would use, or why there is none. */
  readonly prepared: { readonly folder: string } | { readonly none: string };
}

export async function versions(): Promise<Versions> {
  const { llvm } = await readManifest();
  const prepared = (await isCodePrepared()) ? { folder: preparedFolder() } : { none: whyNone() };
  return { llvm, node: process.version, v8: process.versions.v8, prepared };
}
