/** V8's garbage collector, on demand. No API asks for it, only a function that a flag shows to new contexts. */
import v8 from 'node:v8';
import vm from 'node:vm';

type Collect = () => void;

/** Of this thread. */
let known: Collect | null = null;

/**
 * Collects what nothing refers to, if it can. What just ended may be held by a promise until the next turn.
 */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  known ??= find();
  known?.();
}

/** Flags are those of the process: another thread that does the same may have it hidden again too early. */
function find(): Collect | null {
  const shown = globalThis.gc as Collect | undefined;
  if (shown !== undefined) return shown;
  for (let attempt = 0; attempt < 8; attempt++) {
    v8.setFlagsFromString('--expose-gc');
    const found = vm.runInNewContext('typeof gc === "function" ? gc : null') as Collect | null;
    v8.setFlagsFromString('--no-expose-gc');
    if (found !== null) return found;
  }
  return null;
}
