/**
 * One instance of LLVM, the memory it lives in, and the way every job starts from the same heap.
 *
 * Right after initialisation the used part of the memory is copied (the image), but for the constants, three quarters of
 * it, which the linker keeps apart. `reset` writes it back, zeroes what lies above, and restores the stack pointer: 1 ms
 * against 20 ms for a new instance, and memory never grows over the jobs. That is sound only after a clean return; after a trap, an abort, a fatal error or out-of-memory the instance is
 * `poisoned` and its owner makes a new one from the shared `WebAssembly.Module`.
 *
 * Heap views are made anew for each access (memory growth detaches them) and never leave this layer.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DarmError, invariant } from '../errors.js';
import { ABI_VERSION, SNAPSHOT_SECTIONS, type LlvmExports, type Pointer } from './abi.js';
import { restrictFileAccess } from './file-access.js';
import { moduleFolder, readManifest, type Manifest } from './load.js';

const PAGE = 65536;
const INITIAL_PAGES = 1024;
const MAX_PAGES = 65536;

export interface RuntimeLimits {
  /** Upper bound of the instance's memory in bytes, 64 MiB to 4 GiB. */
  readonly memoryLimitBytes: number;
}

/** A piece of the memory as it was at some time. */
interface ImagePart {
  readonly start: number;
  readonly bytes: Uint8Array;
}

export class LlvmRuntime {
  /** Counts resets: handles of an earlier epoch are dead. */
  epoch = 0;
  #poisoned = false;
  /** Whether anything was allocated since the last reset; every job begins with copying its input in. */
  #dirty = false;
  readonly #image: readonly ImagePart[];
  readonly #constants: Manifest['constants'];
  readonly #stackTop: number;
  /** What LLVM or lld printed to standard error since the last reset. */
  readonly #printed: string[];
  #names = new Map<string, Pointer<'char'>>();
  #borrowed = new Int32Array(0);

  constructor(
    readonly llvm: LlvmExports,
    readonly memory: WebAssembly.Memory,
    printed: string[],
    constants: Manifest['constants'],
  ) {
    this.#printed = printed;
    this.#stackTop = llvm.stackSave();
    this.#constants = constants;
    this.#image = this.#copy();
  }

  /** True after a trap or a fatal error; every further call would be meaningless. */
  get poisoned(): boolean {
    return this.#poisoned;
  }

  /** Runs one job; what LLVM throws becomes a typed error and poisons the instance. */
  run<T>(job: () => T): T {
    invariant(!this.#poisoned, 'the LLVM instance is poisoned');
    try {
      return job();
    } catch (error) {
      if (error instanceof DarmError) throw error;
      this.#poisoned = true;
      throw this.#typed(error);
    }
  }

  #typed(error: unknown): DarmError {
    const text = error instanceof Error ? error.message : String(error);
    const said = this.#printed.join(' ').replace(/\s+/g, ' ').trim();
    const with_ = (message: string) => (said ? `${message}: ${said}` : message);
    if (/Cannot enlarge memory|OOM|out of memory/i.test(text))
      return new DarmError('out-of-memory', `LLVM needs more memory than the limit of ${this.#limitMiB()} MiB`);
    if (error instanceof RangeError) return new DarmError('compile-failed', 'LLVM ran out of stack on this module');
    if (text.startsWith('LLVM fatal error: ')) {
      const message = text.slice('LLVM fatal error: '.length).replace(/\s+/g, ' ').trim();
      if (/out of memory|allocation failed/i.test(message))
        return new DarmError('out-of-memory', `LLVM needs more memory than the limit of ${this.#limitMiB()} MiB`);
      return new DarmError('compile-failed', message);
    }
    if (error instanceof WebAssembly.RuntimeError) return new DarmError('internal', with_(`LLVM crashed (${text})`));
    return new DarmError('internal', with_(text));
  }

