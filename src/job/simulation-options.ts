/** The options of a simulation, as the command and the library take them. */
import { DEFAULT_SIMULATION, type SimulationOptions } from '../simulator/options.js';
import { boolean, option, wholeNumberIn, type OptionEntry } from './option-table.js';

const SIMULATING = ['run', 'check'];

export const SIMULATION_OPTIONS = {
  maxInstructions: option(wholeNumberIn(1, Number.MAX_SAFE_INTEGER), {
    default: DEFAULT_SIMULATION.maxInstructions,
    about: 'wavefront instructions that one workgroup may execute',
    flag: { commands: SIMULATING, value: 'n' },
  }),
  detectRaces: option(boolean, {
    default: DEFAULT_SIMULATION.detectRaces,
    about: 'unordered accesses to LDS or global memory of which one writes are an error',
    flag: { commands: SIMULATING },
  }),
  cycles: option(boolean, {
    default: DEFAULT_SIMULATION.cycles,
    about: 'estimate cycles',
    flag: { commands: SIMULATING, help: 'do not estimate cycles' },
  }),
  fullUnit: option(boolean, {
    default: DEFAULT_SIMULATION.fullUnit,
    about: 'estimate cycles as if there were enough workgroups to fill a compute unit all the time',
    flag: { commands: [...SIMULATING, 'tune'] },
  }),
  profile: option(boolean, {
    default: DEFAULT_SIMULATION.profile,
    about: 'make a divergence profile of each launch',
  }),
  unalignedLds: option(boolean, {
    default: DEFAULT_SIMULATION.unalignedLds,
    about: 'LDS accesses need not be aligned',
    flag: { commands: SIMULATING, help: 'LDS accesses must be aligned' },
  }),
  checkUninitializedLds: option(boolean, {
    default: DEFAULT_SIMULATION.checkUninitializedLds,
    about: 'reading LDS that nothing was written to is an error',
    flag: { commands: SIMULATING, name: 'check-lds' },
  }),
} as const satisfies { readonly [Name in keyof SimulationOptions]: OptionEntry };
