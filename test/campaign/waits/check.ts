/**
 * Checks the waits in assembly for AMD's targets. The hardware does not wait for memory by itself: an instruction that
 * uses what a load brings, and a barrier behind which other waves read what was stored, need a wait in front of them
 * (`s_waitcnt`). LLVM's pass SIInsertWaitcnts puts them there. The simulator does every memory operation at once, so it
 * cannot see that one is missing.
 *
 * A forward data flow over the basic blocks of a function, to a fixed point. Its fact is the set of operations that may
 * be outstanding, on some way to the place, each with a score: how many later ones cannot be done before it, at least.
 * A wait for at most n outstanding operations ends those with a score of n and more. Operations that are done in any
 * order keep the score 0, so they end only with a wait for all.
 *
 * It does not see: that a way is never taken; which addresses are the same, so no load into the LDS that the same wave
 * reads; fences and atomic operations that release, where no comment says so (random-kernels.ts); waits for exports.
 * From gfx10 on, it takes each barrier for one that releases all memory, as `__syncthreads()` does, or else each for
 * one that releases the LDS only, as OpenCL's does with `CLK_LOCAL_MEM_FENCE`.
 */
import { parseAssembly, type AssemblyFunction, type Block, type Instruction } from './assembly.js';
import { familyOf, type Family } from './counters.js';
import type { Access, Operation, Scope } from './operations.js';
import { registerName } from './registers.js';

export interface Fault {
  readonly function: string;
  readonly line: number;
  readonly what: string;
}

/** More than any counter counts: where as many are outstanding, the hardware waits. */
const MOST = 64;

/** The operations that may be outstanding, with their scores. */
type Outstanding = Map<Operation, number>;

interface Rules extends Family {
  /** Whether barriers release the LDS only. */
  readonly localBarriers: boolean;
}

/**
 * @param assembly as LLVM writes it, with comments
 * @param localBarriers whether barriers release the LDS only
 */
export function checkWaits(assembly: string, cpu: string, localBarriers = false): readonly Fault[] {
  const family: Rules = { ...familyOf(cpu), localBarriers };
  return parseAssembly(assembly, family).flatMap((each) => faultsOf(each, family));
}

function faultsOf({ name, isKernel, blocks }: AssemblyFunction, family: Rules): Fault[] {
  const incoming: (Outstanding | undefined)[] = blocks.map(() => undefined);
  incoming[0] = isKernel ? new Map() : atEntry(family);
  // In the order of the text, in which most ways lead.
  const next = new Set([0]);
  while (next.size > 0) {
    const block = Math.min(...next);
    next.delete(block);
    const outgoing = through(blocks[block]!, incoming[block]!, family);
    for (const successor of blocks[block]!.successors) {
      const known = incoming[successor];
      if (known === undefined) incoming[successor] = new Map(outgoing);
      else if (!merge(known, outgoing)) continue;
      next.add(successor);
    }
  }
  const faults: Fault[] = [];
  for (const [block, outstanding] of incoming.entries())
    if (outstanding !== undefined)
      through(blocks[block]!, outstanding, family, ({ line, text }, what) =>
        faults.push({ function: name, line, what: `${what}: ${text}` }),
      );
  return faults;
}

/** A caller waits only for what it needs itself. A function begins with a wait for all else, but for stores apart. */
function atEntry(family: Family): Outstanding {
  const { load, store, lds, scalar } = family;
  const begun = (counter: string, access: Access, destination: null | []): [Operation, number] => [
    { counter, kind: 'of the caller', overtakes: true, access, destination, line: 0 },
    0,
  ];
  return new Map([
    begun(load, 'load', null),
    begun(store, 'store', []),
    begun(lds, 'lds', null),
    begun(scalar, 'none', null),
  ]);
}

/** @returns whether anything is new */
function merge(known: Outstanding, more: Outstanding): boolean {
  let changed = false;
  for (const [operation, score] of more) {
    const before = known.get(operation);
    if (before !== undefined && before <= score) continue;
    known.set(operation, score);
    changed = true;
  }
  return changed;
}

type Report = (instruction: Instruction, what: string) => void;

/** What is outstanding behind a block. */
function through(block: Block, incoming: Outstanding, family: Rules, report?: Report): Outstanding {
  const outstanding: Outstanding = new Map(incoming);
  let [before, lastAccess]: (readonly Operation[])[] = [[], []];
  for (const instruction of block.instructions) {
    const { effect } = instruction;
    if (report) {
      const place = { outstanding, before: before!, lastAccess: lastAccess! };
      for (const what of wrongAt(instruction, place, family)) report(instruction, what);
    }
    advance(instruction, outstanding);
    if (effect.kind !== 'wait') before = effect.kind === 'begin' ? effect.operations : [];
    if (before!.some(({ access }) => access !== 'none')) lastAccess = before;
  }
  return outstanding;
}

