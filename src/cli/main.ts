#!/usr/bin/env node
/**
 * The command `darm`. Exit codes: 0 for success, 1 for a fault of the input, 2 for a fault of the command line, 3 for a
 * fault of darm. Everything else is imported here, so that a file that cannot be loaded gives one line, too, and no
 * stack trace.
 */

process.on('uncaughtException', fail);

/** How long what still goes on when the command is done may take to end, in milliseconds. */
const LEAVE_TIME = 100;

/** For what the modules that report errors could not: they may be what cannot be loaded. */
function fail(thrown: unknown): never {
  const { message = String(thrown), code, syscall } = Object(thrown) as NodeJS.ErrnoException;
  const advice = code === 'EMFILE' ? ': raise the limit (ulimit -n)' : '';
  process.stderr.write(`darm: error: ${message.replace(/\s+/g, ' ')}${advice}\n`);
  process.exit(syscall === undefined && code !== 'ERR_ACCESS_DENIED' ? 3 : 1);
}

try {
  const { headStart } = await import('./head-start.js');
  const { useCodeCache } = await import('./code-cache.js');
  // In this order: V8's threads compile while this one waits for the disk.
  await Promise.all([headStart(process.argv.slice(2)), useCodeCache()]);
  const { runCommand } = await import('./command.js');
  process.exitCode = await runCommand(process.argv.slice(2));
  // Everything is written then, and what still goes on is left behind. But not at once: `process.exit` waits for V8's
  // threads while one of them, if it compiles JavaScript, may wait for this thread (Node 26). The end of the event loop
  // lets them finish first.
  setTimeout(() => process.exit(), LEAVE_TIME).unref();
} catch (error) {
  fail(error);
}
