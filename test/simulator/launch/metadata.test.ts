/** Metadata that lies: numbers that no compiler writes are an error, never a crash, a hang or a huge allocation. */
import { decode, encode } from '@msgpack/msgpack';
import { createCompiler } from '../../../src/compiler/compiler.js';
import { DarmError } from '../../../src/errors.js';
import { inspectCodeObject } from '../../../src/formats/code-object.js';
import { defaultSpec } from '../../../src/simulator/launch/default-spec.js';
import { parseSpec, type LaunchSpec } from '../../../src/simulator/launch/spec.js';
import { artifact, compile } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/metadata', { tests: 4, timeoutMs: 60_000 });

const MODULE = `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) #0 {
  store i32 %n, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,1024" }
`;

type Fields = Record<string, unknown>;

const NOTE_SEGMENT = 4;

/**
 * The code object with its kernel's metadata edited: a new note behind the end, to which the note segment then points.
 */
function withMetadata(object: Uint8Array, edit: (kernel: Fields, args: Fields[]) => void): Uint8Array {
  const view = new DataView(object.buffer, object.byteOffset, object.length);
  const headers = Array.from(
    { length: view.getUint16(56, true) },
    (_, k) => Number(view.getBigUint64(32, true)) + 56 * k,
  );
  const header = headers.find((at) => view.getUint32(at, true) === NOTE_SEGMENT)!;
  const note = Number(view.getBigUint64(header + 8, true));
  const start = note + 12 + 8;
  const metadata = decode(object.subarray(start, start + view.getUint32(note + 4, true))) as Fields;
  const [kernel] = metadata['amdhsa.kernels'] as [Fields];
  edit(kernel, kernel['.args'] as Fields[]);
  const data = encode(metadata);
  const at = Math.ceil(object.length / 4) * 4;
  const result = new Uint8Array(at + 20 + Math.ceil(data.length / 4) * 4);
  result.set(object);
  result.set(object.subarray(note, start), at);
  result.set(data, at + 20);
  const edited = new DataView(result.buffer);
  edited.setUint32(at + 4, data.length, true);
  edited.setBigUint64(header + 8, BigInt(at), true);
  edited.setBigUint64(header + 32, BigInt(result.length - at), true);
  return result;
}

const object = compile(MODULE, { emit: ['hsaco'], meld: 'off' }).then((result) => artifact(result, 'hsaco'));

const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });

const specOf = (block: number): LaunchSpec =>
  parseSpec(
    JSON.stringify({
      grid: [1],
      block: [block],
      args: [
        { buffer: 'u32', length: 1, out: true },
        { scalar: 'u32', value: 7 },
      ],
    }),
    () => new Uint8Array(),
  );

/** The first word of the output, as text, or the error's message. */
async function run(edit: (kernel: Fields, args: Fields[]) => void, spec: LaunchSpec | 'made up'): Promise<string> {
  const bytes = withMetadata(await object, edit);
  try {
    const launch = spec === 'made up' ? defaultSpec(inspectCodeObject(bytes).kernels[0]!, 0) : spec;
    const { buffers } = await compiler.simulate(bytes, launch);
    return String(new Uint32Array(buffers[0]!.bytes.buffer)[0]);
  } catch (error) {
    if (!(error instanceof DarmError) || error.code !== 'bad-input') throw error;
    return error.message;
  }
}

const WILD = [-8, 1.5, NaN, Infinity, 2 ** 60, 2 ** 31];

test('the metadata is edited as meant', async () => {
  assert.is(await run(() => {}, specOf(1)), '7');
  assert.match(await run((_, args) => (args[1]!['.size'] = 8), specOf(1)), /argument 1 \(n\) has 8 bytes/);
});

test('no workgroup has more work-items than the hardware allows', async () => {
  const huge = (kernel: Fields): unknown => (kernel['.max_flat_workgroup_size'] = 2 ** 40);
  assert.match(await run(huge, specOf(2 ** 30)), /allows 1024 work-items/);
  const required = (kernel: Fields): unknown => (kernel['.reqd_workgroup_size'] = [2 ** 20, 2 ** 20, 1]);
  assert.match(await run(required, 'made up'), /allows 1024 work-items/);
  for (const none of [0, -5]) {
    const made = await run((kernel) => (kernel['.max_flat_workgroup_size'] = none), 'made up');
    assert.ok(none === 0 ? /allows 0 work-items/.test(made) : /^\d+$/.test(made), made);
  }
});

test('sizes and offsets', async () => {
  for (const wild of WILD) {
    const place = await run((_, args) => (args[1]!['.offset'] = wild), specOf(1));
    assert.match(place, /an impossible \.offset|bytes of arguments, more than/);
    assert.type(await run((_, args) => (args[1]!['.size'] = wild), specOf(1)), 'string');
    assert.type(await run((_, args) => (args[1]!['.size'] = wild), 'made up'), 'string');
  }
});

test('register counts', async () => {
  for (const wild of WILD)
    for (const field of ['.vgpr_count', '.sgpr_count', '.agpr_count'])
      assert.is(await run((kernel) => (kernel[field] = wild), specOf(1)), '7');
});

test.run();
