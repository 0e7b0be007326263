/**
 * AMD's device libraries as clang's driver chooses them (clang/lib/Driver/ToolChains/AMDGPU.cpp,
 * `getCommonBitcodeLibs`): functions, and constants, which settle what the functions do.
 */
import { DarmError } from '../errors.js';
import { IMAGE_FOLDER } from './image.js';

export interface LibraryChoice {
  readonly cpu: string;
  /** The processors that there are libraries for, without `gfx`. */
  readonly processors: readonly string[];
  /** Whether waves have 64 lanes although the processor's usually have 32. */
  readonly has64Lanes: boolean;
  readonly unsafeMath: boolean;
  readonly finiteOnly: boolean;
  /** 500 for version 5. */
  readonly codeObjectVersion: number;
}

/**
 * In the order in which clang's driver has them, which is the order of linking.
 *
 * @throws DarmError `bad-target` without libraries for the processor
 */
export function deviceLibraries(choice: LibraryChoice): string[] {
  const { cpu, processors, unsafeMath, finiteOnly, codeObjectVersion } = choice;
  const processor = cpu.replace(/^gfx/, '');
  if (!processors.includes(processor))
    throw new DarmError('bad-target', `there are no device libraries for ${cpu}, only for ${list(processors)}`);
  const has64Lanes = choice.has64Lanes || /^[6-9](\w\w|-.*)$/.test(processor);
  return [
    'ocml',
    'ockl',
    `oclc_unsafe_math_${onOff(unsafeMath)}`,
    `oclc_finite_only_${onOff(finiteOnly)}`,
    `oclc_wavefrontsize64_${onOff(has64Lanes)}`,
    `oclc_isa_version_${processor}`,
    `oclc_abi_version_${codeObjectVersion}`,
  ];
}

/** The arguments of `clang -cc1` that link them. */
export const linkingArguments = (libraries: readonly string[]): string[] =>
  libraries.flatMap((library) => ['-mlink-builtin-bitcode', `${IMAGE_FOLDER}/device/${library}.bc`]);

const onOff = (value: boolean): string => (value ? 'on' : 'off');

const list = (processors: readonly string[]): string => processors.map((each) => `gfx${each}`).join(', ');
