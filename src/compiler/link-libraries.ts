/**
 * AMD's device libraries for bitcode and IR text: other front ends leave calls of them open, where clang, given source,
 * links them. Who calls none pays for nothing but the search for a name.
 */
import { DarmError } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import type { Executor } from '../workers/executor.js';
import type { TaskLimits } from '../workers/task-limits.js';
import type { SourceTranslator } from './compile-source.js';

/** Of `__oc`, with which the names of the libraries' functions and constants begin. */
const [UNDERSCORE, O, C] = [...'_oc'].map((letter) => letter.charCodeAt(0));

/** Names are bytes of text in bitcode, too. In a plain loop it does not matter how many names hold underscores. */
function namesLibraries(module: Uint8Array): boolean {
  for (let at = 3; at < module.length; at++)
    if (module[at] === C && module[at - 1] === O && module[at - 2] === UNDERSCORE && module[at - 3] === UNDERSCORE)
      return true;
  return false;
}

/** What is not to be linked any more must be complete; whatever else is written may be linked by the caller. */
const wantsLibraries = ({ deviceLibs, emit }: JobOptions): boolean =>
  deviceLibs === 'auto' ? emit.includes('hsaco') : deviceLibs !== 'never';

interface Linking {
  readonly start: () => Promise<Executor>;
  readonly translator: () => Promise<SourceTranslator>;
  readonly limits: TaskLimits;
}

/**
 * The module with the libraries that it lacks; the same bytes where it lacks none, or is not to have them.
 *
 * @throws DarmError `bad-target` without libraries for the processor, unless those that are `available` were asked for;
 *   `link-failed`
 */
export async function withDeviceLibraries(
  module: Uint8Array,
  options: JobOptions,
  { start, translator, limits }: Linking,
): Promise<Uint8Array> {
  if (!wantsLibraries(options) || !namesLibraries(module)) return module;
  try {
    const executor = await start();
    const user = await executor.run({ kind: 'library-user', bytes: module, options }, { ...limits, events: null });
    return user === null ? module : await (await translator()).link(executor, user, limits);
  } catch (error) {
    const isWithout = error instanceof DarmError && error.code === 'bad-target';
    if (options.deviceLibs === 'available' && isWithout) return module;
    throw error;
  }
}
