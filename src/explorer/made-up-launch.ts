/** A launch specification for a kernel that comes without one, made up from its metadata for the reader to change. */
import type { KernelArgument, KernelInfo } from '../formats/code-object.js';

const GRID = 4;
/** The workgroup size where the kernel does not ask for another one. */
const BLOCK = 64;
/** Elements of a buffer for each work-item. */
const PER_ITEM = 4;

/** Pretty-printed JSON. */
export function madeUpLaunch(kernel: KernelInfo): string {
  const block = kernel.requiredBlock ?? [Math.max(1, Math.min(kernel.maxWorkgroupSize ?? BLOCK, 256)), 1, 1];
  const items = GRID * block.reduce((product, size) => product * size, 1);
  const args = kernel.arguments
    .filter(({ valueKind }) => !valueKind.startsWith('hidden_'))
    .map((argument, index) => madeUpArgument(argument, index, items));
  return launchText({ kernel: kernel.name, grid: [GRID, 1, 1], block, args });
}

function madeUpArgument({ name, size, valueKind }: KernelArgument, index: number, items: number): object {
  const named = { name: name ?? `arg${index}` };
  if (valueKind === 'global_buffer') {
    const fill = { random: index + 1, min: 0, max: items - 1 };
    return { ...named, buffer: 'u32', length: PER_ITEM * items, fill, out: true };
  }
  const scalar = ({ 1: 'u8', 2: 'u16', 4: 'u32', 8: 'u64' } as const)[size];
  if (scalar === undefined) return { ...named, bytes: '00'.repeat(Math.min(size, 65536)) };
  return { ...named, scalar, value: Math.min(items, scalar === 'u8' ? 255 : items) };
}

interface LaunchText {
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly args: readonly object[];
}

/** A line for each argument. */
function launchText({ kernel, grid, block, args }: LaunchText): string {
  const line = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\s*\n\s*/g, ' ');
  const rows = args.map((each) => `    ${line(each)}`).join(',\n');
  return `{
  "kernel": ${JSON.stringify(kernel)},
  "grid": ${line(grid)},
  "block": ${line(block)},
  "args": [${args.length === 0 ? '' : `\n${rows}\n  `}]
}
`;
}
