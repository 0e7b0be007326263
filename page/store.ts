/** What the page's workers and its service worker must agree on. */

/** Of the browser's storage: modules, unpacked. Files in it have their content's hash in their names. */
export const MODULE_STORE = 'darm-modules';

/** Of a response: it came through the service worker. */
export const SERVED_HEADER = 'x-darm-served';
