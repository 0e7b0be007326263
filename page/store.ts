/** What the page's workers and its service worker must agree on. */

import type { FileFacts } from '../src/platform/interface.js';

/** Of the browser's storage: modules, unpacked. Files in it have their content's hash in their names. */
export const MODULE_STORE = 'darm-modules';

/** What the site calls a packed file of the manifest: another content has another name. */
export const servedName = (name: string, { sha256 }: FileFacts): string => `${sha256.slice(0, 16)}.${name}`;

/** Of a response: it came through the service worker. */
export const SERVED_HEADER = 'x-darm-served';
