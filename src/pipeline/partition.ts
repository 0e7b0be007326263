/**
 * Divides a module into parts that are compiled apart and linked together. What the module shows to the outside (its
 * kernels, first of all) is in exactly one part, with everything that it needs. Functions, constants and LDS that
 * several parts need are in each of them, under names that nobody else sees: no part refers to another. What has a
 * state or an address that somebody outside knows exists once, so all that need it are in one part.
 *
 * LLVM's own splitting for AMDGPU (AMDGPUSplitModule.cpp) lets parts refer to each other. Then the code of a part
 * depends on what the others say about LDS.
 */
import { irDefinitions, type IrDefinition } from '../formats/ir-definitions.js';
import type { JobOptions } from '../job/options.js';
import { shareOut } from '../job/share-out.js';

/** Address space of LDS: every kernel has its own. */
const LDS = 3;
/**
 * For `auto`: a part has at least so many lines of IR, and there are no more parts than that. Each part costs the
 * reading of the whole module (measured: 1 ms for 1000 lines, beside 100 ms for their code).
 */
const PART_LINES = 4000;
const MOST_PARTS = 8;

/**
 * What cannot be in a part by itself: code that runs at load time or through pointers, and names that LLVM must keep.
 */
const INDIVISIBLE = [
  /^module asm /m,
  /^@llvm\.(?:used|global_ctors|global_dtors) = /m,
  /^ +(?:%(?:"[^"\n]*"|\S+) = )?(?:\w+ )?(?:call|invoke) [^@"\n]*?%(?:[-\w.$]+|"[^"\n]*")\(/m,
];

/**
 * The names of what each part shows to the outside, in module order. One part or none: the module stays whole.
 *
 * @param text the module where code generation starts
 */
export function partitionModule(text: string, partitions: JobOptions['partitions']): string[][] {
  if (INDIVISIBLE.some((pattern) => pattern.test(text))) return [];
  const definitions = irDefinitions(text);
  const functions = new Set(definitions.filter(({ kind }) => kind === 'function').map(({ name }) => name));
  const isDivisible = ({ kind, name, mentions }: IrDefinition): boolean =>
    kind !== 'alias' && (name !== 'llvm.compiler.used' || ![...mentions].some((each) => functions.has(each)));
  if (!definitions.every(isDivisible)) return [];
  const groups = groupsOf(definitions);
  if (groups.some(({ roots }) => roots.some((name) => !/^[\w.$]+$/.test(name)))) return [];
  const lines = groups.reduce((sum, group) => sum + group.lines, 0);
  const wanted = partitions === 'auto' ? automatic(lines) : partitions;
  // A variable that no code needs is not worth a part.
  const most = groups.filter((group) => group.lines > 0).length;
  const shares = shareOut(groups.map((group) => group.lines), Math.min(wanted, most)); // prettier-ignore
  return shares.map((members) => members.flatMap((index) => groups[index]!.roots));
}

/** A power of two: parts of equal size keep two, four or eight workers equally busy. */
const automatic = (lines: number): number =>
  Math.min(MOST_PARTS, 2 ** Math.max(0, Math.floor(Math.log2(lines / PART_LINES))));

/** What has to be in one part. */
interface Group {
  readonly roots: readonly string[];
  readonly lines: number;
}

/** In module order. */
function groupsOf(definitions: readonly IrDefinition[]): Group[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const roots = definitions.filter(
    ({ local, addressSpace, name }) => !local && addressSpace !== LDS && !isOfLlvm(name),
  );
  const needs = new Map(roots.map((root) => [root, reachableFrom(root, byName)]));

  // Roots that need the same single thing are joined: each group is named by the first of its roots.
  const first = new Map(roots.map((root) => [root, root]));
  const owner = new Map<IrDefinition, IrDefinition>();
  const find = (root: IrDefinition): IrDefinition => {
    let at = root;
    while (first.get(at) !== at) at = first.get(at)!;
    return at;
  };
  for (const root of roots)
    for (const needed of needs.get(root)!) {
      if (needed.constant || needed.addressSpace === LDS) continue;
      const other = owner.get(needed);
      owner.set(needed, root);
      if (other !== undefined) first.set(find(root), find(other));
    }

  const members = new Map<IrDefinition, IrDefinition[]>();
  for (const root of roots) members.set(find(root), [...(members.get(find(root)) ?? []), root]);
  return [...members.values()].map((group) => {
    const together = new Set(group.flatMap((root) => [...needs.get(root)!]));
    const lines = [...together].reduce((sum, definition) => sum + definition.lines, 0);
    return { roots: group.map(({ name }) => name), lines };
  });
}

/** `llvm.compiler.used` and the like. */
const isOfLlvm = (name: string): boolean => name.startsWith('llvm.');

/** A definition with all that it needs. */
function reachableFrom(root: IrDefinition, byName: ReadonlyMap<string, IrDefinition>): Set<IrDefinition> {
  const reached = new Set([root]);
  // A set may grow while it is walked.
  for (const { mentions } of reached)
    for (const name of mentions) {
      const mentioned = byName.get(name);
      if (mentioned !== undefined) reached.add(mentioned);
    }
  return reached;
}
