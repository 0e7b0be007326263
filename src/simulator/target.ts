/** What the simulator must know of a processor beyond what its instructions' names say. */
import { DarmError } from '../errors.js';

export interface SimulatedTarget {
  readonly cpu: string;
  /** Of the instruction set: 9 (Vega, CDNA), 10 (RDNA 1 and 2), 11 (RDNA 3). */
  readonly generation: 9 | 10 | 11;
  /** gfx90a and later of generation 9: VGPRs and AGPRs are one file, work-item ids come packed. */
  readonly cdna: boolean;
  /** Work-item ids arrive packed into v0 (10 bits each) instead of in v0 to v2. */
  readonly packedWorkItemIds: boolean;
}

const GFX9 = ['gfx900', 'gfx902', 'gfx904', 'gfx906', 'gfx908', 'gfx909', 'gfx90c'];
const CDNA = ['gfx90a', 'gfx942'];
const GFX10 = ['gfx1030', 'gfx1031', 'gfx1032', 'gfx1033', 'gfx1034', 'gfx1035', 'gfx1036'];
const GFX11 = ['gfx1100', 'gfx1101', 'gfx1102', 'gfx1103'];

/** @throws DarmError `bad-target` for a processor that is not simulated. */
export function simulatedTarget(cpu: string): SimulatedTarget {
  const cdna = CDNA.includes(cpu);
  const generation = GFX9.includes(cpu) || cdna ? 9 : GFX10.includes(cpu) ? 10 : GFX11.includes(cpu) ? 11 : null;
  if (generation === null) throw new DarmError('bad-target', `the simulator does not know the processor '${cpu}'`);
  return { cpu, generation, cdna, packedWorkItemIds: cdna || generation === 11 };
}
