/** Makes every source unlike all others: V8 caches evaluated code by its text, feedback included. */
let count = 0;

/**
 * Loops over lanes that V8 compiles once per operation.
 *
 * `(op) => (a, b) => (wave) => { for (…) … op(…) … }` is the natural way to write one loop for all binary operations,
 * but all closures of one function share its type feedback: the call of `op` becomes megamorphic and is never inlined.
 * `specialize` evaluates the loop's own source again, so that each operation gets a function of its own, with `op`
 * inlined. The loop must therefore not refer to anything but its parameters and globals.
 *
 * In the inner function, parameters of the outer one cost nothing. Variables that the outer function declares, or takes
 * out of an object, are slower: V8 checks at every use that they are initialised. Take objects apart in the inner
 * function.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any function at all
export function specialize<T extends (...args: any[]) => unknown>(loop: T): T {
  // The source is this package's own, never input.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  return new Function(`'use strict'; /* ${++count} */ return (${loop.toString()});`)() as T;
}
