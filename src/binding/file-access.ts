/**
 * Which files LLVM can open. Emscripten gives a module a file system in memory, but also devices that reach the host:
 * standard input, random numbers. A module of a stranger could name them (`.incbin "/dev/stdin"` in its inline
 * assembly). Here the system call that opens files answers "no such file" for all names but those of lld's own input
 * and output (wasm/link.cpp).
 */
import { invariant } from '../errors.js';

/** lld writes its output under a temporary name and renames it. */
const OWN_FILE = /^\/kernel(\d*\.o|\.hsaco)(\.tmp[0-9a-f]*)?$/;

/** WASI's number for "no such file or directory". */
const ENOENT = 44;

type SystemCall = (...args: number[]) => number;

/**
 * The imports of an instance, with the call that opens files restricted. Names of imports are minified, those of
 * functions are not.
 */
export function restrictFileAccess(imports: WebAssembly.Imports, memory: WebAssembly.Memory): WebAssembly.Imports {
  // A debug build has the same functions under two names.
  const restricted = new Set<SystemCall>();
  const restrict = (open: SystemCall): SystemCall => {
    restricted.add(open);
    return (folder, path, ...rest) => (OWN_FILE.test(textAt(memory, path!)) ? open(folder!, path!, ...rest) : -ENOENT);
  };
  const all: WebAssembly.Imports = {};
  for (const [module, values] of Object.entries(imports)) {
    all[module] = { ...values };
    for (const [name, value] of Object.entries(values))
      if (typeof value === 'function' && value.name === '___syscall_openat')
        all[module][name] = restrict(value as SystemCall);
  }
  invariant(
    restricted.size === 1,
    'the compiled module opens files in a way that is not known here: see file-access.ts',
  );
  return all;
}

function textAt(memory: WebAssembly.Memory, pointer: number): string {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder().decode(bytes.subarray(pointer >>> 0, bytes.indexOf(0, pointer >>> 0)));
}
