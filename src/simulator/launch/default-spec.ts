/**
 * A launch spec made up from a kernel's metadata, for checking kernels that come without one (docs/launch-spec.md,
 * "Made-up specs"). Metadata says what is a pointer and how large a value is, not what it means, so several kinds of
 * contents are tried. None of them may be what a kernel needs.
 */
import { DarmError } from '../../errors.js';
import type { KernelArgument, KernelInfo } from '../../formats/code-object.js';
import type { ElementType } from './elements.js';
import type { Fill } from './fill.js';
import type { ArgumentSpec, BufferSpec, Dimensions, LaunchSpec } from './spec.js';

/** Of every buffer: enough for a square matrix with a row per work-item. */
const WORDS = 65536;
const WORKGROUPS = 2;
/** The workgroup size where the kernel does not ask for another one. */
const BLOCK = 256;
/** Most bytes of an argument, so that what damaged metadata may claim is not allocated. */
const LARGEST_VALUE = 65536;

/**
 * @param seed even: buffers of small integers, odd: of floats; of four, the first two pass the number of work-items for
 *   values, the others a small number
 */
export function defaultSpec(kernel: KernelInfo, seed: number): LaunchSpec {
  const block = defaultBlock(kernel);
  const items = WORKGROUPS * block[0] * block[1] * block[2];
  const element: ElementType = seed % 2 === 0 ? 'u32' : 'f32';
  const scalar = seed % 4 < 2 ? items : 3;
  const buffers: BufferSpec[] = [];
  const args = kernel.arguments
    .filter(({ valueKind }) => !valueKind.startsWith('hidden_'))
    .map((argument, index): ArgumentSpec => {
      const name = argument.name ?? `arg${index}`;
      if (argument.valueKind !== 'global_buffer') return { kind: 'bytes', name, bytes: valueBytes(argument, scalar) };
      const range = element === 'u32' ? { min: 0, max: items - 1 } : { min: -100, max: 100 };
      const fill: Fill = { kind: 'random', seed: 1000 * (seed + 1) + index, ...range };
      return {
        kind: 'buffer',
        name,
        buffer: buffers.push({ name, element, length: WORDS, fill, out: true }) - 1,
        offset: 0,
      };
    });
  return { buffers, launches: [{ kernel: kernel.name, grid: [WORKGROUPS, 1, 1], block, dynamicLds: 0, args }] };
}

function defaultBlock({ requiredBlock, maxWorkgroupSize }: KernelInfo): Dimensions {
  if (requiredBlock !== null) return [requiredBlock[0]!, requiredBlock[1]!, requiredBlock[2]!];
  return [Math.max(1, Math.min(maxWorkgroupSize ?? BLOCK, BLOCK)), 1, 1];
}

/** Integers of 1, 2, 4 and 8 bytes; a struct as words of 4. */
function valueBytes({ size }: KernelArgument, value: number): Uint8Array {
  if (size > LARGEST_VALUE) throw new DarmError('bad-input', `the metadata has an argument of ${size} bytes`);
  const bytes = new Uint8Array(size);
  if (size === 0) return bytes;
  const step = size <= 2 || size === 8 ? size : 4;
  for (let at = 0; at + step <= size; at += step)
    for (let byte = 0; byte < Math.min(step, 4); byte++) bytes[at + byte] = (value >>> (8 * byte)) & 0xff;
  return bytes;
}
