/** Writes the files of this folder: `npx tsc && node dist/kernels/inputs/write.js`. */
import { writeFileSync } from 'node:fs';
import { makeInputs } from './index.js';

for (const [name, bytes] of Object.entries(makeInputs()))
  writeFileSync(new URL(`../../../kernels/inputs/${name}`, import.meta.url), bytes);
