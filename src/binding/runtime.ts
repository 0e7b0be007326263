/**
 * One instance of LLVM with its memory. Every task starts from the same heap.
 *
 * Right after initialisation the used part of the memory is copied; the copy is called the image. It leaves out the
 * constant data, which the linker puts in one range, and the stack below it. `reset` writes the image back, fills the
 * stack and the memory above the image with zeros, and restores the stack pointer. That takes 1 ms, against 20 ms for a
 * new instance, and the memory in use does not grow from task to task. It is sound only after a clean return: after a
 * trap, an abort, a fatal error or a lack of memory the instance is `poisoned`, and its owner makes a new one from the
 * shared `WebAssembly.Module`.
 *
 * Growth of the memory detaches views of it. So a view is made for each access and never leaves this layer.
 */
import { DarmError, invariant } from '../errors.js';
import { ABI_VERSION, SNAPSHOT_SECTIONS, type LlvmExports, type Pointer } from './abi.js';
import { platform } from '../platform/index.js';
import { loadWhenCalled } from './cold.js';
import { restrictFileAccess } from './file-access.js';
import { arrived, readManifest, type CodeParts, type ComingCode, type LlvmCode, type StartingMemory } from './load.js';

const PAGE = 65536;
const INITIAL_PAGES = 1024;
const MAX_PAGES = 65536;
/** Less stack than this at a trap: the trap was an overflow, in a function with a large frame. */
const RED_ZONE = 4096;
/** A larger buffer goes back to the system after its use. */
const LARGEST_KEPT = 32 * 2 ** 20;

export interface RuntimeLimits {
  /** Upper bound of the instance's memory in bytes, 64 MiB to 4 GiB. */
  readonly memoryLimitBytes: number;
}

/** What every module exports. */
export interface InstanceExports {
  _darm_initialize(): void;
  _malloc(size: number): Pointer<'bytes'>;
  _free(pointer: number): void;
  /** An increment of 0 gives the current end of the heap. */
  _sbrk(increment: number): number;
  stackSave(): number;
  stackRestore(pointer: number): void;
}

/** A range of addresses. */
export interface AddressRange {
  readonly start: number;
  readonly end: number;
}

export class LlvmRuntime<Exports extends InstanceExports = LlvmExports> {
  /** Number of resets so far. What was made in an earlier epoch is invalid. */
  epoch = 0;
  #poisoned = false;
  /** Whether anything was allocated since the last reset. Every task allocates: it begins by copying its input in. */
  #dirty = false;
  readonly #image: Uint8Array;
  readonly #constants: AddressRange;
  readonly #stackTop: number;
  /** What LLVM or lld printed to standard error since the last reset. */
  readonly #printed: string[];
  #names = new Map<string, Pointer<'char'>>();
  #borrowed = new Int32Array(0);
  /** The buffer of the last copy. It is kept, because getting its pages from the system takes longer than the copy. */
  #before = new Uint8Array(0);

  constructor(
    readonly llvm: Exports,
    readonly memory: WebAssembly.Memory,
    readonly memoryLimitBytes: number,
    printed: string[],
    constants: AddressRange,
    /** As messages name it. */
    private readonly tool: 'LLVM' | 'clang',
  ) {
    this.#printed = printed;
    this.#stackTop = llvm.stackSave();
    this.#constants = constants;
    this.#image = this.#variables().slice();
  }

  /** True after a trap or a fatal error; every further call would be meaningless. */
  get poisoned(): boolean {
    return this.#poisoned;
  }

