/** Addresses of servers as users write them: `http://host:port/path`, `https://user:password@host`, `unix:/path`. */
import { DarmError } from '../errors.js';

export interface Address {
  readonly protocol: 'http:' | 'https:';
  /** Where to connect to; a socket of the file system has precedence over host and port. */
  readonly socketPath: string | null;
  readonly hostname: string;
  /** Empty: the protocol's own. */
  readonly port: string;
  /** What stands before the path of every request: empty, or `/…` without a slash at its end. */
  readonly base: string;
  /** The value of the header, made of the user and password in the address. */
  readonly authorization: string | null;
  /** For messages and logs: without user and password. */
  readonly shown: string;
}

/** In bytes; the system's structure has no room for more, and some versions of Node cut what is longer. */
export const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/**
 * @param what whose address it is, for messages: `--server`. What was given is never repeated: it may hold a password.
 * @throws DarmError `usage`
 */
export function parseAddress(given: string, what: string): Address {
  if (given.startsWith('unix:')) return unixAddress(given.slice('unix:'.length), what);
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new DarmError('usage', `${what} needs an address: http://HOST:PORT, https://HOST or unix:/PATH`);
  if (url.search !== '' || url.hash !== '')
    throw new DarmError('usage', `the address of ${what} has a query or a fragment`);
  const base = url.pathname.replace(/\/+$/, '');
  return {
    protocol: url.protocol,
    socketPath: null,
    // An IPv6 address stands in brackets in a URL, and without them everywhere else.
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    base,
    authorization: basicAuthorization(url, what),
    shown: `${url.protocol}//${url.host}${base}`,
  };
}

function unixAddress(path: string, what: string): Address {
  // "unix:///run/darm.sock" is common, too.
  const socketPath = path.replace(/^\/\/(?=\/)/, '');
  if (!socketPath.startsWith('/')) throw new DarmError('usage', `${what} needs a whole path after unix:`);
  if (Buffer.byteLength(socketPath) > LONGEST_SOCKET_PATH)
    throw new DarmError('usage', `the path of ${what} is too long: ${LONGEST_SOCKET_PATH} bytes are the limit`);
  return {
    protocol: 'http:',
    socketPath,
    hostname: 'localhost',
    port: '',
    base: '',
    authorization: null,
    shown: `unix:${socketPath}`,
  };
}

function basicAuthorization({ username, password }: URL, what: string): string | null {
  if (username === '' && password === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw new DarmError('usage', `user or password in the address of ${what} have a damaged %-escape`);
  }
}
