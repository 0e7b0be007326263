#!/usr/bin/env node
/**
 * The command `darm`. Exit codes: 0 for success, 1 for a fault of the input, 2 for a fault of the command line, 3 for a
 * fault of darm. Everything else is imported here, so that a file that cannot be loaded gives one line, too, and no
 * stack trace.
 */

process.on('uncaughtException', fail);

/** For what the modules that report errors could not: they may be what cannot be loaded. */
function fail(thrown: unknown): never {
  const { message = String(thrown), syscall } = Object(thrown) as NodeJS.ErrnoException;
  process.stderr.write(`darm: error: ${message.replace(/\s+/g, ' ')}\n`);
  process.exit(syscall === undefined ? 3 : 1);
}

try {
  const { headStart } = await import('./head-start.js');
  const { useCodeCache } = await import('./code-cache.js');
  // In this order: V8's threads compile while this one waits for the disk.
  await Promise.all([headStart(process.argv.slice(2)), useCodeCache()]);
  const { runCommand } = await import('./command.js');
  // Everything is written when it is done. Ending the process explicitly avoids waiting for worker threads and V8's
  // compiler threads.
  process.exit(await runCommand(process.argv.slice(2)));
} catch (error) {
  fail(error);
}
