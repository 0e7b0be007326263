/**
 * Writes launches of the corpus as launch specifications (docs/launch-spec.md), for `darm run`, `darm check` and the
 * like: NAME.json, and NAME.ARGUMENT.bin for each buffer that is not zero.
 *
 *   npx tsc && node dist/kernels/corpus/write.js FOLDER [--seed 1] [--size 1] [--data runs] [PARTS OF NAMES...]
 *   darm check kernels/corpus/ir/sparse.gfx906.bc --spec FOLDER/csr_scalar.json
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { dataKind } from './coherent.js';
import { CORPUS, corpusSpec } from './index.js';
import { specDocument } from './launch.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    size: { type: 'string', default: '1' },
    data: { type: 'string', default: 'usual' },
  },
});
const [folder, ...parts] = positionals;
if (folder === undefined)
  throw new Error('usage: write.js FOLDER [--seed 1] [--size 1] [--data runs] [PARTS OF NAMES...]');
const data = dataKind(values.data);
mkdirSync(folder, { recursive: true });
for (const kernel of CORPUS) {
  if (parts.length > 0 && !parts.some((part) => kernel.name.includes(part))) continue;
  const spec = corpusSpec(kernel, { seed: Number(values.seed), size: Number(values.size), data });
  const { document, files } = specDocument(kernel.name, spec);
  writeFileSync(path.join(folder, `${kernel.name}.json`), JSON.stringify(document, null, 2) + '\n');
  for (const [name, bytes] of files) writeFileSync(path.join(folder, name), bytes);
}
