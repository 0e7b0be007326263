/**
 * An OpenCL kernel from source, for two processors at once.
 *
 *   node examples/javascript/opencl.mjs
 */
import { createCompiler } from 'darm';

const source = `
kernel void blur(global const float *in, global float *out, int n) {
  int at = get_global_id(0);
  float left = at > 0 ? in[at - 1] : in[at];
  float right = at < n - 1 ? in[at + 1] : in[at];
  out[at] = mad(0.5f, in[at], 0.25f * (left + right));
}`;

const compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
const options = { language: 'opencl', flags: ['-cl-std=CL2.0', '-cl-fast-relaxed-math'] };
const results = await Promise.all(['gfx906', 'gfx1100'].map((mcpu) => compiler.compile(source, { ...options, mcpu })));
for (const { target, artifacts, functions } of results)
  console.log(`${target}: ${artifacts[0].bytes.length} bytes, ${functions[0].name}`);
await compiler.close();
