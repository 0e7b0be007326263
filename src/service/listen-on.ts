/** Where a server listens: a host and port, a socket of the file system, or a socket that it was started with. */
import { once } from 'node:events';
import { lstat, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { LONGEST_SOCKET_PATH } from '../http/address.js';

export type Place =
  | { readonly host: string; /** 0 for any free port. */ readonly port: number }
  /** Only the user whose process it is may connect. */
  | { readonly socketPath: string }
  /** A socket that listens already, as systemd hands it over: the number of its descriptor. */
  | { readonly descriptor: number };

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EADDRNOTAVAIL: 'the address is not one of this machine',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host is unknown',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is not a directory',
  ENAMETOOLONG: 'the path is too long',
  EBADF: 'there is no such descriptor',
  EINVAL: 'it is no listening socket',
  ENOTSOCK: 'it is no socket',
};

/**
 * @returns the address for clients
 * @throws DarmError `io`
 */
export async function listenOn(server: Server, place: Place): Promise<string> {
  try {
    if ('socketPath' in place) return await listenOnSocket(server, place.socketPath);
    if ('descriptor' in place) server.listen({ fd: place.descriptor });
    else server.listen(place.port, place.host);
    await once(server, 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new DarmError('io', `cannot listen on ${nameOf(place)}: ${REASONS[code] ?? message}`);
  }
  const bound = server.address() as AddressInfo | string | null;
  if (bound === null || typeof bound === 'string') return `unix:${bound ?? ''}`;
  const { address, family, port } = bound;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function nameOf(place: Place): string {
  if ('socketPath' in place) return `the socket ${place.socketPath}`;
  return 'descriptor' in place ? `descriptor ${place.descriptor}` : `${place.host}, port ${place.port}`;
}

async function listenOnSocket(server: Server, socketPath: string): Promise<string> {
  if (Buffer.byteLength(socketPath) > LONGEST_SOCKET_PATH) throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
  // For a missing folder, `listen` gives the error of one that may not be entered.
  await stat(path.dirname(socketPath));
  const listen = async (): Promise<void> => {
    // The socket is made while `listen` is called.
    const before = process.umask(0o177);
    try {
      server.listen(socketPath);
    } finally {
      process.umask(before);
    }
    await once(server, 'listening');
  };
  try {
    await listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || !(await isLeftBehind(socketPath))) throw error;
    await rm(socketPath, { force: true });
    await listen();
  }
  return `unix:${socketPath}`;
}

/** Whether it is a socket on which nobody listens: its server was killed. */
async function isLeftBehind(socketPath: string): Promise<boolean> {
  if (!(await lstat(socketPath)).isSocket()) return false;
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
