/**
 * The frame of a page that is one file: it makes no request, and uses no font and no library. A content security policy
 * lets only the page's own script run, whatever the names in it are; besides, templates escape them.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { raw } from 'hono/html';
import { html, type Html } from '../markup.js';
import { visible } from '../visible.js';

/** The package holds them in src/, too: the TypeScript compiler copies no style sheets to dist/. */
const STYLE_SHEETS = new URL('../../../../src/report/html/', import.meta.url);

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  readonly style: string;
  /** Null: the page has none. */
  readonly script: string | null;
}

/** The text of style sheets of this folder, one after the other. */
export async function styleSheet(...names: readonly string[]): Promise<string> {
  return (await Promise.all(names.map((name) => readFile(new URL(name, STYLE_SHEETS), 'utf8')))).join('\n');
}

export function documentPage({ title, body, style, script }: PageParts): string {
  const hash = script === null ? null : createHash('sha256').update(script).digest('base64');
  const policy =
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'` +
    (hash === null ? '' : `; script-src 'sha256-${hash}'`);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${raw(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · darm</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        ${body} ${script !== null && raw(`<script>${script}</script>`)}
      </body>
    </html>`;
  // Only names can hold characters that cannot be seen; our own markup has none.
  return `${visible(page.toString())}\n`;
}
