import type { Inputs } from './inputs.js';
import type { CorpusLaunch } from './launch.js';

/** The launches of the kernels of one source file, by kernel. */
export type Family = Readonly<Record<string, (inputs: Inputs) => CorpusLaunch>>;
