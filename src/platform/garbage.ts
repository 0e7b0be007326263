/** V8's garbage collector, on demand. Nothing of the API asks for it; the flag is back when this is done. */
import v8 from 'node:v8';
import vm from 'node:vm';

/** Collects what nothing refers to. What just ended may be held by a promise until the next turn. */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  v8.setFlagsFromString('--no-expose-gc');
  collect();
}
