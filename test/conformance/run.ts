/** Runs cases of the conformance set: compiled from source, executed in the simulator, compared with TypeScript. */
import type { Compiler } from '../../src/index.js';
import { parseSpec } from '../../src/index.js';
import type { Case, Element } from './cases.js';

const THREADS = 128;
const TYPES: Readonly<Record<Element, string>> = {
  i32: 'int',
  u32: 'unsigned',
  f32: 'float',
  f64: 'double',
  i64: 'long',
};
const BYTES: Readonly<Record<Element, number>> = { i32: 4, u32: 4, f32: 4, f64: 8, i64: 8 };

/** The same every time. */
function inputs(): { a: Int32Array; x: Float32Array } {
  let state = 12345;
  const next = (): number => (state = (Math.imul(state, 1664525) + 1013904223) | 0);
  const a = Int32Array.from({ length: THREADS }, () => next() >> 3);
  const x = Float32Array.from({ length: THREADS }, () => 0.5 + 3.5 * ((next() >>> 8) / 2 ** 24));
  return { a, x };
}

/** One source of several cases of one language: the kernels are `k0`, `k1`, … */
function sourceOf(cases: readonly Case[]): string {
  const isOpencl = cases[0]!.language === 'opencl';
  const kernel = ({ out, body, qualifiers = '' }: Case, index: number): string => {
    const type = TYPES[out];
    return isOpencl
      ? `kernel ${qualifiers} void k${index}(global ${type} *out, global const int *a, global const float *x, int n) {
  size_t i = get_global_id(0), t = get_local_id(0);\n${body}\n}`
      : `extern "C" __global__ ${qualifiers} void k${index}(${type === 'long' ? 'long long' : type} *out, const int *a,
                                                const float *x, int n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n${body}\n}`;
  };
  const before = cases.map((each) => each.before ?? '');
  return [isOpencl ? '' : '#include <hip/hip_runtime.h>', ...before, ...cases.map(kernel), ''].join('\n');
}

/**
 * @param cases of one language, with the same flags and headers
 * @returns what is wrong
 */
export async function complaints(compiler: Compiler, cases: readonly Case[], mcpu: string): Promise<string[]> {
  const { language, flags = [], headers = {} } = cases[0]!;
  const { artifacts } = await compiler.compile(sourceOf(cases), { language, mcpu, flags, headers, disk: false });
  const found: string[] = [];
  for (const [index, each] of cases.entries()) {
    const wrong = await complaint(compiler, artifacts[0]!.bytes, `k${index}`, each);
    if (wrong !== null) found.push(`${each.name} on ${mcpu}: ${wrong}`);
  }
  return found;
}

async function complaint(compiler: Compiler, code: Uint8Array, kernel: string, each: Case): Promise<string | null> {
  const { a, x } = inputs();
  const file = (name: string): object => ({
    name,
    buffer: name === 'a' ? 'i32' : 'f32',
    length: THREADS,
    fill: { file: name },
  });
  const spec = {
    kernel,
    grid: [THREADS / 64, 1, 1],
    block: [64, 1, 1],
    dynamicLds: each.dynamicLds ?? 0,
    args: [
      { name: 'out', buffer: 'u8', length: THREADS * BYTES[each.out], fill: { value: 0 }, out: true },
      file('a'),
      file('x'),
      { name: 'n', scalar: 'i32', value: THREADS },
    ],
  };
  const bytesOf = (name: string): Uint8Array => new Uint8Array((name === 'a' ? a : x).buffer);
  const { buffers } = await compiler.simulate(code, parseSpec(JSON.stringify(spec), bytesOf), {
    cycles: false,
  });
  const bytes = buffers.find(({ name }) => name === 'out')!.bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < THREADS; i++) {
    const got = readElement(view, i, each.out);
    const want = each.want(i, a, x);
    if (!isClose(got, want, each.tolerance ?? 0)) return `out[${i}] is ${got}, not ${want}`;
  }
  return null;
}

function readElement(view: DataView, index: number, element: Element): number | bigint {
  const at = index * BYTES[element];
  switch (element) {
    case 'i32':
      return view.getInt32(at, true);
    case 'u32':
      return view.getUint32(at, true);
    case 'f32':
      return view.getFloat32(at, true);
    case 'f64':
      return view.getFloat64(at, true);
    case 'i64':
      return view.getBigInt64(at, true);
  }
}

function isClose(got: number | bigint, want: number | bigint, tolerance: number): boolean {
  if (tolerance === 0 || typeof got === 'bigint' || typeof want === 'bigint') return got === want;
  return Math.abs(got - want) <= tolerance * Math.max(Math.abs(want), Number.MIN_VALUE);
}
