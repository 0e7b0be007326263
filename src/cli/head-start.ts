/**
 * LLVM is read and compiled, on other threads, while the command's own modules load and the command line is parsed.
 * What is known this early is only the subcommand; where results may come from a cache, LLVM may not be needed.
 */
/** With these, the result may come from elsewhere. */
const ELSEWHERE = ['--cache', '--remote-cache', '--server'];

export async function headStart([subcommand, ...rest]: readonly string[]): Promise<void> {
  const isHelp = rest.includes('--help') || rest.includes('-h') || rest.length === 0;
  const isElsewhere =
    rest.some((argument) => ELSEWHERE.some((flag) => argument.startsWith(flag))) ||
    'DARM_CACHE_DIR' in process.env ||
    'DARM_REMOTE_CACHE' in process.env;
  if ((subcommand !== 'compile' && subcommand !== 'analyze') || isHelp || isElsewhere) return;
  const { beginForBitcode, beginForSource } = await import('../compiler/head-start.js');
  const looksLike = (name: RegExp): boolean => rest.some((argument) => name.test(argument));
  if (looksLike(OPENCL)) beginForSource('opencl');
  else if (looksLike(SOURCE)) beginForSource('hip');
  else beginForBitcode();
}

/** What looks like source, or says so. A wrong guess costs time only. */
const OPENCL = /\.(cl|ocl)$|^(-x)?(cl|opencl)$/;
const SOURCE = /\.(hip|cu|cpp|cc|cxx|c\+\+)$|^-x/;