  /**
   * Calls `use`. What LLVM throws poisons the instance and becomes a `DarmError`.
   *
   * @param describeCrash makes an error of a crash: by default, one of ours
   */
  run<T>(use: () => T, describeCrash = (how: string): DarmError => new DarmError('internal', how)): T {
    invariant(!this.#poisoned, 'the LLVM instance is poisoned');
    try {
      return use();
    } catch (error) {
      if (error instanceof DarmError) throw error;
      this.#poisoned = true;
      throw this.#typed(error, describeCrash);
    }
  }

  #typed(error: unknown, describeCrash: (how: string) => DarmError): DarmError {
    const text = error instanceof Error ? error.message : String(error);
    const said = this.#printed.join(' ').replace(/\s+/g, ' ').trim();
    const fatal = text.startsWith('LLVM fatal error: ') ? text.slice('LLVM fatal error: '.length) : null;
    if (/Cannot enlarge memory|OOM|out of memory|allocation failed/i.test(fatal ?? `${text} ${said}`))
      return this.lackOfMemory();
    if (error instanceof RangeError || this.#isStackExhausted())
      return new DarmError(
        'compile-failed',
        `${this.tool} ran out of stack on this ${this.tool === 'clang' ? 'source' : 'module'}`,
      );
    if (fatal !== null) return new DarmError('compile-failed', fatal.replace(/\s+/g, ' ').trim());
    const more = said ? `: ${said}` : '';
    return error instanceof WebAssembly.RuntimeError
      ? describeCrash(`${this.tool} crashed (${text})${more}`)
      : new DarmError('internal', text + more);
  }

  lackOfMemory(): DarmError {
    const limit = Math.round(this.memoryLimitBytes / 2 ** 20);
    return new DarmError('out-of-memory', `${this.tool} needs more memory than the limit of ${limit} MiB`);
  }

  /**
   * LLVM's own stack lies at the start of the memory and grows down: after an overflow its pointer is below it, which
   * wraps.
   */
  #isStackExhausted(): boolean {
    const pointer = this.llvm.stackSave() >>> 0;
    return pointer < RED_ZONE || pointer > this.#stackTop;
  }

