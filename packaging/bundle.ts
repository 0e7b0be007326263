/**
 * Bundles the command, the library and the code of its threads into a few files, `dist/command` and `dist/bundle`:
 * `npm run build` does it. Node takes about a millisecond to find and link a file, and there are hundreds. The bundle
 * holds two packages of which the command uses a part; the others stay where they are, and are loaded when needed.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { transform } from 'esbuild';
import { rollup, type Plugin } from '@rollup/wasm-node';

const DIST = path.join(fileURLToPath(new URL('../../', import.meta.url)), 'dist');
const compiled = (name: string): string => path.join(DIST, `${name}.js`);

/** The file of each, in `dist`. All lie in folders of `dist`: see `places`. */
const ENTRIES = {
  'command/main': 'src/cli/main',
  'bundle/index': 'src/index',
  'bundle/service': 'src/service/index',
  'bundle/lambda': 'src/service/lambda',
  'bundle/task': 'workers/task',
  'bundle/session': 'workers/session',
  'bundle/apart': 'workers/apart',
  'bundle/prepare': 'workers/prepare',
};

/**
 * What one compilation loads, with all that it imports: what begins to compile LLVM, what worker threads do, the
 * command, and what source needs. All else is in files by use.
 */
const CHUNKS = {
  start: ['src/cli/code-cache', 'src/cli/head-start', 'src/compiler/head-start'],
  job: ['src/workers/llvm-host'],
  compile: ['src/cli/command', 'src/cli/compile', 'src/compiler/compiler', 'src/workers/inline'],
  source: ['src/cli/source', 'src/compiler/source-jobs', 'src/workers/frontend-host'],
};

/** Its types say that it is a CommonJS module, which it is not. */
const readCommonJs = commonjs as unknown as typeof commonjs.default;

const BUNDLED = /^(commander|@msgpack\/msgpack)$/;

/** What lies beside a module is found beside it, wherever its text has gone; threads are those of the bundle. */
const places: Plugin = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(path.join(DIST, 'src'))) return null;
    const folder = path.relative(DIST, path.dirname(id)).split(path.sep).join('/');
    return code.replaceAll(/(?<=new URL\(')[^']+(?=', import\.meta\.url\))/g, (name) =>
      path.posix.join('..', folder, name).replace(/^\.\.\/workers\//, '../bundle/'),
    );
  },
};

/**
 * commander starts other programs as subcommands, which darm does not have; and `process` is there without a module.
 */
const withoutPrograms: Plugin = {
  name: 'without-programs',
  transform: (code, id) =>
    /\/commander\//.test(id)
      ? code.replace("require('node:child_process')", '{}').replace("const process = require('node:process');", '')
      : null,
};

/** Node shows the line of an error that nobody catches. */
const LINE_LIMIT = 200;

const smaller: Plugin = {
  name: 'smaller',
  renderChunk: async (code) => {
    const shorter = { minifyWhitespace: true, minifySyntax: true, lineLimit: LINE_LIMIT } as const;
    return (await transform(code, { ...shorter, legalComments: 'none', target: 'node20' })).code;
  },
};

/** The chunk of each file that is in one: the first of them that needs it. */
function divide(importsOf: (id: string) => readonly string[]): ReadonlyMap<string, string> {
  const chunkOf = new Map<string, string>();
  const add = (id: string, chunk: string): void => {
    if (chunkOf.has(id)) return;
    chunkOf.set(id, chunk);
    for (const imported of importsOf(id)) add(imported, chunk);
  };
  for (const [chunk, sources] of Object.entries(CHUNKS)) for (const source of sources) add(compiled(source), chunk);
  return chunkOf;
}

let chunks: ReadonlyMap<string, string> | null = null;
const bundle = await rollup({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, compiled(source)])),
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id) && !BUNDLED.test(id),
  plugins: [nodeResolve({ exportConditions: ['node'] }), withoutPrograms, readCommonJs(), places, smaller],
  onwarn(warning) {
    // TypeScript's helpers ask for `this` where there is none, and do without it.
    if (warning.code !== 'THIS_IS_UNDEFINED') throw new Error(warning.message);
  },
});
for (const folder of ['command', 'bundle']) await rm(path.join(DIST, folder), { recursive: true, force: true });
await bundle.write({
  dir: DIST,
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: 'bundle/[name]-[hash].js',
  hoistTransitiveImports: false,
  manualChunks: (id, { getModuleInfo }) => (chunks ??= divide((of) => getModuleInfo(of)!.importedIds)).get(id),
});
await bundle.close();
