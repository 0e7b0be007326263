/**
 * The cold functions of a module's further part, which are loaded when one of them is called: see platform/divide.ts.
 */
import { FAR_TABLE, LOADER } from '../platform/divide.js';
import { platform } from '../platform/index.js';
import type { ColdCode } from '../platform/interface.js';

/**
 * What stands in a table has to come from a module:
 * `(module (import "" "load" (func)) (func) (export "load" (func 0)) (export "nothing" (func 1)))`.
 */
const LOADERS = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
  ...[0x02, 0x09, 0x01, 0x00, 0x04, 0x6c, 0x6f, 0x61, 0x64, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00],
  ...[0x07, 0x12, 0x02, 0x04, 0x6c, 0x6f, 0x61, 0x64, 0x00, 0x00],
  ...[0x07, 0x6e, 0x6f, 0x74, 0x68, 0x69, 0x6e, 0x67, 0x00, 0x01],
  ...[0x0a, 0x04, 0x01, 0x02, 0x00, 0x0b],
]);

interface Loaders {
  readonly load: () => void;
  readonly nothing: () => void;
}

/**
 * @param part an instance of the functions called
 * @param imports what it was instantiated with
 */
export function loadWhenCalled(part: WebAssembly.Instance, cold: ColdCode, imports: WebAssembly.Imports): void {
  const far = part.exports[FAR_TABLE] as WebAssembly.Table;
  const load = (): void => {
    instantiateCold(cold, { ...imports, called: part.exports as WebAssembly.ModuleImports });
    far.set(LOADER, loaders.nothing);
  };
  const { exports } = new WebAssembly.Instance(platform.compileNow(LOADERS), { '': { load } });
  const loaders = exports as unknown as Loaders;
  far.set(LOADER, loaders.load);
}

/** What fails here fails within a call of LLVM's, of which nothing is left then: so it is not a `DarmError`. */
function instantiateCold(cold: ColdCode, imports: WebAssembly.Imports): void {
  try {
    new WebAssembly.Instance(platform.compileNow(platform.readCold(cold)), imports);
  } catch (error) {
    // Out of stack: as anywhere else in a call.
    if (error instanceof RangeError) throw error;
    throw new Error(`cannot load more of the compiler's code: ${(error as Error).message}`, { cause: error });
  }
}
