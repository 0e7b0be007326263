/** A service with a compiler that does what the test says, or with a real one; and modules that harm a compiler. */
import type { Compiler, CompilerOptions } from '../../src/index.js';
import { createCompiler, DarmError } from '../../src/index.js';
import { createService, type Service, type ServiceOptions } from '../../src/service/index.js';
import type { CompileResult } from '../../src/job/results.js';

export const text = (ir: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(ir);

const module_ = (body: string): Uint8Array<ArrayBuffer> => text(`target triple = "amdgcn-amd-amdhsa"\n${body}\n`);

/** A kernel of a few instructions; `number` makes it different from others. */
export const tinyKernel = (number: number, cpu = 'gfx906'): Uint8Array<ArrayBuffer> =>
  module_(`define amdgpu_kernel void @tiny${number}(ptr addrspace(1) %p) "target-cpu"="${cpu}" {
  store i32 ${number}, ptr addrspace(1) %p
  ret void
}`);

/** A module with a global of that size: a small body and a large answer. */
export const largeModule = (bytes: number): Uint8Array<ArrayBuffer> =>
  module_(`@g = addrspace(1) global { i32, [${bytes} x i8] } { i32 1, [${bytes} x i8] zeroinitializer }
define amdgpu_kernel void @k() "target-cpu"="gfx906" {
  ret void
}`);

/** Harmful modules, and the error code that a job with them ends with. */
export const POISON = {
  /** LLVM divides by zero when it lowers the argument's type: a trap. */
  trap: {
    code: 'internal',
    bytes: module_('define amdgpu_kernel void @k(ppc_fp128 %v) "target-cpu"="gfx906" {\n  ret void\n}'),
  },
  /** LLVM recurses until its stack is full. */
  stack: {
    code: 'compile-failed',
    bytes: module_(`@g = external global ${'[1 x '.repeat(100_000)}i32${']'.repeat(100_000)}`),
  },
  /** A fatal error, for which LLVM would end the process. */
  fatal: {
    code: 'compile-failed',
    bytes: module_(`define amdgpu_kernel void @k(ptr addrspace(1) %p, <vscale x 4 x i32> %a) "target-cpu"="gfx906" {
  store <vscale x 4 x i32> %a, ptr addrspace(1) %p
  ret void
}`),
  },
  /** A division that LLVM expands for half a minute. */
  endless: {
    code: 'timeout',
    bytes: module_(`define amdgpu_kernel void @k(ptr addrspace(1) %p, i70000 %a, i70000 %b) "target-cpu"="gfx906" {
  %c = sdiv i70000 %a, %b
  store i70000 %c, ptr addrspace(1) %p
  ret void
}`),
  },
  /** More globals than 64 MiB hold. */
  memory: {
    code: 'out-of-memory',
    bytes: module_(Array.from({ length: 100_000 }, (_, i) => `@g${i} = addrspace(1) global i32 ${i}`).join('\n')),
  },
} as const;

/** The result of a compiler that does nothing. */
export function compiled(bytes: Uint8Array = text('artifact')): CompileResult {
  const artifacts = [{ kind: 'hsaco', bytes }] as const;
  return { target: 'gfx906', artifacts, functions: [], remarks: [], histories: [], diagnostics: [], timings: {} };
}

export type FakeCompile = (module: Uint8Array, signal: AbortSignal) => Promise<CompileResult>;

/** A compiler whose `compile` is `work`, and which is loaded by `ready`; it has no other methods. */
export const fakeCompiler = (work: FakeCompile, ready = (): Promise<void> => Promise.resolve()): Compiler =>
  ({
    compile: (module: Uint8Array, _: object, { signal }: { signal: AbortSignal }) => work(module, signal),
    ready,
  }) as object as Compiler;

/** A job that runs until `finish` is called, or its signal aborts it. */
export class HeldJobs {
  readonly #finish: (() => void)[] = [];
  started = 0;
  aborted = 0;

  readonly compile: FakeCompile = (module, signal) =>
    new Promise((resolve, reject) => {
      this.started++;
      this.#finish.push(() => resolve(compiled(module)));
      signal.addEventListener('abort', () => {
        this.aborted++;
        reject(new DarmError('aborted', 'the job was aborted'));
      });
    });

  finishAll(): void {
    for (const finish of this.#finish.splice(0)) finish();
  }
}

/** Waits until everything has happened that can happen without waiting for a timer. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

export const fakeService = (work: FakeCompile, options: Partial<ServiceOptions> = {}): Service =>
  createService(fakeCompiler(work), { concurrency: 1, ...options });

export async function withService(
  compilerOptions: CompilerOptions & { readonly threads: number },
  options: Partial<ServiceOptions>,
  use: (service: Service, compiler: Compiler) => Promise<void>,
): Promise<void> {
  await using compiler = createCompiler({ tierPolicy: 'short', ...compilerOptions });
  const service = createService(compiler, { concurrency: compilerOptions.threads, ...options });
  await use(service, compiler);
  await service.close();
}

export const get = (service: Service, path: string): Promise<Response> =>
  service.fetch(new Request(`http://service${path}`));

export const post = (service: Service, path: string, body?: BodyInit, init: RequestInit = {}): Promise<Response> =>
  service.fetch(new Request(`http://service${path}`, { method: 'POST', ...(body !== undefined && { body }), ...init }));

export const LINES = { headers: { 'Content-Type': 'application/x-ndjson' } };

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const problem = async (response: Response): Promise<{ code: string; detail: string; status: number }> =>
  (await response.json()) as { code: string; detail: string; status: number };

/** The value of a metric; 0 when it does not exist. */
export async function figure(service: Service, name: string): Promise<number> {
  const lines = (await (await get(service, '/metrics')).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? 0);
}
