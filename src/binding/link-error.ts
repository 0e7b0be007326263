/**
 * What lld says of a link that failed, on one line that a person can read. lld tells three places for each undefined
 * symbol, with which bitcode that lacks a runtime (OpenMP's, Rust's core) fills kilobytes. Here the symbols are in one
 * list, and of the places the first is left. Other messages stay as they are.
 */

/** Messages that lld gives at once are about so many symbols; then it stops. */
const UNDEFINED = /ld\.lld: error: undefined (?:\w+ )?symbol: (.*?) >>> (referenced by .*?)(?= >>> | ld\.lld: |$)/g;
/** One message: its places are behind it. */
const WITH_PLACES = /ld\.lld: error: undefined .*?(?= ld\.lld: |$) ?/g;

/** Libraries of which bitcode has to bring what it calls. */
const LIBRARIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:__kmpc_|omp_)/, "OpenMP's device runtime"],
  [/^__(?:ocml|ockl|oclc)_/i, "AMD's device libraries"],
  [/^core::/, "Rust's core"],
];

/** Of OpenCL; HIP's is in the device libraries. */
const NO_PRINTF = "OpenCL's printf needs the runtime of AMD's driver, which links __printf_alloc itself";

/** @param said lld's messages, with spaces for line ends */
export function shortLinkError(said: string): string {
  const found = [...said.matchAll(UNDEFINED)];
  if (found.length === 0) return said;
  const symbols = found.map(([, symbol]) => symbol!);
  const list = symbols.length === 1 ? `symbol: ${symbols[0]}` : `symbols: ${symbols.join(', ')}`;
  const [, , place] = found[0]!;
  const rest = said.replace(WITH_PLACES, '').trim();
  const hints = LIBRARIES.flatMap(([prefix, library]) =>
    symbols.some((symbol) => prefix.test(symbol)) ? `link ${library} into the bitcode first, e.g. with llvm-link` : [],
  );
  if (symbols.includes('__printf_alloc')) hints.push(NO_PRINTF);
  const first = symbols.length === 1 ? place! : `the first is ${place}`;
  const told = `ld.lld: error: undefined ${list} (${[first, ...hints].join('; ')})`;
  return rest === '' ? told : `${told} ${rest}`;
}
