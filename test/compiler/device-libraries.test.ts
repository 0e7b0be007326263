/**
 * Bitcode and IR text that call AMD's device libraries and do not have them, as front ends without a driver make it.
 */
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { withDeviceLibraries } from '../../src/compiler/link-libraries.js';
import type { DarmError } from '../../src/errors.js';
import { createCompiler, type SourceCompileOptions } from '../../src/index.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../../src/job/options.js';
import { inlineCompiler as compiler } from '../support/inline-compiler.js';
import { InlineExecutor } from '../../src/workers/inline.js';
import { llvmCode } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/device-libraries', { tests: 9, timeoutMs: 120_000 });

/** The sine of each element, and in `lanes` the number of a wave's lanes. */
const sines = (features: string, version = 600): string => `source_filename = "sines.mlir"
target triple = "amdgcn-amd-amdhsa"
declare float @__ocml_sin_f32(float)
declare float @__ocml_cos_f32(float)
declare i64 @__ockl_get_global_id(i32)
@__oclc_wavefrontsize64 = external addrspace(4) constant i8
define amdgpu_kernel void @sines(ptr addrspace(1) %values, ptr addrspace(1) %lanes) #0 {
  %id = call i64 @__ockl_get_global_id(i32 0)
  %place = getelementptr float, ptr addrspace(1) %values, i64 %id
  %value = load float, ptr addrspace(1) %place
  %sine = call float @__ocml_sin_f32(float %value)
  store float %sine, ptr addrspace(1) %place
  %wide = load i8, ptr addrspace(4) @__oclc_wavefrontsize64
  store i8 %wide, ptr addrspace(1) %lanes
  ret void
}
attributes #0 = { "target-features"="${features}" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 ${version}}
`;

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function compiled(input: string | Uint8Array, options: Partial<JobOptions>): Promise<Uint8Array> {
  return (await compiler().compile(input, options)).artifacts[0]!.bytes;
}

async function failure(input: string, options: Partial<JobOptions> | SourceCompileOptions): Promise<[string, string]> {
  try {
    await compiler().compile(input, options);
  } catch (error) {
    const { code, message } = error as DarmError;
    return [code, message];
  }
  return ['', ''];
}

const VALUES = Float32Array.from({ length: 128 }, (_, at) => (at - 64) / 10);

function launch(): LaunchSpec {
  const args = [
    { name: 'values', buffer: 'f32', length: VALUES.length, fill: { file: 'values' }, out: true },
    { name: 'lanes', buffer: 'u8', length: 1, out: true },
  ];
  const document = { kernel: 'sines', grid: [2], block: [64], args };
  return parseSpec(JSON.stringify(document), () => new Uint8Array(VALUES.buffer));
}

test('a code object has what it calls, for the waves that it has, and computes what Math does', async () => {
  for (const [mcpu, features, wide] of [
    ['gfx90a', '', 1],
    ['gfx1100', '', 0],
    ['gfx1030', '+wavefrontsize64', 1],
  ] as const)
    for (const optimize of ['none', 'O3'] as const) {
      const { buffers } = await compiler().simulate(await compiled(sines(features), { mcpu, optimize }), launch());
      const bytes = new Map(buffers.map((buffer) => [buffer.name, new Uint8Array(buffer.bytes)]));
      const found = new Float32Array(bytes.get('values')!.buffer);
      const furthest = Math.max(...found.map((sine, at) => Math.abs(sine - Math.sin(VALUES[at]!))));
      assert.ok(furthest < 1e-6, `${mcpu}, ${optimize}: ${furthest}`);
      assert.equal(bytes.get('lanes'), Uint8Array.of(wide), mcpu);
    }
});

test('bitcode and text give the same bytes, and so do many threads', async () => {
  const bitcode = await compiled(sines(''), { mcpu: 'gfx906', emit: ['bc'] });
  const options = { mcpu: 'gfx906', emit: ['obj', 'hsaco'] } as const;
  const one = await compiler().compile(sines(''), { ...options });
  assert.equal((await compiler().compile(bitcode, { ...options })).artifacts, one.artifacts);
  await using several = createCompiler({ threads: 2, tierPolicy: 'short' });
  assert.equal((await several.compile(bitcode, { ...options })).artifacts, one.artifacts);
});

