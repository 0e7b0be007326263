/**
 * An LLVM module in a runtime's memory, with everything that is done to it: reading, inspecting, changing and writing.
 * It owns what it allocates. A reset of the runtime invalidates it, and using it afterwards throws.
 */
import { DarmError, invariant, type ErrorCode, type SourceLocation } from '../errors.js';
import { functionBodies } from '../formats/ir-text.js';
import type { BlockRef } from '../ir/editor.js';
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { Opcode, type FunctionSnapshot } from '../ir/snapshot.js';
import type { DebugLocation } from '../job/remarks.js';
import { Status, type JobPtr, type ValuePtr } from './abi.js';
import { debugLocation } from './debug-location.js';
import { FunctionEditor, blockRef, valueRef } from './editor.js';
import { shortLinkError } from './link-error.js';
import type { LlvmRuntime } from './runtime.js';
import { decodeSnapshot } from './snapshot.js';
import { TextFacts } from './text-facts.js';

interface FunctionCall {
  readonly block: BlockRef;
  /** Whether nobody comes back from it. */
  readonly isLast: boolean;
}

export interface FunctionInfo {
  readonly name: string;
  readonly kernel: boolean;
  readonly instructions: number;
  readonly targetCpu: string;
}

export interface Target {
  /** Processor, e.g. `gfx90a`, or empty for the functions' own. */
  readonly cpu: string;
  /** LLVM's feature string, e.g. `+sramecc,-xnack`. */
  readonly features: string;
}

/**
 * A snapshot, its fingerprint and an editor for the function. They are valid until the function is changed by other
 * means than the editor, or until another function of the same LLVM instance is opened: snapshots share one buffer.
 */
export interface OpenFunction {
  readonly snapshot: FunctionSnapshot;
  /** Hash of everything in the snapshot except addresses, as hexadecimal text. */
  readonly fingerprint: string;
  readonly editor: FunctionEditor;
}

/** What LLVM's own analyses say about a function. */
export interface Oracle {
  /** 1 for each divergent value: the arguments, then the instructions. */
  readonly values: Int32Array;
  /** 1 for each block with a divergent terminator. */
  readonly terminators: Int32Array;
  /** 1 for each divergent use, by operand of the snapshot. */
  readonly uses: Int32Array;
  readonly immediateDominators: Int32Array;
  readonly immediatePostDominators: Int32Array;
  readonly cycles: readonly OracleCycle[];
}

export interface OracleCycle {
  readonly header: number;
  readonly depth: number;
  /** Index of the parent in `Oracle.cycles`, -1 for a top-level cycle. */
  readonly parent: number;
  readonly reducible: boolean;
  readonly blocks: Int32Array;
}

const CODES: Record<number, ErrorCode> = {
  [Status.BadInput]: 'bad-input',
  [Status.BadTarget]: 'bad-target',
  [Status.CompileFailed]: 'compile-failed',
  [Status.LinkFailed]: 'link-failed',
  [Status.Internal]: 'internal',
};

/** What LLVM prints where it has no place in a source. */
const NO_PLACE = /^<unknown>:0:0: /;
/** In front of what LLVM says of a module with debug information. It knows the line of a function, and no column. */
const PLACE = /^((?:(?!: ).)+?):(\d+):(\d+): (.+)$/;
/** LLVM takes clang's number of a place in the source for a line. */
const ASM_COOKIE = / at line \d+$/;

/** What is said of another vendor's processor where nothing says that the module is not AMD's. */
const NOT_OF_AMD = /^unknown processor '(?!gfx)[^']*' for amdgcn /;
const HAS_NO_TRIPLE =
  ': the module has no target triple and counts as AMD\'s (NVIDIA\'s say target triple = "nvptx64-nvidia-cuda")';

/** What LLVM says of text that is something else altogether: of source, if nobody has said so. */
const NO_IR = /^expected top-level entity$/;
/** What LLVM skips in front of the first entity. If the first word of that is read, the text is IR with a mistake. */
const IN_FRONT = /^(?:\s|;.*|\/\*[^]*?\*\/)*/;
/** Most of it that is looked at. */
const MOST_IN_FRONT = 2 ** 16;
const IS_SOURCE = ': this is no LLVM IR (source is known by its name, by -x hip or -x cl, or by the option language)';

