/** Modules that end the process which compiles them. */
export const MARK = '; ends its worker';

export function endIfMarked(module: Uint8Array): void {
  if (Buffer.from(module).includes(MARK)) process.kill(process.pid, 'SIGKILL');
}
