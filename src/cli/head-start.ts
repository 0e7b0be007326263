/**
 * LLVM is read and compiled, on other threads, while the command's own modules load and the command line is parsed. What
 * is known this early is only the subcommand; where results may come from a cache, LLVM may not be needed.
 */
import { beginClang, beginLlvm } from '../compiler/head-start.js';

export function headStart([subcommand, ...rest]: readonly string[]): void {
  const isHelp = rest.includes('--help') || rest.includes('-h') || rest.length === 0;
  const isCached = rest.some((argument) => argument.startsWith('--cache')) || 'DARM_CACHE_DIR' in process.env;
  if ((subcommand !== 'compile' && subcommand !== 'analyze') || isHelp || isCached) return;
  if (rest.some((argument) => SOURCE.test(argument))) beginClang();
  beginLlvm();
}

/** What looks like source, or says so. A wrong guess costs time only. */
const SOURCE = /\.(hip|cu|cl|cpp|cc|cxx)$|^-x/;
