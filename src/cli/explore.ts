/** `darm explore`: the explorer's page, which compiles with this package on this machine, until SIGTERM or SIGINT. */
import { createCompiler } from '../compiler/compiler.js';
import { writeStandardOutput } from '../process/files.js';
import { createService, DEFAULT_SERVICE, listen } from '../service/index.js';
import { firstSignal } from './signals.js';
import type { ExploreFlags } from './arguments.js';

/** Most time for the last answers, in milliseconds. */
const GRACE = 5000;
/** An endless launch ends then, if the reader does not end it before, in milliseconds. */
const TIMEOUT = 300_000;

export async function runExplore({ host, port, jobs }: ExploreFlags): Promise<void> {
  const compiler = createCompiler({ threads: jobs, tierPolicy: 'long' });
  const limits = { ...DEFAULT_SERVICE, timeout: TIMEOUT };
  const service = createService(compiler, { ...limits, concurrency: jobs, explore: true });
  const signalled = firstSignal();
  const server = await listen(service, { ...limits, host, port, grace: GRACE });
  // The first kernel does not have to wait for LLVM.
  compiler.ready().catch(() => {});
  await writeStandardOutput(`${server.url}/explore/\n`);
  await signalled;
  await server.close();
  await compiler.close();
}
