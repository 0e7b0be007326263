/**
 * Device math against `Math`: 10,000 arguments for each function, compiled from HIP source, executed in the simulator.
 * The allowed errors are those that OpenCL C documents for its full profile (3.0, 7.4 "Relative Error as ULPs"), which
 * AMD's device libraries keep. References are computed with doubles, whose own functions may be an ulp off.
 *
 *   node dist/test/campaign/math.js [--targets gfx906,gfx1100] [--arguments N] [FUNCTION...]
 *
 * Exit code 1 if any function errs by more.
 */
import { createCompiler, parseSpec, type Compiler } from '../../src/index.js';
import { SpecRandom } from '../../src/simulator/launch/random.js';

interface Func {
  readonly name: string;
  /** Allowed error in ulps; 0: the exact result, correctly rounded. */
  readonly ulps: number;
  /** Arguments are spread over this range, evenly or, where both ends are positive and far apart, by magnitude. */
  readonly from: number;
  readonly to: number;
  readonly of: (x: number, y: number) => number;
  /** For functions of two arguments: the range of the second one. */
  readonly second?: readonly [from: number, to: number];
}

const tiny = 1e-30;
const FUNCTIONS: readonly Func[] = [
  { name: 'sin', ulps: 4, from: -1e4, to: 1e4, of: Math.sin },
  { name: 'cos', ulps: 4, from: -1e4, to: 1e4, of: Math.cos },
  { name: 'tan', ulps: 5, from: -100, to: 100, of: Math.tan },
  { name: 'asin', ulps: 4, from: -1, to: 1, of: Math.asin },
  { name: 'acos', ulps: 4, from: -1, to: 1, of: Math.acos },
  { name: 'atan', ulps: 5, from: -1e3, to: 1e3, of: Math.atan },
  { name: 'sinh', ulps: 4, from: -20, to: 20, of: Math.sinh },
  { name: 'cosh', ulps: 4, from: -20, to: 20, of: Math.cosh },
  { name: 'tanh', ulps: 5, from: -9, to: 9, of: Math.tanh },
  { name: 'asinh', ulps: 4, from: -1e3, to: 1e3, of: Math.asinh },
  { name: 'acosh', ulps: 4, from: 1, to: 1e3, of: Math.acosh },
  { name: 'atanh', ulps: 5, from: -0.99, to: 0.99, of: Math.atanh },
  { name: 'exp', ulps: 3, from: -80, to: 80, of: Math.exp },
  { name: 'exp2', ulps: 3, from: -120, to: 120, of: (x) => 2 ** x },
  { name: 'exp10', ulps: 3, from: -30, to: 30, of: (x) => 10 ** x },
  { name: 'expm1', ulps: 3, from: -10, to: 10, of: Math.expm1 },
  { name: 'log', ulps: 3, from: tiny, to: 1e30, of: Math.log },
  { name: 'log2', ulps: 3, from: tiny, to: 1e30, of: Math.log2 },
  { name: 'log10', ulps: 3, from: tiny, to: 1e30, of: Math.log10 },
  { name: 'log1p', ulps: 2, from: -0.9, to: 100, of: Math.log1p },
  { name: 'sqrt', ulps: 3, from: tiny, to: 1e30, of: Math.sqrt },
  { name: 'rsqrt', ulps: 2, from: tiny, to: 1e30, of: (x) => 1 / Math.sqrt(x) },
  { name: 'cbrt', ulps: 2, from: -1e6, to: 1e6, of: Math.cbrt },
  { name: 'floor', ulps: 0, from: -1e6, to: 1e6, of: Math.floor },
  { name: 'ceil', ulps: 0, from: -1e6, to: 1e6, of: Math.ceil },
  { name: 'trunc', ulps: 0, from: -1e6, to: 1e6, of: Math.trunc },
  { name: 'fabs', ulps: 0, from: -1e6, to: 1e6, of: Math.abs },
  { name: 'pow', ulps: 16, from: 1e-3, to: 100, of: (x, y) => x ** y, second: [-12, 12] },
  { name: 'atan2', ulps: 6, from: -100, to: 100, of: Math.atan2, second: [-100, 100] },
  { name: 'hypot', ulps: 4, from: -1e4, to: 1e4, of: Math.hypot, second: [-1e4, 1e4] },
  { name: 'fmod', ulps: 0, from: -1e4, to: 1e4, of: (x, y) => x % y, second: [0.5, 50] },
  { name: 'fmax', ulps: 0, from: -10, to: 10, of: Math.max, second: [-10, 10] },
  { name: 'fmin', ulps: 0, from: -10, to: 10, of: Math.min, second: [-10, 10] },
];

