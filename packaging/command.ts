/**
 * Bundles the command into a few files, `dist/command`, which Node loads in a third of the time: `npm run build` does
 * it. Worker threads and packages stay what they are.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = path.join(ROOT, 'dist', 'command');

/** What lies beside a module is found beside it, wherever its text has gone. */
const places: Plugin = {
  name: 'places',
  setup(building) {
    building.onLoad({ filter: /dist[\\/]src[\\/].*\.js$/ }, async ({ path: file }) => {
      const place = path.relative(FOLDER, file).split(path.sep).join('/');
      const text = await readFile(file, 'utf8');
      return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
    });
  },
};

await rm(FOLDER, { recursive: true, force: true });
await build({
  entryPoints: [path.join(ROOT, 'dist', 'src', 'cli', 'main.js')],
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  legalComments: 'none',
  plugins: [places],
  logLevel: 'warning',
  absWorkingDir: ROOT,
});