test('what is linked is internal; nothing else changes', async () => {
  const options = { mcpu: 'gfx906', emit: ['ll'], meld: 'off' } as const;
  const plain = textOf(await compiled(sines('', 500), { ...options, emit: ['ll'] }));
  const linked = textOf(await compiled(sines('', 500), { ...options, emit: ['ll'], deviceLibs: 'always' }));
  const kernelIn = (text: string): string => /^define amdgpu_kernel [^]*?^}/m.exec(text)![0].replace(/#\d+/g, '#');
  assert.is(kernelIn(linked), kernelIn(plain));
  for (const line of [/^source_filename.*$/m, /^target .*$/m]) assert.is(line.exec(linked)![0], line.exec(plain)![0]);
  assert.match(linked, /^define internal float @__ocml_sin_f32\(/m);
  assert.match(linked, /^@__oclc_ISA_version = internal .* constant i32 9006/m);
  assert.match(linked, /^@__oclc_ABI_version = internal .* constant i32 500/m);
  assert.not.match(linked, /__ocml_cos_f32/);
});

test('only a code object gets them by itself, and never is never', async () => {
  for (const emit of ['obj', 'bc', 'll', 'asm'] as const) {
    const bytes = await compiled(sines(''), { mcpu: 'gfx906', emit: [emit] });
    assert.equal(bytes, await compiled(sines(''), { mcpu: 'gfx906', emit: [emit], deviceLibs: 'never' }), emit);
  }
  const [code, message] = await failure(sines(''), { mcpu: 'gfx906', deviceLibs: 'never' });
  assert.is(code, 'link-failed');
  assert.match(message, /undefined symbols: .*__ocml_sin_f32.*AMD's device libraries .* \(--device-libs\)/);
  const { functions } = await compiler().analyze(new TextEncoder().encode(sines('')), { mcpu: 'gfx906' });
  assert.ok(functions.some(({ name }) => name === '__ocml_sin_f32'));
});

test('what there are no libraries for is analysed as it is, unless they are asked for', async () => {
  const untargeted = sines('').replace(/^target triple.*$/m, '');
  for (const [module, mcpu] of [
    [sines(''), 'gfx1170'],
    [untargeted, 'gfx906'],
  ] as const) {
    const bytes = new TextEncoder().encode(module);
    const { functions } = await compiler().analyze(bytes, { mcpu });
    assert.equal(
      functions.map(({ name }) => name),
      ['sines'],
    );
    const asked = compiler().analyze(bytes, { mcpu, deviceLibs: 'always' });
    assert.is(await asked.catch((error: DarmError) => error.code), 'bad-target');
  }
});

test('a module that calls none is not even read for it, and one that only declares some loads no clang', async () => {
  const isNeeded = (what: string) => () => Promise.reject(new Error(`${what} is needed`));
  const limits = { timeoutMs: 0, events: null };
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const without = bytesOf(sines('').replaceAll('__oc', '__ox'));
  const nothing = { start: isNeeded('LLVM'), translator: isNeeded('clang'), limits };
  assert.is(await withDeviceLibraries(without, DEFAULT_OPTIONS, nothing), without);
  const declaring = bytesOf(`target triple = "amdgcn-amd-amdhsa"
declare float @__ocml_cos_f32(float)
define amdgpu_kernel void @k() {
  ret void
}
`);
  const executor = new InlineExecutor({ code: await llvmCode(), memoryLimitBytes: 2 ** 31 });
  const llvmAlone = { start: () => Promise.resolve(executor), translator: isNeeded('clang'), limits };
  assert.is(await withDeviceLibraries(declaring, { ...DEFAULT_OPTIONS, mcpu: 'gfx906' }, llvmAlone), declaring);
});

test('what cannot be linked is one clear error', async () => {
  assert.match((await failure(sines(''), { mcpu: 'gfx1170' })).join(': '), /^bad-target: there are no device libraries for gfx1170/); // prettier-ignore
  assert.equal(await failure(sines('', 700), { mcpu: 'gfx906' }), [
    'bad-target',
    'there are no device libraries for code object version 7',
  ]);
  const wideCharacters = sines('').replace('amdhsa_code_object_version", i32 600', 'wchar_size", i32 2');
  const [code, message] = await failure(wideCharacters, { mcpu: 'gfx906' });
  assert.is(code, 'link-failed');
  assert.match(message, /^AMD's device libraries cannot be linked: .*'wchar_size'.*conflicting values[^\n]*$/);
  const unknown = sines('').replaceAll('__ocml_sin_f32', '__ocml_sin_f31');
  assert.match((await failure(unknown, { mcpu: 'gfx906' }))[1], /undefined symbol: __ocml_sin_f31 .*libraries lack it/);
  const untargeted = sines('').replace(/^target triple.*$/m, '');
  assert.match((await failure(untargeted, { mcpu: 'gfx906' }))[1], /the module names no target/);
});

test('of source, clang has linked them, or was told not to', async () => {
  const source = 'extern float __ocml_sin_f32(float); kernel void k(global float *p) { *p = __ocml_sin_f32(*p); }';
  const asked = { language: 'opencl', mcpu: 'gfx906' } as const;
  const { options } = await compiler().translate(source, asked);
  assert.is(options.deviceLibs, 'never');
  await compiler().compile(source, asked);
  const [code, message] = await failure(source, { ...asked, flags: ['-nogpulib'] });
  assert.is(code, 'link-failed');
  assert.match(message, /__ocml_sin_f32/);
});

test('a module is tuned with the libraries that it lacks, whatever the options say is written', async () => {
  // A sine on one side, a cosine on the other.
  const call = '%sine = call float @__ocml_sin_f32(float %value)';
  const diamond = `%c = icmp ult i64 %id, 37
  br i1 %c, label %t, label %f
t:
  %s = call float @__ocml_sin_f32(float %value)
  br label %join
f:
  %o = call float @__ocml_cos_f32(float %value)
  br label %join
join:
  %sine = phi float [ %s, %t ], [ %o, %f ]`;
  const module = new TextEncoder().encode(sines('').replace(call, diamond));
  const tuned = async (emit: JobOptions['emit']) => {
    const options = { mcpu: 'gfx90a', optimize: 'O3', emit } as const;
    return compiler().tune(module, options, { specs: [launch()], budget: 60 });
  };
  const { kernels, trials, plan } = await tuned(['hsaco']);
  assert.is(kernels[0]?.kernel, 'sines');
  assert.ok(trials > 0);
  // The plan is for the functions that the code object will have.
  assert.is((await tuned(['bc'])).plan, plan);
});

test.run();
