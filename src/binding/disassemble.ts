/** LLVM's disassembler, applied to a whole text section in one call (wasm/disassemble.cpp). */
import { DarmError, invariant } from '../errors.js';
import type { Disassembly, Opcode } from '../formats/disassembly.js';
import { Status } from './abi.js';
import type { LlvmRuntime } from './runtime.js';

/**
 * @param code the bytes of a text section
 * @param cpu processor, e.g. `gfx906`
 * @param features LLVM's feature string, with the wave size: `+wavefrontsize64`
 * @throws DarmError `bad-target` for an unknown processor
 */
export function disassemble(runtime: LlvmRuntime, code: Uint8Array, cpu: string, features: string): Disassembly {
  const { llvm } = runtime;
  const job = llvm._darm_job_create();
  const data = runtime.copyIn(code);
  try {
    const status = runtime.withString(cpu, (cpuText) =>
      runtime.withString(features, (featureText) =>
        llvm._darm_disassemble(job, data, code.length, cpuText, featureText),
      ),
    );
    if (status !== Status.Ok) throw new DarmError('bad-target', runtime.stringOut(llvm._darm_message(job)));
    return unpack(
      runtime.wordsOut(llvm._darm_words_data(job), llvm._darm_words_size(job)),
      new TextDecoder().decode(runtime.copyOut(llvm._darm_output_data(job), llvm._darm_output_size(job))).split('\0'),
    );
  } finally {
    if (!runtime.poisoned) {
      llvm._free(data);
      llvm._darm_job_dispose(job);
    }
  }
}

function unpack(words: Int32Array, fields: readonly string[]): Disassembly {
  let at = 0;
  const list = (): Int32Array => {
    const length = words[at]!;
    at += 1 + length;
    return words.slice(at - length, at);
  };
  const [offset, size, opcode, operandStart, operands, flags] = [list(), list(), list(), list(), list(), list()];
  const opcodes: Opcode[] = Array.from({ length: flags.length / 2 }, (_, index) => {
    const [name, mnemonic, operandNames] = fields.slice(3 * index) as [string, string, string];
    return {
      name,
      mnemonic,
      operands: operandNames === '' ? [] : operandNames.split(' '),
      flagsLow: flags[2 * index]!,
      flagsHigh: flags[2 * index + 1]!,
    };
  });
  const text = fields.slice(3 * opcodes.length, -1);
  invariant(text.length === offset.length, 'the disassembly does not fit its own counts');
  const third = (first: number): Int32Array =>
    Int32Array.from({ length: operands.length / 3 }, (_, index) => operands[3 * index + first]!);
  const packed = third(0);
  return {
    opcodes,
    offset,
    size,
    opcode,
    operandStart,
    operandKind: Uint8Array.from(packed, (word) => word & 0xff),
    operandWidth: Uint16Array.from(packed, (word) => word >>> 8),
    operandValue: third(1),
    operandHigh: third(2),
    text: text.map((line) => line.replace(/\s+/g, ' ').trim()),
  };
}
