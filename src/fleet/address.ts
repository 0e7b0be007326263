/**
 * Addresses of queues as users write them: `redis://HOST:6379/0`, `rediss://…` with TLS, `postgres://HOST/DATABASE`.
 */
import { DarmError } from '../errors.js';

export const QUEUE_FLAG = '--queue';

export interface QueueAddress {
  readonly kind: 'redis' | 'postgres';
  /** For messages and logs: without user and password. */
  readonly shown: string;
  /** What the driver (ioredis, pg) wants to know. */
  readonly connection: object;
}

const CONNECT_MS = 5000;
/** Between two attempts to connect again. */
const AGAIN_MS = 1000;
const PORTS: Readonly<Record<string, number>> = { 'redis:': 6379, 'rediss:': 6379 };

/**
 * @param password for addresses without one: everybody on a machine can read command lines
 * @throws DarmError `usage`; what was given is not repeated, since it may hold a password
 */
export function parseQueueAddress(given: string, password: string | undefined): QueueAddress {
  const url = URL.canParse(given) ? new URL(given) : null;
  const kind =
    url === null ? null : url.protocol in PORTS ? 'redis' : /^postgres(ql)?:$/.test(url.protocol) && 'postgres';
  if (url === null || !kind || url.hostname === '')
    throw new DarmError(
      'usage',
      `${QUEUE_FLAG} needs an address: redis://HOST:6379/0, rediss://HOST or postgres://HOST/DB`,
    );
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.password === '' && password !== undefined) {
    // What should have filled it has failed.
    if (password === '') throw new DarmError('usage', '$DARM_QUEUE_PASSWORD is empty: set it, or unset it');
    url.password = encodeURIComponent(password);
  }
  if (kind === 'postgres')
    return {
      kind,
      shown,
      connection: { connectionString: url.href, connectionTimeoutMillis: CONNECT_MS, migrate: true },
    };
  if (url.search !== '' || url.hash !== '')
    throw new DarmError('usage', `the address of ${QUEUE_FLAG} has a query or a fragment`);
  const db = url.pathname.replace(/^\//, '') || '0';
  if (!/^\d{1,5}$/.test(db)) throw new DarmError('usage', `the path of ${QUEUE_FLAG} must be the number of a database`);
  // An IPv6 address stands in brackets in a URL, and without them everywhere else.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    kind,
    shown,
    connection: {
      host,
      port: Number(url.port) || PORTS[url.protocol],
      db: Number(db),
      ...(url.username !== '' && { username: decoded(url.username) }),
      ...(url.password !== '' && { password: decoded(url.password) }),
      // Certificates for a number do without the name that TLS sends (RFC 6066).
      ...(url.protocol === 'rediss:' && { tls: isNumber(host) ? {} : { servername: host } }),
      connectTimeout: CONNECT_MS,
      retryStrategy: () => AGAIN_MS,
      // Commands wait until the server is there again.
      maxRetriesPerRequest: null,
    },
  };
}

/** Every command line is looked at for a queue; Node's network is loaded by those that name one. */
const isNumber = (host: string): boolean => process.getBuiltinModule('node:net').isIP(host) !== 0;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DarmError('usage', `user or password in the address of ${QUEUE_FLAG} have a damaged %-escape`);
  }
}