function advance({ effect }: Instruction, outstanding: Outstanding): void {
  if (effect.kind === 'wait') {
    for (const { counter, count } of effect.limits)
      for (const [operation, score] of outstanding)
        if (operation.counter === counter && score >= count) outstanding.delete(operation);
  } else if (effect.kind === 'begin' || effect.kind === 'invalidate')
    for (const operation of effect.operations) {
      if (!operation.overtakes)
        for (const [older, score] of outstanding)
          if (older.counter === operation.counter && older.kind === operation.kind)
            outstanding.set(older, Math.min(score + 1, MOST));
      // It may also be outstanding from the turn of a loop before. That one is done no later.
      outstanding.set(operation, 0);
    }
  else if (effect.kind === 'call') {
    // The function has waited for all else, at its beginning or before its return.
    outstanding.clear();
    for (const operation of effect.operations) outstanding.set(operation, 0);
  }
}

interface Place {
  readonly outstanding: Outstanding;
  /** What the instruction directly in front of it begins, but for waits. */
  readonly before: readonly Operation[];
  /** What the last access to memory in the same block began. */
  readonly lastAccess: readonly Operation[];
}

function wrongAt(instruction: Instruction, { outstanding, before, lastAccess }: Place, family: Rules): string[] {
  const { effect } = instruction;
  const wrong: string[] = [];
  const used = new Set(instruction.registers);
  for (const { destination, line } of outstanding.keys()) {
    const half = destination === null ? instruction.registers[0] : destination.find((each) => used.has(each));
    if (half === undefined) continue;
    wrong.push(`${registerName(half)} is not there yet, see line ${line}`);
    break;
  }
  const complain = (what: string, ...accesses: readonly Access[]): void => {
    const found = [...outstanding.keys()].find(({ access }) => accesses.includes(access));
    if (found !== undefined) wrong.push(`${what} with an outstanding ${NAMES[found.access]}, see line ${found.line}`);
  };
  switch (effect.kind) {
    case 'unknown':
      wrong.push('unknown');
      break;
    case 'begin':
      for (const operation of effect.operations) wrong.push(...overtaken(operation, effect.operations, outstanding));
      // The store may be the one that tells others that they can read.
      if (effect.isWrite) complain('store', 'write-back');
      break;
    case 'barrier':
      // There is no write-back but for a fence, which stands in front of the barrier then.
      complain('barrier', ...(family.localBarriers ? IN_LDS : releasedTo('workgroup', family)), 'write-back');
      break;
    case 'fence':
      complain(`${effect.scope} fence`, ...releasedTo(effect.scope, family));
      break;
    case 'atomic': {
      const accesses = releasedTo(effect.scope, family);
      const older = [...outstanding.keys()].find(
        (each) => accesses.includes(each.access) && !lastAccess.includes(each),
      );
      if (older !== undefined && lastAccess.length > 0)
        wrong.push(
          `${effect.scope} release by an atomic with an outstanding ${NAMES[older.access]}, see line ${older.line}`,
        );
      break;
    }
    case 'volatile':
      complain('end of a volatile access', effect.access);
      break;
    case 'invalidate':
      wrong.push(...acquiredTooEarly(outstanding, before));
      break;
    case 'return':
      wrong.push(...leftBehind(outstanding, family));
  }
  return wrong;
}

const NAMES: Readonly<Record<Access, string>> = {
  none: 'operation',
  lds: 'access to the LDS',
  load: 'load',
  store: 'store',
  direct: 'load into the LDS',
  'write-back': 'write-back',
};

/** Registers that an older operation may write after a new one has. */
function overtaken(operation: Operation, all: readonly Operation[], outstanding: Outstanding): string[] {
  const own = new Set(operation.destination);
  if (own.size === 0) return [];
  return [...outstanding.keys()].flatMap((older) => {
    const inOrder = all.every(
      ({ counter, kind, overtakes }) => !overtakes && older.counter === counter && older.kind === kind,
    );
    if (inOrder) return [];
    const half =
      older.destination === null ? operation.destination![0] : older.destination.find((each) => own.has(each));
    return half === undefined ? [] : [`${registerName(half)} may be overwritten by line ${older.line}`];
  });
}

const IN_LDS = ['lds', 'direct'] as const;

/**
 * What a release makes visible. The waves of a workgroup share the LDS. Before gfx10 they share a first-level cache,
 * too, which does one access after the other. Since then they may be on two compute units, each with a cache of its
 * own ("WGP mode"); where they are not, others have to be able to pass on what they have seen.
 */
function releasedTo(scope: Scope, { generation }: Family): readonly Access[] {
  if (scope === 'workgroup' && generation === 9) return IN_LDS;
  return [...IN_LDS, 'load', 'store', 'write-back'];
}

/**
 * What is read behind an invalidation of a cache has to be younger than what found that others have stored: the atomic
 * in front of it, or else, for a fence, any load.
 */
function acquiredTooEarly(outstanding: Outstanding, before: readonly Operation[]): string[] {
  const late =
    before.length > 0
      ? before.find((each) => each.access !== 'none' && outstanding.has(each))
      : [...outstanding.keys()].find(({ access }) => access === 'load');
  return late === undefined ? [] : [`invalidation with an outstanding ${NAMES[late.access]}, see line ${late.line}`];
}

/** A function returns with nothing outstanding but stores, where they have a counter of their own. */
const leftBehind = (outstanding: Outstanding, { load, store }: Family): string[] =>
  [...outstanding.keys()]
    .filter(({ counter, access, destination }) => {
      const nothing = access === 'none' && destination?.length === 0;
      return !nothing && (counter !== store || store === load);
    })
    .map(({ access, line }) => `return with an outstanding ${NAMES[access]}, see line ${line}`);
