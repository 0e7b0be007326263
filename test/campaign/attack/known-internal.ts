/**
 * Outcomes with the code `internal` that damaged modules may have, and why. Everything else with this code is a failure
 * of the campaign.
 */
interface Known {
  readonly name: string;
  readonly message: RegExp;
  readonly reason: string;
}

const KNOWN: readonly Known[] = [
  {
    name: 'LLVM crashed',
    message: /^LLVM crashed \((memory access out of bounds|unreachable|null function or function signature mismatch|table index is out of bounds|divide by zero|integer overflow)\)/,
    reason:
      "LLVM trusts bitcode that its reader accepts, and is built without assertions: it reads what is not there and traps. WebAssembly's sandbox contains the trap; the instance is replaced, and only this job fails.",
  },
]; // prettier-ignore

/** The name of the listed outcome that a message belongs to, or null. */
export const knownInternal = (message: string): string | null =>
  KNOWN.find((known) => known.message.test(message))?.name ?? null;
