/** A compiler on the calling thread. The tests of a file share it: each new one loads LLVM anew. */
import { createCompiler, type Compiler } from '../../src/index.js';

let shared: Compiler | undefined;

export const inlineCompiler = (): Compiler => (shared ??= createCompiler({ threads: 0, tierPolicy: 'short' }));
