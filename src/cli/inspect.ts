/** `darm inspect` */
import type { Compiler, InspectedModule } from '../compiler/api.js';
import { createCompiler } from '../compiler/compiler.js';
import type { CodeObjectInfo, KernelInfo } from '../formats/code-object.js';
import { containerText } from './container-text.js';
import { visibleLine } from '../report/visible.js';
import type { RunFlags } from './option-groups.js';
import { readInput, writeStandardOutput } from '../process/files.js';
import { table } from './table.js';

export async function runInspect(input: string, flags: RunFlags): Promise<void> {
  const { timeout, memoryLimit } = flags;
  const compiler = createCompiler({ threads: 0, timeout, memoryLimit, tierPolicy: 'short' });
  const info = await compiler.inspect(await readInput(input, timeout));
  const text = flags.json ? JSON.stringify({ schema: 1, ...info }) + '\n' : infoText(info);
  await writeStandardOutput(text);
}

function infoText(info: Awaited<ReturnType<Compiler['inspect']>>): string {
  switch (info.kind) {
    case 'module':
      return moduleText(info);
    case 'code-object':
      return codeObjectText(info);
    case 'offload-container':
      return containerText(info);
  }
}

function moduleText({ triple, functions }: InspectedModule): string {
  const rows = functions.map(({ name, kernel, instructions }) => [
    name,
    kernel ? 'kernel' : 'function',
    String(instructions),
  ]);
  return `module for ${visibleLine(triple)}\n\n${table('llr', ['function', 'kind', 'instructions'], rows)}`;
}

function codeObjectText({ target, version, linked, kernels }: CodeObjectInfo): string {
  const number = (value: number | null): string => (value === null ? '?' : String(value));
  const registers = table(
    'lrrrrrrrr',
    ['kernel', 'VGPRs', 'SGPRs', 'LDS', 'scratch', 'code', 'arguments', 'wave', 'largest workgroup'],
    kernels.map((kernel) => [
      kernel.name,
      number(kernel.vgprs),
      number(kernel.sgprs),
      number(kernel.groupSegmentSize),
      number(kernel.privateSegmentSize),
      number(kernel.codeBytes),
      number(kernel.kernargSize),
      number(kernel.wavefrontSize),
      number(kernel.maxWorkgroupSize),
    ]),
  );
  const form = linked ? '' : ' (object file, not linked)';
  return `code object v${version} for ${target}${form}\n\n${registers}${kernels.map(argumentText).join('')}`;
}

function argumentText({ name, arguments: args }: KernelInfo): string {
  const shown = args.filter(({ valueKind }) => !valueKind.startsWith('hidden_'));
  if (shown.length === 0) return '';
  const rows = shown.map((argument) => [
    `  ${argument.name ?? '(no name)'}`,
    argument.valueKind,
    argument.addressSpace ?? '',
    String(argument.offset),
    String(argument.size),
  ]);
  return `\n${visibleLine(name)}\n${table('lllrr', ['  argument', 'kind', 'address space', 'offset', 'size'], rows)}`;
}