/** Whether LLVM's textual pipelines can hold a name, as `keepOnly` needs it. Names of kernels may be anything. */
export const isNameable = (name: string): boolean => /^[^,;()]*$/.test(name);

/** LLVM verifies a module, but relies on some of it before: flags of the module, for instance. */
const malformed = (how: string): DarmError => new DarmError('bad-input', `malformed module: ${how} while it read it`);

/** lld, of its output, which lies in memory here. */
const NO_ROOM = /failed to open \S+: Out of memory/;

export class LlvmModule {
  readonly #job: JobPtr;
  readonly #epoch: number;
  /** Addresses of the functions by name; null until they are listed. */
  #pointers: Map<string, ValuePtr> | null = null;
  #cpu: string | null = null;
  readonly #text = new TextFacts({
    module: () => this.peek(() => new TextDecoder().decode(this.text())),
    bodies: (text) => this.bodies(text),
    body: (name) => this.peek(() => this.#bodyAlone(name)) ?? this.peek(() => this.bodies().get(name)) ?? '',
  });
  #disposed = false;

  private constructor(private readonly runtime: LlvmRuntime) {
    this.#epoch = runtime.epoch;
    this.#job = runtime.llvm._darm_job_create();
  }

  /** Reads and verifies bitcode or textual IR. Throws `bad-input` (with line and column) or `bad-target`. */
  static read(runtime: LlvmRuntime, bytes: Uint8Array, target: Target, codegenLevel: number): LlvmModule {
    const module = new LlvmModule(runtime);
    const data = runtime.copyIn(bytes);
    try {
      runtime.withString(target.cpu, (cpu) =>
        runtime.withString(target.features, (features) =>
          module.#check(
            runtime.run(
              () => runtime.llvm._darm_read(module.#job, data, bytes.length, cpu, features, codegenLevel),
              malformed,
            ),
            bytes,
          ),
        ),
      );
    } finally {
      if (!runtime.poisoned) runtime.llvm._free(data);
    }
    return module;
  }

  /** Links objects into a code object. */
  static linkObjects(runtime: LlvmRuntime, objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const empty = new LlvmModule(runtime);
    for (const bytes of objects) {
      const data = runtime.copyIn(bytes);
      runtime.llvm._darm_add_object(empty.#job, data, bytes.length);
      runtime.llvm._free(data);
    }
    return empty.link();
  }

  #llvm() {
    invariant(this.#epoch === this.runtime.epoch, 'this module was disposed by a reset of its runtime');
    return this.runtime.llvm;
  }

  /** @param read what was read, if that was it */
  #check(status: number, read: Uint8Array = new Uint8Array()): void {
    if (status === Status.Ok) return;
    const llvm = this.#llvm();
    const said = this.runtime
      .stringOut(llvm._darm_message(this.#job))
      .replace(/\s+/g, ' ')
      .replace(NO_PLACE, '')
      .replace(ASM_COOKIE, '')
      .trim();
    const line = llvm._darm_error_line(this.#job);
    const column = llvm._darm_error_column(this.#job);
    if (status === Status.LinkFailed && NO_ROOM.test(said)) throw this.runtime.lackOfMemory();
    const placed = status === Status.CompileFailed ? PLACE.exec(said) : null;
    if (placed !== null) throw new DarmError('compile-failed', placed[4]!, placeOf(placed));
    const isBitcode = read[0] === 0x42 && read[1] === 0x43;
    const unreadable = isBitcode && status === Status.BadInput && !said.startsWith('invalid IR');
    const isSource = (): boolean => {
      const [inFront] = IN_FRONT.exec(new TextDecoder().decode(read.subarray(0, MOST_IN_FRONT)))!;
      const lines = inFront.split('\n');
      return lines.length === line && lines.at(-1)!.length + 1 === column;
    };
    const hint = (): string => {
      if (NO_IR.test(said) && isSource()) return IS_SOURCE;
      return NOT_OF_AMD.test(said) && this.triple === '' ? HAS_NO_TRIPLE : '';
    };
    const message = unreadable
      ? `unreadable bitcode: ${said}`
      : status === Status.LinkFailed
        ? shortLinkError(said)
        : said + hint();
    throw new DarmError(
      CODES[status] ?? 'internal',
      message || 'LLVM gave no reason',
      line > 0 ? { line, column } : undefined,
    );
  }

  #output(): Uint8Array<ArrayBuffer> {
    const llvm = this.#llvm();
    return this.runtime.copyOut(llvm._darm_output_data(this.#job), llvm._darm_output_size(this.#job));
  }

  /** The output as text fields, each of which is followed by `end`. */
  #fields(end: string): string[] {
    return new TextDecoder().decode(this.#output()).split(end).slice(0, -1);
  }

  #words(): Int32Array<ArrayBuffer> {
    const llvm = this.#llvm();
    return this.runtime.wordsOut(llvm._darm_words_data(this.#job), llvm._darm_words_size(this.#job));
  }

  #function(name: string): ValuePtr {
    if (this.#pointers === null) this.functions();
    const found = this.#pointers!.get(name);
    invariant(found !== undefined, `no function named '${name}'`);
    return found;
  }

  /** The processor that code is generated for; empty when neither the options nor the functions name one. */
  get cpu(): string {
    return (this.#cpu ??= this.runtime.stringOut(this.#llvm()._darm_cpu(this.#job)));
  }

  get triple(): string {
    return this.runtime.stringOut(this.#llvm()._darm_triple(this.#job));
  }

  get isAmdgcn(): boolean {
    return this.#llvm()._darm_is_amdgcn(this.#job) !== 0;
  }

  /**
   * A code object is for one processor, and LLVM generates the code of each function for the processor that the
   * function names.
   *
   * @throws DarmError `bad-target` when functions name different processors, or another one than was asked for, or
   *   when there are functions and no processor
   */
  requireOneProcessor(): void {
    const functions = this.functions();
    const named = functions.find(({ targetCpu }) => targetCpu !== '');
    const wanted = this.cpu || (named?.targetCpu ?? '');
    const other = functions.find(({ targetCpu }) => targetCpu !== '' && targetCpu !== wanted);
    if (other !== undefined) {
      const source = this.cpu === '' ? `'${named!.name}'` : 'the job';
      throw new DarmError('bad-target', `function '${other.name}' is for ${other.targetCpu}, ${source} for ${wanted}`);
    }
    if (functions.length > 0) this.requireProcessor();
  }

  /**
   * @throws DarmError `bad-target` when an AMD module is for no processor in particular: there is no code object for
   * that
   */
  requireProcessor(): void {
    if (this.cpu === '' && this.isAmdgcn)
      throw new DarmError('bad-target', 'neither the module nor --mcpu names a processor');
  }

  /** Functions with bodies, in module order. */
  functions(): FunctionInfo[] {
    this.#check(this.#llvm()._darm_list_functions(this.#job));
    const fields = this.#fields('\0');
    const found: FunctionInfo[] = [];
    this.#pointers = new Map();
    for (let at = 0; at < fields.length; at += 5) {
      const [pointer, name, kernel, instructions, targetCpu] = fields.slice(at) as [
        string,
        string,
        string,
        string,
        string,
      ];
      this.#pointers.set(name, Number(pointer) as ValuePtr);
      found.push({ name, kernel: kernel === '1', instructions: Number(instructions), targetCpu });
    }
    return found;
  }

  /** Whether anything in the module calls a function or takes its address. */
  isUsed(name: string): boolean {
    return this.runtime.llvm._LLVMGetFirstUse(this.#function(name)) !== 0;
  }

  /** The calls of a function; null if anything else is done with it. */
  callsOf(name: string): FunctionCall[] | null {
    const { llvm } = this.runtime;
    const fn = this.#function(name);
    const calls: FunctionCall[] = [];
    for (let use = llvm._LLVMGetFirstUse(fn); use !== 0; use = llvm._LLVMGetNextUse(use)) {
      const user = llvm._LLVMGetUser(use);
      if (llvm._LLVMGetInstructionOpcode(user) !== Opcode.Call) return null;
      const callee = llvm._LLVMGetOperand(user, llvm._LLVMGetNumOperands(user) - 1);
      if (valueRef(callee) !== valueRef(fn)) return null;
      const next = llvm._LLVMGetInstructionOpcode(llvm._LLVMGetNextInstruction(user));
      const block = blockRef(llvm._LLVMGetInstructionParent(user));
      calls.push({ block, isLast: next === Opcode.Unreachable });
    }
    return calls;
  }

  /** Warnings so far, one line each. */
  warnings(): string[] {
    return this.runtime.stringOut(this.#llvm()._darm_warnings(this.#job)).split('\n').filter(Boolean);
  }

  /** Takes a snapshot of a function. The caller disposes the editor. */
  open(name: string): OpenFunction {
    const fn = this.#function(name);
    this.#check(this.#llvm()._darm_snapshot(this.#job, fn));
    const llvm = this.#llvm();
    const words = this.runtime.borrowWords(llvm._darm_words_data(this.#job), llvm._darm_words_size(this.#job));
    const text = this.#text;
    const state = text.stateOf(name);
    let switches: ReturnType<TextFacts['switches']> | null = null;
    const asked = {
      dividesRoughly: () => text.dividesRoughly(name),
      ldsBytes: () => text.ldsBytes(name),
      floatConstant: (v: ValueId) => text.floatConstant(decoded, v),
      intrinsic: (i: InstrId) => text.intrinsic(decoded, i, state),
      switchValues: (b: BlockId) => (switches ??= text.switches(decoded)).get(b) ?? null,
    };
    const decoded = decodeSnapshot(words, { name, cpu: this.cpu, ...asked });
    const editor = new FunctionEditor(this.runtime, this.#llvm()._darm_module(this.#job), decoded);
    return { snapshot: decoded.snapshot, fingerprint: decoded.fingerprint, editor };
  }

  /** The text of one function without that of all others; null if it is not found so. It leaves nothing else. */
  #bodyAlone(name: string): string | null {
    if (!isNameable(name)) return null;
    this.keepOnly([name]);
    return this.bodies().get(name) ?? null;
  }

  /** Says that a function has been edited: its text is another one now. */
  changed(name: string): void {
    this.#text.changed(name);
  }

  /** The same without an editor, for those who change nothing. */
  look(name: string): Omit<OpenFunction, 'editor'> {
    const { editor, ...seen } = this.open(name);
    editor[Symbol.dispose]();
    return seen;
  }

  /** LLVM's own analyses of a function, for comparison with ours. */
  oracle(name: string): Oracle {
    this.#check(this.#llvm()._darm_oracle(this.#job, this.#function(name)));
    const words = this.#words();
    let at = 0;
    const list = () => {
      const length = words[at]!;
      at += 1 + length;
      return words.subarray(at - length, at);
    };
    const [values, terminators, uses, immediateDominators, immediatePostDominators] = [
      list(),
      list(),
      list(),
      list(),
      list(),
    ];
    const cycles = Array.from({ length: words[at++]! }, () => {
      const [header, depth, parent, reducible] = words.subarray(at, at + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      at += 4;
      return { header, depth, parent, reducible: reducible !== 0, blocks: list() };
    });
    return { values, terminators, uses, immediateDominators, immediatePostDominators, cycles };
  }

  /** Asks LLVM something and undoes every effect on its memory: see `LlvmRuntime.peek`. */
  peek<T>(ask: () => T): T {
    const pointers = this.#pointers;
    try {
      return this.#text.scoped(() => this.runtime.peek(ask));
    } finally {
      this.#pointers = pointers;
    }
  }

  /** Source location of a function; null without debug information. */
  location(name: string): DebugLocation | null {
    return debugLocation(this.runtime, this.#function(name));
  }

  /** Names of a function's blocks as LLVM prints them, in layout order. */
  blockNames(name: string): string[] {
    this.#check(this.#llvm()._darm_block_names(this.#job, this.#function(name)));
    return this.#fields('\n');
  }

  /** Runs LLVM's verifier on a function; throws `internal` with its first complaint. */
  verify(name: string): void {
    this.#check(this.#llvm()._darm_verify_function(this.#job, this.#function(name)));
  }

  /**
   * Cleans up after a round of melds: folds phis, deletes dead code, and simplifies control flow without hoisting,
   * sinking or speculating, which would undo the splitting of blocks.
   */
  tidy(name: string): void {
    this.#llvm()._darm_tidy(this.#job, this.#function(name));
    this.changed(name);
  }

  /** Merges selects of addresses that differ by the same distance on both sides: one select and an offset remain. */
  shareAddressSelects(name: string): void {
    this.#llvm()._darm_share_address_selects(this.#function(name));
  }

  /**
   * Prepares a melded function for AMD's code generation: rewrites selects between conditions as operations on masks.
   * It also keeps clear of two faults of LLVM's that are repaired by now (docs/simulator.md).
   */
  prepareCodegen(name: string): void {
    this.#llvm()._darm_prepare_codegen(this.#job, this.#function(name));
    this.changed(name);
  }

  /** Runs a module pipeline in LLVM's textual form (`default<O3>`). */
  runPasses(pipeline: string): void {
    // Passes may delete functions, and inline what divides roughly.
    this.#pointers = null;
    this.#text.forget();
    this.runtime.withString(pipeline, (text) => this.#check(this.#llvm()._darm_run_passes(this.#job, text)));
  }

  /** Deletes what these definitions do not need; nothing else is seen from outside any more. */
  keepOnly(names: readonly string[]): void {
    this.runPasses(`internalize<${names.map((name) => `preserve-gv=${name}`).join(';')}>,globaldce`);
  }

  bitcode(): Uint8Array<ArrayBuffer> {
    this.#check(this.#llvm()._darm_write_bitcode(this.#job));
    return this.#output();
  }

  text(): Uint8Array<ArrayBuffer> {
    this.#check(this.#llvm()._darm_write_text(this.#job));
    return this.#output();
  }

  /** The text of each function that has a body. */
  bodies(text = new TextDecoder().decode(this.text())): ReadonlyMap<string, string> {
    const bodies = functionBodies(text);
    return new Map(this.functions().map(({ name }, index) => [name, bodies[index] ?? '']));
  }

  /** Generates code. This consumes the module: nothing but the three methods below works afterwards. */
  generate(kind: 'asm' | 'obj'): void {
    this.#check(this.#llvm()._darm_emit(this.#job, kind === 'obj' ? 1 : 0));
  }

  /** The assembly or the object that `generate` has just made. It may be large, and is copied for each call. */
  generated(): Uint8Array<ArrayBuffer> {
    return this.#output();
  }

  /** Links the object that `generate` has just made. */
  link(): Uint8Array<ArrayBuffer> {
    this.#check(this.#llvm()._darm_link(this.#job));
    return this.#output();
  }

  /** Number of machine instructions of each function, from the last `generate`. */
  machineInstructions(): Map<string, number> {
    this.#llvm()._darm_instruction_counts(this.#job);
    const fields = this.#fields('\0');
    return new Map(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, Number(fields[at + 1])] as const] : [])));
  }

  /** Frees the module's memory. Idempotent. A reset of the runtime frees all modules at once. */
  [Symbol.dispose](): void {
    if (this.#disposed || this.runtime.poisoned || this.#epoch !== this.runtime.epoch) return;
    this.#disposed = true;
    this.runtime.llvm._darm_job_dispose(this.#job);
  }
}

const placeOf = ([, file, line, column]: RegExpExecArray): SourceLocation => ({
  file: file!,
  line: Number(line),
  ...(column !== '0' && { column: Number(column) }),
});
