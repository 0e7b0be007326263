/** How Node's V8 compiles WebAssembly: ahead, or a function when it is called. */
import { availableParallelism } from 'node:os';
import v8 from 'node:v8';

/** Modules that are being compiled ahead. */
let ahead = 0;

/** Does something for which functions are compiled when they are called, whatever is compiled ahead meanwhile. */
export function lazily<T>(act: () => T): T {
  v8.setFlagsFromString('--wasm-lazy-compilation');
  try {
    return act();
  } finally {
    if (ahead > 0) v8.setFlagsFromString('--no-wasm-lazy-compilation');
  }
}

/**
 * Compiles all functions of a module ahead of their calls, on all processors, while JavaScript goes on. Lazily, the
 * default, each is compiled on the thread that calls it first, and that thread waits. On a machine with one processor
 * that is faster, because only what is called is compiled.
 */
export async function compileAhead<T>(compile: () => Promise<T>): Promise<T> {
  if (availableParallelism() === 1) return compile();
  ahead++;
  v8.setFlagsFromString('--no-wasm-lazy-compilation');
  try {
    return await compile();
  } finally {
    ahead--;
    if (ahead === 0) v8.setFlagsFromString('--wasm-lazy-compilation');
  }
}

/** While V8's threads compile, for which a process does not stay alive. */
export async function compileBytes(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  const timer = setInterval(() => {}, 2 ** 30);
  try {
    return await WebAssembly.compile(bytes);
  } finally {
    clearInterval(timer);
  }
}
