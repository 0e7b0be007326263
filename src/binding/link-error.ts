/**
 * What lld says of a link that failed, on one line that a person can read. lld tells three places for each undefined
 * symbol, with which bitcode that lacks a runtime (OpenMP's, Rust's core) fills kilobytes. Here the symbols are in one
 * list, and of the places the first is left. Other messages stay as they are.
 */

/** One message, with its places. lld gives about twenty and stops then. */
const UNDEFINED = /^ld\.lld: error: undefined (?:\w+ )?symbol: (.*?) >>> (referenced by .*?)(?: >>> .*)?$/s;

const linkFirst = (library: string): string => `link ${library} into the bitcode first, e.g. with llvm-link`;

/** What can be said about symbols. OpenCL's printf is apart; HIP's is in the device libraries. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:__kmpc_|omp_)/, linkFirst("OpenMP's device runtime")],
  [/^__(?:ocml|ockl|oclc)_/i, "AMD's device libraries lack it, or were not to be linked (--device-libs)"],
  [/^core::/, linkFirst("Rust's core")],
  [/^__printf_alloc$/, "OpenCL's printf needs the runtime of AMD's driver, which links __printf_alloc itself"],
];

/** @param said lld's messages, with spaces for line ends */
export function shortLinkError(said: string): string {
  const symbols: string[] = [];
  const places: string[] = [];
  const others: string[] = [];
  for (const message of said.split(/ (?=ld\.lld: )/)) {
    const [, symbol, place] = UNDEFINED.exec(message.trim()) ?? [];
    if (symbol === undefined) others.push(message);
    else {
      symbols.push(symbol);
      places.push(place!);
    }
  }
  if (symbols.length === 0) return said;
  const list = symbols.length === 1 ? `symbol: ${symbols[0]}` : `symbols: ${symbols.join(', ')}`;
  const about = [symbols.length === 1 ? places[0]! : `the first is ${places[0]}`];
  for (const [names, hint] of HINTS) if (symbols.some((symbol) => names.test(symbol))) about.push(hint);
  return [`ld.lld: error: undefined ${list} (${about.join('; ')})`, ...others].join(' ');
}