  #limitMiB(): number {
    return Math.round(this.memory.buffer.byteLength / 2 ** 20);
  }

  /** Back to the image: the heap of a fresh instance. */
  reset(): void {
    invariant(!this.#poisoned, 'a poisoned LLVM instance cannot be reset');
    if (!this.#dirty) return;
    this.#restore(this.#image);
    this.llvm.stackRestore(this.#stackTop);
    this.#printed.length = 0;
    this.#names.clear();
    this.#dirty = false;
    this.epoch++;
  }

  /**
   * Asks LLVM something and puts the memory back as it was: where later allocations lie, and so what later passes do, does
   * not depend on whether anybody asked. Costs a copy of the memory in use; nothing that `ask` makes outlives it.
   */
  peek<T>(ask: () => T): T {
    const before = this.#copy();
    try {
      return ask();
    } finally {
      this.#restore(before);
    }
  }

  #copy(): ImagePart[] {
    const { start, end } = this.#constants;
    const used = this.#used();
    return [
      { start: 0, bytes: used.slice(0, start) },
      { start: end, bytes: used.slice(end) },
    ];
  }

  #restore(parts: readonly ImagePart[]): void {
    const used = this.#used().length;
    const heap = new Uint8Array(this.memory.buffer);
    let end = 0;
    for (const { start, bytes } of parts) {
      heap.set(bytes, start);
      end = start + bytes.length;
    }
    if (used > end) heap.fill(0, end, used);
  }

  /** The memory that is in use; nothing above it was ever written. */
  #used(): Uint8Array {
    return new Uint8Array(this.memory.buffer, 0, this.llvm._sbrk(0));
  }

  // --- memory -----------------------------------------------------------------------------------------------------------

  allocate(bytes: number): Pointer<'bytes'> {
    this.#dirty = true;
    const pointer = this.llvm._malloc(bytes);
    if (pointer === 0) throw new DarmError('out-of-memory', `cannot allocate ${bytes} bytes in LLVM's memory`);
    return pointer;
  }

  /** Copies `bytes` in, followed by a NUL byte. The caller frees it. */
  copyIn(bytes: Uint8Array): Pointer<'bytes'> {
    const pointer = this.allocate(bytes.length + 1);
    const heap = new Uint8Array(this.memory.buffer);
    heap.set(bytes, pointer);
    heap[pointer + bytes.length] = 0;
    return pointer;
  }

  copyOut(pointer: number, bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer, pointer >>> 0, bytes).slice() as Uint8Array<ArrayBuffer>;
  }

  /** Words that hold until the next call: a new buffer's pages take longer to get than the words to copy. */
  borrowWords(pointer: number, words: number): Int32Array<ArrayBuffer> {
    if (this.#borrowed.length < words) this.#borrowed = new Int32Array(2 * words);
    const view = this.#borrowed.subarray(0, words);
    view.set(new Int32Array(this.memory.buffer, pointer >>> 0, words));
    return view;
  }

  wordsOut(pointer: number, words: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.memory.buffer, pointer >>> 0, words).slice() as Int32Array<ArrayBuffer>;
  }

  /** Writes 32-bit words (pointers, mostly) and hands their address to `use`. */
  withWords<T>(words: readonly number[], use: (pointer: Pointer<'bytes'>) => T): T {
    const pointer = this.allocate(Math.max(4, words.length * 4));
    try {
      new Uint32Array(this.memory.buffer, pointer, words.length).set(words);
      return use(pointer);
    } finally {
      this.llvm._free(pointer);
    }
  }

  withString<T>(text: string, use: (pointer: Pointer<'char'>) => T): T {
    const pointer = this.copyIn(new TextEncoder().encode(text));
    try {
      return use(pointer as number as Pointer<'char'>);
    } finally {
      if (!this.#poisoned) this.llvm._free(pointer);
    }
  }

  /** A C string that stays until the next reset; for the few names that edits give. */
  name(text: string): Pointer<'char'> {
    let pointer = this.#names.get(text);
    if (pointer === undefined) {
      pointer = this.copyIn(new TextEncoder().encode(text)) as number as Pointer<'char'>;
      this.#names.set(text, pointer);
    }
    return pointer;
  }

  stringOut(pointer: number): string {
    const heap = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(heap.subarray(pointer, heap.indexOf(0, pointer)));
  }
}

interface LoaderOptions {
  wasmMemory: WebAssembly.Memory;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
  print(line: string): void;
  printErr(line: string): void;
}

/** A fresh instance of the module, initialised and checked: about 20 ms. */
export async function instantiateLlvm(module: WebAssembly.Module, limits: RuntimeLimits): Promise<LlvmRuntime> {
  const maximum = Math.min(MAX_PAGES, Math.max(INITIAL_PAGES, Math.floor(limits.memoryLimitBytes / PAGE)));
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const printed: string[] = [];
  const { constants } = await readManifest();
  const loader = pathToFileURL(path.join(moduleFolder(), 'llvm.mjs')).href;
  const { default: factory } = (await import(loader)) as { default: (options: LoaderOptions) => Promise<LlvmExports> };
  const llvm = await factory({
    wasmMemory: memory,
    instantiateWasm(imports, done) {
      void WebAssembly.instantiate(module, restrictFileAccess(imports, memory)).then((instance) => done(instance, module));
      return {};
    },
    print: (line) => void printed.push(line),
    printErr: (line) => void printed.push(line),
  });
  llvm._darm_initialize();
  const runtime = new LlvmRuntime(llvm, memory, printed, constants);
  const version = llvm._darm_abi_version();
  const sections = runtime.stringOut(llvm._darm_snapshot_sections());
  invariant(
    version === ABI_VERSION && sections === SNAPSHOT_SECTIONS.join(','),
    `the compiled module has interface version ${version}, this package needs ${ABI_VERSION}: rebuild it (build.sh)`,
  );
  return runtime;
}