  /** Restores the memory of a fresh instance. */
  reset(): void {
    invariant(!this.#poisoned, 'a poisoned LLVM instance cannot be reset');
    if (!this.#dirty) return;
    this.#restore(this.#image);
    new Uint8Array(this.memory.buffer).fill(0, 0, this.#constants.start);
    this.llvm.stackRestore(this.#stackTop);
    this.#printed.length = 0;
    this.#names.clear();
    this.#dirty = false;
    this.epoch++;
  }

  /**
   * Asks LLVM something and restores the memory afterwards. Later allocations then get the same addresses as without
   * the question, and so later passes, whose results may depend on addresses, do the same. It costs a copy of the
   * variables in use, and nothing that `ask` allocates outlives it. What was borrowed before stays as it is. A question
   * may ask further ones.
   */
  peek<T>(ask: () => T): T {
    const { buffer, copy } = this.#copied(this.#variables());
    const borrowed = this.#borrowed;
    const names = this.#names;
    this.#borrowed = new Int32Array(0);
    this.#names = new Map(names);
    try {
      return ask();
    } finally {
      this.#restore(copy);
      this.#borrowed = borrowed;
      this.#names = names;
      if (buffer.length <= LARGEST_KEPT) this.#before = buffer;
    }
  }

  /** The buffer is the caller's until it is put back: a question within another one gets one of its own. */
  #copied(part: Uint8Array): { buffer: Uint8Array<ArrayBuffer>; copy: Uint8Array } {
    const size = part.length;
    let buffer = this.#before;
    this.#before = new Uint8Array(0);
    if (buffer.length < size) buffer = new Uint8Array(size > LARGEST_KEPT ? size : Math.min(2 * size, LARGEST_KEPT));
    const copy = buffer.subarray(0, size);
    copy.set(part);
    return { buffer, copy };
  }

  #restore(copy: Uint8Array): void {
    const part = this.#variables();
    part.set(copy);
    part.fill(0, copy.length);
  }

  /**
   * The memory in use behind the constants; nothing above it was ever written. Below the constants is the stack, which
   * holds nothing between two calls.
   */
  #variables(): Uint8Array {
    const { end } = this.#constants;
    return new Uint8Array(this.memory.buffer, end, this.llvm._sbrk(0) - end);
  }

  // --- memory ---

  allocate(bytes: number): Pointer<'bytes'> {
    this.#dirty = true;
    const pointer = this.llvm._malloc(bytes);
    if (pointer === 0) throw new DarmError('out-of-memory', `cannot allocate ${bytes} bytes in ${this.tool}'s memory`);
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

  /**
   * Copies words to a buffer that the next call overwrites. A new buffer each time would be slower: getting its pages
   * from the system takes longer than the copy.
   */
  borrowWords(pointer: number, words: number): Int32Array<ArrayBuffer> {
    if (this.#borrowed.length < words) this.#borrowed = new Int32Array(2 * words);
    const view = this.#borrowed.subarray(0, words);
    view.set(new Int32Array(this.memory.buffer, pointer >>> 0, words));
    return view;
  }

  wordsOut(pointer: number, words: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.memory.buffer, pointer >>> 0, words).slice() as Int32Array<ArrayBuffer>;
  }

  /** Allocates 32-bit words (mostly pointers) for the time of the call to `use`, which gets their address. */
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

  /**
   * A C string for the few names that the editor gives to values and blocks. It lives until the next reset, or the end
   * of the question (`peek`) that needed it first.
   */
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
    const start = pointer >>> 0;
    return new TextDecoder().decode(heap.subarray(start, heap.indexOf(0, start)));
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

type LoaderFactory<Exports> = (options: LoaderOptions) => Promise<Exports>;

/** The further parts fill the empty slots of the first part's tables. */
async function instantiateParts(
  { first, further }: CodeParts,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  const instance = await WebAssembly.instantiate(first, imports);
  const all = { ...imports, primary: instance.exports as WebAssembly.ModuleImports };
  for (const { module, cold } of further) {
    const part = await WebAssembly.instantiate(module, all);
    if (cold !== null) loadWhenCalled(part, cold, all);
  }
  return instance;
}

/** Puts the content where it belongs in an instance's memory. @throws DarmError `io` */
function fill(memory: WebAssembly.Memory, { start, bytes, content }: StartingMemory): void {
  const place = new Uint8Array(memory.buffer, start, bytes);
  if (typeof content === 'string') platform.fill(place, content);
  else place.set(content);
}

function reserveMemory(tool: string, maximum: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  } catch {
    // V8 reserves addresses for all that an instance may address, about 8 GiB.
    throw new DarmError('out-of-memory', `this process may not reserve the addresses that ${tool} needs (ulimit -v)`);
  }
}

/** Makes an instance of a module, the larger part of it while code is still compiled. Its memory starts initialised. */
export async function instantiateModule<Exports extends InstanceExports>(
  tool: 'LLVM' | 'clang',
  code: LlvmCode | ComingCode,
  limits: RuntimeLimits,
  constants: AddressRange,
  /** Further ones of the loader. */
  options: object = {},
): Promise<LlvmRuntime<Exports>> {
  const maximum = Math.min(MAX_PAGES, Math.max(INITIAL_PAGES, Math.floor(limits.memoryLimitBytes / PAGE)));
  const memory = reserveMemory(tool, maximum);
  if (code.memory !== null) fill(memory, code.memory);
  const printed: string[] = [];
  const url = platform.loaderUrl(tool === 'LLVM' ? 'llvm.mjs' : 'clang.mjs');
  const { default: factory } = await (import(url) as Promise<{ default: LoaderFactory<Exports> }>).catch(
    (error: Error) => {
      throw new DarmError('io', `cannot load ${tool}: ${error.message}`);
    },
  );
  const parts = await arrived(code);
  const exports = await factory({
    ...options,
    wasmMemory: memory,
    instantiateWasm(imports, done) {
      void instantiateParts(parts, restrictFileAccess(imports, memory)).then((instance) => done(instance, parts.first));
      return {};
    },
    print: (line) => void printed.push(line),
    printErr: (line) => void printed.push(line),
  });
  exports._darm_initialize();
  return new LlvmRuntime(exports, memory, maximum * PAGE, printed, constants, tool);
}

/** Makes an instance of LLVM, and checks that its interface fits. Its memory starts initialised. */
export async function instantiateLlvm(code: LlvmCode | ComingCode, limits: RuntimeLimits): Promise<LlvmRuntime> {
  const { constants } = await readManifest();
  const runtime = await instantiateModule<LlvmExports>('LLVM', code, limits, constants);
  const version = runtime.llvm._darm_abi_version();
  const sections = runtime.stringOut(runtime.llvm._darm_snapshot_sections());
  invariant(
    version === ABI_VERSION && sections === SNAPSHOT_SECTIONS.join(','),
    `the compiled module has interface version ${version}, this package needs ${ABI_VERSION}: rebuild it (build.sh)`,
  );
  return runtime;
}
