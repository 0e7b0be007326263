/**
 * Builds the explorer's page: `npm run build:page` writes a site of files to dist/site, which any server of files can
 * serve. With `--without-modules` only what `darm explore` needs, whose compiler runs elsewhere.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { build, type OutputFile, type Plugin } from 'esbuild';
import type { Manifest } from '../src/binding/load.js';
import { paletteStyle } from '../src/report/graph/palette.js';
import { examples } from './examples.js';
import { servedName } from './store.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SITE = path.join(ROOT, 'dist', 'site');
const MODULES = path.join(ROOT, 'wasm', 'dist');
/** The manifest names the others by their hashes. */
const MODULE_FILES = ['manifest.json', 'llvm.mjs', 'clang.mjs'];

/** Puts the browser's platform in the place of Node's. */
const platform: Plugin = {
  name: 'platform',
  setup(building) {
    building.onResolve({ filter: /\/platform\/index\.js$/ }, () => ({ path: path.join(ROOT, 'page', 'platform.ts') }));
  },
};

/** @param compiler the build of the compiler that the page has; empty: it has none */
async function bundle(name: string, compiler: string, write = true): Promise<readonly OutputFile[]> {
  const { outputFiles = [] } = await build({
    entryPoints: [path.join(ROOT, 'page', `${name}.ts`)],
    outdir: SITE,
    bundle: true,
    // The worker loads Graphviz and the simulator when they are needed. The others are a file each.
    splitting: name === 'worker',
    chunkNames: 'parts/[name].[hash]',
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    plugins: [platform],
    define: { COMPILER_BUILD: JSON.stringify(compiler) },
    write,
    logLevel: 'warning',
    absWorkingDir: ROOT,
  });
  return outputFiles;
}

/** Of all that decides what the page's compiler answers: results that the page keeps belong to it. */
async function compilerBuild(): Promise<string> {
  const hash = createHash('sha256');
  for (const { hash: content } of await bundle('worker', '', false)) hash.update(content);
  for (const name of MODULE_FILES) hash.update(await readFile(path.join(MODULES, name)));
  return hash.digest('hex').slice(0, 32);
}

/** Whatever parts there are. */
async function copyModules(): Promise<void> {
  const { compressed } = JSON.parse(await readFile(path.join(MODULES, 'manifest.json'), 'utf8')) as Manifest;
  const target = path.join(SITE, 'wasm');
  await mkdir(target);
  for (const name of MODULE_FILES) await copyFile(path.join(MODULES, name), path.join(target, name));
  for (const [name, facts] of Object.entries(compressed))
    await copyFile(path.join(MODULES, name), path.join(target, servedName(name, facts)));
}

/** The service worker knows by this whether what it keeps is what there is. */
async function stampServiceWorker(): Promise<void> {
  const files = (await readdir(SITE, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.br$/.test(entry.name) && entry.name !== 'service-worker.js')
    .map((entry) => path.relative(SITE, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(await readFile(path.join(SITE, file)));
  const worker = path.join(SITE, 'service-worker.js');
  const text = await readFile(worker, 'utf8');
  await writeFile(
    worker,
    text.replaceAll('__VERSION__', hash.digest('hex').slice(0, 16)).replace('"__FILES__"', JSON.stringify(files)),
  );
}

/** Dark colours hold for a dark system, unless the reader chose a theme. */
const withThemes = (css: string): string =>
  css.replace(
    /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}/g,
    (_, colors: string) =>
      `@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) {${colors}} }\n` +
      `:root[data-theme='dark'] {${colors}}`,
  ) + `\n:root[data-theme='dark'] { color-scheme: dark; }\n:root[data-theme='light'] { color-scheme: light; }\n`;

const hasModules = !process.argv.includes('--without-modules');
await rm(SITE, { recursive: true, force: true });
await mkdir(SITE, { recursive: true });
const compiler = hasModules ? await compilerBuild() : '';
await bundle('main', compiler);
const report = await readFile(path.join(ROOT, 'src', 'report', 'html', 'page.css'), 'utf8');
const own = await readFile(path.join(ROOT, 'page', 'page.css'), 'utf8');
await writeFile(path.join(SITE, 'page.css'), withThemes(paletteStyle() + report + own));
for (const name of ['index.html', 'icon.svg']) await copyFile(path.join(ROOT, 'page', name), path.join(SITE, name));
await writeFile(path.join(SITE, 'examples.json'), JSON.stringify(await examples(ROOT)));
if (hasModules) {
  await bundle('worker', compiler);
  await bundle('service-worker', compiler);
  await copyFile(fileURLToPath(import.meta.resolve('brotli-dec-wasm/web/bg.wasm')), path.join(SITE, 'brotli.wasm'));
  await copyModules();
  await stampServiceWorker();
}