interface Type {
  readonly name: 'float' | 'double';
  readonly suffix: string;
  readonly bytes: number;
  readonly array: typeof Float32Array | typeof Float64Array;
  /** What the reference itself may err. */
  readonly slack: number;
  readonly fraction: number;
  readonly leastExponent: number;
}

const TYPES: readonly Type[] = [
  { name: 'float', suffix: 'f', bytes: 4, array: Float32Array, slack: 0.5, fraction: 23, leastExponent: -126 },
  { name: 'double', suffix: '', bytes: 8, array: Float64Array, slack: 2, fraction: 52, leastExponent: -1022 },
];

const words = process.argv.slice(2);
const optionOf = (name: string, otherwise: string): string => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1]!;
};
const targets = optionOf('--targets', 'gfx906,gfx1100').split(',');
const count = Math.ceil(Number(optionOf('--arguments', '10000')) / 64) * 64;
const chosen = FUNCTIONS.filter(({ name }) => words.length === 0 || words.includes(name));
const compiler = createCompiler({ threads: 1, tierPolicy: 'long' });
let failures = 0;
for (const mcpu of targets)
  for (const type of TYPES)
    for (const func of chosen) {
      const { worst, at } = await worstError(compiler, mcpu, type, func);
      const isWrong = !(worst <= func.ulps + (func.ulps === 0 ? 0 : type.slack));
      failures += isWrong ? 1 : 0;
      const name = `${func.name}${type.suffix}`;
      const verdict = isWrong ? `TOO MUCH, at ${at.join(', ')}` : '';
      console.log(`${mcpu} ${name.padEnd(8)} ${worst.toFixed(2).padStart(7)} ulp of ${func.ulps} ${verdict}`.trimEnd());
    }
console.log(
  `${targets.length * TYPES.length * chosen.length} functions, ${count} arguments each, ${failures} failures`,
);
await compiler.close();
process.exitCode = failures > 0 ? 1 : 0;

async function worstError(
  own: Compiler,
  mcpu: string,
  type: Type,
  { name, from, to, of, second }: Func,
): Promise<{ worst: number; at: number[] }> {
  const call = `${name}${type.suffix}(x[i]${second ? ', y[i]' : ''})`;
  const source = `#include <hip/hip_runtime.h>
extern "C" __global__ void k(${type.name} *out, const ${type.name} *x, const ${type.name} *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = ${call};
}\n`;
  const { artifacts } = await own.compile(source, { language: 'hip', mcpu, disk: false });
  const random = new SpecRandom(name.length + 7);
  const x = new type.array(count).map(() => spread(from, to, random.fraction()));
  const y = new type.array(count).map(() => (second ? spread(...second, random.fraction()) : 0));
  const buffer = (which: string): object => ({
    name: which,
    buffer: type.bytes === 4 ? 'f32' : 'f64',
    length: count,
    fill: { file: which },
  });
  const spec = {
    kernel: 'k',
    grid: [count / 64, 1, 1],
    block: [64, 1, 1],
    args: [
      { name: 'out', buffer: 'u8', length: count * type.bytes, fill: { value: 0 }, out: true },
      buffer('x'),
      buffer('y'),
    ],
  };
  const bytesOf = (which: string): Uint8Array => new Uint8Array((which === 'x' ? x : y).buffer);
  const { buffers } = await own.simulate(artifacts[0]!.bytes, parseSpec(JSON.stringify(spec), bytesOf), {
    cycles: false,
  });
  const { bytes } = buffers.find((each) => each.name === 'out')!;
  const out = new type.array(bytes.slice().buffer);
  let worst = 0;
  let at: number[] = [];
  for (let i = 0; i < count; i++) {
    const error = errorOf(out[i]!, of(x[i]!, y[i]!), type);
    if (error > worst || Number.isNaN(error)) [worst, at] = [error, second ? [x[i]!, y[i]!] : [x[i]!]];
    if (Number.isNaN(worst)) break;
  }
  return { worst, at };
}

/** Of a result, in units of the last place of the exact result. */
function errorOf(got: number, want: number, { array, fraction, leastExponent }: Type): number {
  const rounded = array.of(want)[0]!;
  if (Object.is(got, rounded) || got === rounded) return 0;
  if (!Number.isFinite(got) || !Number.isFinite(rounded)) return NaN;
  const exponent = want === 0 ? leastExponent : Math.max(leastExponent, Math.floor(Math.log2(Math.abs(want))));
  return Math.abs(got - want) / 2 ** (exponent - fraction);
}

/** @param at from 0 up to 1 */
function spread(from: number, to: number, at: number): number {
  return from > 0 && to / from > 1e6 ? from * (to / from) ** at : from + (to - from) * at;
}
