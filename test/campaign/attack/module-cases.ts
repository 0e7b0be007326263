/** The cases of the phase `modules`: a module, mutated or made, and how it is compiled. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Emit, JobOptions } from '../../../src/index.js';
import { REPOSITORY } from '../../support/llvm.js';
import { drawFor, type Draw } from '../../support/draw.js';
import { fileAssembly, hostileAssembly } from './hostile-assembly.js';
import { hostileModule } from './hostile-modules.js';
import { mutateBytes } from './mutate-bytes.js';
import { mutateText } from './mutate-text.js';

export type ModuleKind = 'bitcode' | 'text' | 'assembly' | 'files' | 'made';

export interface ModuleCase {
  readonly kind: ModuleKind;
  readonly bytes: Uint8Array;
  readonly options: Partial<JobOptions>;
  /** What is asked besides or instead of a compilation. */
  readonly ask: 'compile' | 'analyze' | 'inspect';
  /** Whether it is asked twice, and both answers must be equal. */
  readonly twice: boolean;
  /** Whether it runs on the calling thread, whose standard input is the process's. */
  readonly inline: boolean;
}

/** Larger inputs take so long that the campaign would see few of them. */
const LARGEST = 24_000;

function filesBelow(folder: string, extension: string): Uint8Array[] {
  const root = path.join(REPOSITORY, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => new Uint8Array(readFileSync(path.join(root, name))))
    .filter((bytes) => bytes.length <= LARGEST);
}

let bitcode: readonly Uint8Array[] | undefined;
let texts: readonly string[] | undefined;

function inputOf(kind: ModuleKind, draw: Draw): Uint8Array {
  bitcode ??= filesBelow('kernels/ir', '.bc');
  texts ??= filesBelow('test', '.ll').map((bytes) => new TextDecoder().decode(bytes));
  switch (kind) {
    case 'bitcode':
      return mutateBytes(draw.pick(bitcode), draw, draw.pick(bitcode));
    case 'text': {
      const mutated = mutateText(draw.pick(texts), draw);
      const bytes = new TextEncoder().encode(mutated);
      return draw.chance(0.1) ? mutateBytes(bytes, draw, draw.pick(bitcode)) : bytes;
    }
    case 'assembly':
      return new TextEncoder().encode(hostileAssembly(draw));
    case 'files':
      return new TextEncoder().encode(fileAssembly(draw));
    case 'made': {
      const module = hostileModule(draw);
      return new TextEncoder().encode(draw.chance(0.3) ? mutateText(module, draw) : module);
    }
  }
}

const KINDS: readonly ModuleKind[] = ['bitcode', 'bitcode', 'bitcode', 'bitcode', 'bitcode', 'bitcode', 'text', 'text', 'text', 'text', 'assembly', 'made']; // prettier-ignore
const EMITS: readonly Emit[] = ['bc', 'bc', 'bc', 'll', 'hsaco', 'hsaco', 'obj', 'asm'];
const CPUS = ['gfx906', 'gfx1100', 'gfx90a', 'gfx942'];

export function moduleCase(seed: number, number: number): ModuleCase {
  const draw = drawFor(seed, number);
  const kind = draw.chance(0.02) ? 'files' : draw.pick(KINDS);
  const isAssembly = kind === 'assembly' || kind === 'files';
  const bytes = inputOf(kind, draw);
  // Assembly is read when code is generated.
  const emit = isAssembly ? draw.pick(['hsaco', 'obj'] as const) : draw.pick(EMITS);
  const asks = draw.below(16);
  return {
    kind,
    bytes,
    options: {
      emit: [emit],
      ...(draw.chance(0.15) && { mcpu: draw.pick(CPUS) }),
      ...(draw.chance(0.1) && { optimize: draw.pick(['O1', 'O2', 'Os'] as const) }),
      ...(draw.chance(0.3) && { meld: draw.pick(['off', 'branch-fusion', 'tail-merge'] as const) }),
      ...(draw.chance(0.1) && { codegenLevel: draw.pick([0, 1, 3] as const) }),
      ...(draw.chance(0.05) && { stats: true, remarks: true, report: true }),
    },
    ask: isAssembly || asks > 1 ? 'compile' : asks === 0 ? 'analyze' : 'inspect',
    twice: draw.chance(1 / 16),
    inline: kind === 'files',
  };
}
