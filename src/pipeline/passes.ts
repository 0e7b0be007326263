/** LLVM pass pipelines, in its textual form, and where each stands in darm's own. */
import type { JobOptions, OptimizeLevel } from '../job/options.js';

const NO_HOIST_OR_SINK = 'simplifycfg<no-hoist-common-insts;no-sink-common-insts;keep-loops>';

/**
 * In front of an early meld. Keeps what later optimisation counts on (loop rotation, if-conversion, invariant code
 * motion) but neither unrolls nor hoists or sinks, which would take apart what looks alike. Measured against about 25
 * other lists; instcombine must come before simplifycfg.
 *
 * What nothing melds in passes through here, too, if anything in its module melds. It must come out of -O3 as if it had
 * not. So functions are simplified before they are inlined, as in -O3: conditions like `a && b` become one while their
 * operands are still in memory; otherwise gvn comes first, and divides them among copies of what follows. And there is
 * no indvars: the exit conditions that it writes keep loops from being unrolled in which the parity of the counter
 * decides. Where it comes out with more scratch memory all the same, everything is melded late (scratch.ts).
 *
 * On AMD's targets the size of a work group is `group < count ? size : rest` until a pass of the target says that every
 * group has the full size. That pass wants the load of `count` to have one use. In -O3 it comes before equal loads are
 * joined, and so it must here. Otherwise every kernel that asks for the size of the grid, too, keeps the select and
 * loads the size of its group through the vector unit.
 */
export const beforeEarlyMeld = (isAmdgcn: boolean): string =>
  `function(${NO_HOIST_OR_SINK},sroa<modify-cfg>,early-cse<memssa>),always-inline,cgscc(inline),` +
  (isAmdgcn ? 'function(sccp,amdgpu-lower-kernel-attributes),' : '') +
  'globalopt,function(infer-address-spaces,sroa<modify-cfg>,infer-address-spaces,' +
  `early-cse<memssa>,instcombine<no-verify-fixpoint>,${NO_HOIST_OR_SINK},loop-simplify,lcssa,` +
  'loop-mssa(loop-rotate<header-duplication>,licm<allowspeculation>),gvn,sccp,dse,adce,' +
  `${NO_HOIST_OR_SINK},loop-simplify,lcssa),globaldce`;

/**
 * What comes in front of a late meld; null: nothing. NVPTX's code generation begins with the same pass: until then all
 * pointers are generic, and nothing says which accesses go to shared memory.
 */
export const beforeLateMeld = (isAmdgcn: boolean): string | null =>
  isAmdgcn ? null : 'function(infer-address-spaces)';

/**
 * Makes natural loops of those that are entered at several blocks, with one block each that leads back to the header.
 * The code generator has the first three of these passes, too; fix-irreducible knows no `switch` and no `invoke`.
 */
export const NATURAL_LOOPS = 'function(lower-switch,lower-invoke,fix-irreducible,loop-simplify)';

/**
 * LLVM's own pipeline for an optimisation level, or null for none. Size is no level of LLVM's any more: functions ask
 * for it by attributes, which clang gives them.
 */
export const defaultPipeline = (level: OptimizeLevel): string | null =>
  level === 'none' ? null : `default<${level === 'Os' ? 'O2' : level}>`;

/** Whether melding comes before that pipeline. */
export const meldsEarly = ({ meldPoint, optimize }: JobOptions): boolean =>
  meldPoint === 'early' && optimize !== 'none';
