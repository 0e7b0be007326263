/** Where the files of the explorer's page are. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DarmError } from '../errors.js';

/** Made by page/build.ts. */
export const SITE = new URL('../../site/', import.meta.url);

/** @throws DarmError `io` where they are not */
export function requirePage(): void {
  if (!existsSync(new URL('index.html', SITE)))
    throw new DarmError('io', `the explorer's page is missing: ${fileURLToPath(SITE)} comes with darm's package`);
}
