/** Who may import whom: the folders' order of DESIGN.md, checked over the import statements of the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, suite } from './support/suite.js';

const test = suite('layers', { tests: 4 });

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** From the bottom up; a layer imports itself and what stands before it. Files of src/ stand for themselves. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'files', 'tier-policy', 'stopwatch', 'comlink'],
  ['ir', 'formats'],
  ['analysis', 'simulator'],
  ['melding'],
  ['options', 'remark', 'report-data', 'wire', 'target-id', 'passes', 'tally'],
  ['report'],
  ['binding'],
  ['toolchain', 'verify-analyses', 'collect-remarks', 'record-history'],
  ['meld-function', 'emit'],
  ['pipeline'],
  ['jobs', 'shares', 'check-options'],
  ['executor', 'cache'],
  ['inline', 'pool', 'session'],
  ['simulate'],
  ['compiler'],
  ['fatbin'],
  ['batch'],
  ['service'],
  ['index', 'cli', 'workers'],
];

const rankOf = (layer: string): number => LAYERS.findIndex((names) => names.includes(layer));

interface Import {
  readonly from: string;
  readonly fromLayer: string;
  readonly to: string;
  readonly toLayer: string;
}

function sources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')))
    .sort();
}

/** `src/ir/ids.ts` → `ir`, `src/errors.ts` → `errors`, `workers/task.ts` → `workers`. */
function layerOf(file: string): string {
  const parts = file.split('/');
  return parts[0] === 'src' ? parts[1]!.replace(/\.ts$/, '') : parts[0]!;
}

function imports(file: string): Import[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport\(?|new URL\()\s*'(\.[^']+\.js)'/g)].map(
    (match) => match[1]!,
  );
  return specifiers.map((specifier) => {
    const to = path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
    return { from: file, fromLayer: layerOf(file), to, toLayer: layerOf(to) };
  });
}

const FILES = [...sources('src'), ...sources('workers')];
const IMPORTS = FILES.flatMap(imports);

test('the imports are found', () => {
  assert.ok(FILES.length > 30);
  assert.ok(IMPORTS.some(({ from, to }) => from === 'src/pipeline.ts' && to === 'src/binding/module.ts'));
  for (const { from, to } of IMPORTS) assert.ok(FILES.includes(to), `${from} imports ${to}, which does not exist`);
});

test('every source belongs to a layer', () => {
  for (const file of FILES) assert.ok(rankOf(layerOf(file)) >= 0, `${file} is in no layer of this test`);
});

test('layers import downward only', () => {
  const upward = IMPORTS.filter(({ from, to, fromLayer, toLayer }) => {
    // The pool and the session name their workers' files.
    if (fromLayer !== 'workers' && toLayer === 'workers') return !/^src\/(pool|session)\.ts$/.test(from);
    // Sources of one layer's files that are not a folder may not import each other in a circle; rank covers the rest.
    return from !== to && rankOf(toLayer) > rankOf(fromLayer);
  });
  assert.equal(
    upward.map(({ from, to }) => `${from} imports ${to}`),
    [],
  );
});

test('ir, analysis, melding and simulator know nothing of LLVM', () => {
  const pure = IMPORTS.filter(({ fromLayer }) => ['ir', 'analysis', 'melding', 'simulator'].includes(fromLayer));
  assert.equal(
    pure.filter(({ toLayer }) => !['errors', 'formats', 'ir', 'analysis', 'melding', 'simulator'].includes(toLayer)),
    [],
  );
});

test.run();
