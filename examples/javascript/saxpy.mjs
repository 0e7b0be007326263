/**
 * HIPRTC's saxpy flow in Node: a program as text, a header by name, a template's instance by its C++ name, the log, the
 * code; and the launch, in the simulator, since there may be no GPU here.
 *
 *   node examples/javascript/saxpy.mjs
 */
import { createCompiler, parseSpec } from 'darm';

const program = `
#include "traits.h"
template <class T>
__global__ void saxpy(T a, const T *x, T *y, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) y[at] = a * x[at] + y[at];
}`;

const compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
const { artifacts, source, functions } = await compiler.compile(program, {
  language: 'hip',
  name: 'saxpy.hip',
  mcpu: 'gfx1100',
  headers: { 'traits.h': '#include <hip/hip_runtime.h>' },
  flags: ['-std=c++20', '-Wall'],
  nameExpressions: ['saxpy<float>'],
});
if (source.log) console.error(source.log);
const kernel = source.loweredNames['saxpy<float>'];
console.log(`${kernel}: ${artifacts[0].bytes.length} bytes, ${functions.length} functions`);

const buffer = (name, fill, out = false) => ({ name, buffer: 'f32', length: 256, fill, out });
const spec = {
  kernel,
  grid: [4, 1, 1],
  block: [64, 1, 1],
  args: [
    { name: 'a', scalar: 'f32', value: 2 },
    buffer('x', { iota: 0 }),
    buffer('y', { value: 1 }, true),
    { name: 'n', scalar: 'u32', value: 256 },
  ],
};
const { buffers } = await compiler.simulate(
  artifacts[0].bytes,
  parseSpec(JSON.stringify(spec), () => new Uint8Array(0)),
);
const { bytes } = buffers.find(({ name }) => name === 'y');
const y = new Float32Array(bytes.buffer, bytes.byteOffset, 256);
console.log(`y[3] = ${y[3]}, y[255] = ${y[255]}`); // y[3] = 7, y[255] = 511
await compiler.close();
