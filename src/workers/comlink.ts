/** Comlink, and its adapter for Node's ports, with the types that fit how Node really imports them. */
import Comlink from 'comlink';
import adapter from 'comlink/dist/umd/node-adapter.js';

export const { expose, wrap } = Comlink;
export type { Remote } from 'comlink';

/** The package declares an ES module's default export, but the file is CommonJS: its whole export is the function. */
export const nodeEndpoint = adapter as unknown as typeof adapter.default;
