/**
 * clang in WebAssembly: a module of its own, with a memory of its own. It reads source and writes bitcode; its only
 * contact with LLVM's module is that bitcode. Like LLVM's, an instance is restored after every task and given up after
 * a trap. Its files are those of its caller.
 */
import { invariant, type SourceDiagnostic } from '../errors.js';
import type { SourceFiles } from '../job/source.js';
import type { Pointer } from './abi.js';
import type { FrontendCode } from './load-frontend.js';
import { instantiateModule, type LlvmRuntime, type InstanceExports, type RuntimeLimits } from './runtime.js';

/** Twin of `FrontendVersion` in wasm/frontend/frontend.cpp. */
const FRONTEND_VERSION = 1;

interface FrontendExports extends InstanceExports {
  _darm_frontend_version(): number;
  _darm_translate(words: Pointer<'bytes'>, size: number, colors: number): number;
  _darm_result_data(which: number): number;
  _darm_result_size(which: number): number;
}

/** `Result` of frontend.cpp. */
const Result = { Product: 0, Log: 1, Diagnostics: 2, LoweredNames: 3 } as const;

/** Fields of a diagnostic, in the order of frontend.cpp. */
const DIAGNOSTIC_FIELDS = 6;

export interface Translated {
  readonly isDone: boolean;
  readonly product: Uint8Array<ArrayBuffer>;
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  readonly loweredNames: readonly string[];
}

export class Frontend {
  readonly #runtime: LlvmRuntime<FrontendExports>;
  /** Where the module looks for files. */
  readonly #files: { current: SourceFiles };

  constructor(runtime: LlvmRuntime<FrontendExports>, files: { current: SourceFiles }) {
    this.#runtime = runtime;
    this.#files = files;
  }

  get poisoned(): boolean {
    return this.#runtime.poisoned;
  }

  get memoryBytes(): number {
    return this.#runtime.memory.buffer.byteLength;
  }

  /**
   * Runs `clang -cc1`.
   *
   * @throws DarmError `compile-failed` out of stack, `out-of-memory`, `internal` for a crash
   */
  translate(words: readonly string[], files: SourceFiles, colors: boolean): Translated {
    const runtime = this.#runtime;
    runtime.reset();
    this.#files.current = files;
    return runtime.run(() => {
      const text = new TextEncoder().encode(words.map((word) => `${word}\0`).join(''));
      const status = runtime.llvm._darm_translate(runtime.copyIn(text), text.length, Number(colors));
      const bytes = (which: number): Uint8Array<ArrayBuffer> =>
        runtime.copyOut(runtime.llvm._darm_result_data(which), runtime.llvm._darm_result_size(which));
      const textOf = (which: number): string => new TextDecoder().decode(bytes(which));
      const fields = (which: number): string[] => textOf(which).split('\0').slice(0, -1);
      return {
        isDone: status === 0,
        product: bytes(Result.Product),
        log: textOf(Result.Log),
        diagnostics: diagnosticsOf(fields(Result.Diagnostics)),
        loweredNames: fields(Result.LoweredNames),
      };
    });
  }
}

function diagnosticsOf(fields: readonly string[]): SourceDiagnostic[] {
  invariant(fields.length % DIAGNOSTIC_FIELDS === 0, 'the diagnostics of clang have another layout');
  const diagnostics: SourceDiagnostic[] = [];
  for (let at = 0; at < fields.length; at += DIAGNOSTIC_FIELDS) {
    const [severity, file, line, column, option, message] = fields.slice(at, at + DIAGNOSTIC_FIELDS) as [
      SourceDiagnostic['severity'], string, string, string, string, string,
    ]; // prettier-ignore
    diagnostics.push({
      severity,
      message,
      file: file || null,
      line: Number(line) || null,
      column: Number(column) || null,
      option: option || null,
    });
  }
  return diagnostics;
}

/** Makes an instance. */
export async function instantiateFrontend(code: FrontendCode, limits: RuntimeLimits): Promise<Frontend> {
  const files: { current: SourceFiles } = { current: { stat: () => ({ kind: 0, size: 0, id: 0 }), read: () => null } };
  const runtime = await instantiateModule<FrontendExports>('clang', code.code, limits, code.constants, {
    files: {
      stat: (path: string) => files.current.stat(path),
      read: (path: string) => files.current.read(path),
    },
  });
  invariant(
    runtime.llvm._darm_frontend_version() === FRONTEND_VERSION,
    'the compiled front end has another interface version than this package: rebuild it (build.sh)',
  );
  return new Frontend(runtime, files);
}
