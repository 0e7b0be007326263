/** A small history for tests of reports: a diamond whose sides meld, `b0 → b1, b2 → b3`, becomes one block. */
import type { BlockId, InstrId } from '../../src/ir/ids.js';
import type { Candidate, Meld } from '../../src/melding/plan.js';
import type { FunctionHistory, FunctionPicture } from '../../src/job/history.js';
import type { FunctionReport } from '../../src/job/results.js';

export interface Names {
  readonly fn: string;
  /** Name of the block with the divergent branch. */
  readonly block: string;
  /** Text of an instruction of the true side. */
  readonly instruction: string;
  readonly reason: string;
}

export const PLAIN: Names = {
  fn: 'kernel',
  block: '%entry',
  instruction: '%a = add i32 %x, %y, !tbaa !3',
  reason: 'costs more than it saves',
};

const id = <T extends number>(value: number) => value as T;

const MELD: Meld = {
  kind: 'block-block',
  branch: id<BlockId>(0),
  host: 't',
  guestEntry: 0,
  entryLeaves: -1,
  blocks: [
    {
      t: id<BlockId>(1),
      f: id<BlockId>(2),
      swapped: false,
      takes: null,
      passed: true,
      leaves: [0],
      phis: [],
      alignment: [
        { t: id<InstrId>(2), f: id<InstrId>(6), swapped: true },
        { t: id<InstrId>(3), f: -1, speculate: true },
        { t: id<InstrId>(4), f: -1 },
      ],
    },
  ],
  exit: { kind: 'single', t: id<BlockId>(3), f: id<BlockId>(3) },
  before: { t: [], f: [] },
  profit: 0.25,
  net: 12.3456,
};

export function example(names: Names = PLAIN): FunctionHistory {
  const block = (name: string, first: number, successors: number[], identity: number, divergent = false) => ({
    name,
    first: id<InstrId>(first),
    successors: successors as BlockId[],
    divergent,
    identity,
    holds: [],
  });
  const refused: Candidate = {
    branch: id<BlockId>(0),
    sides: [[id<BlockId>(0)], [id<BlockId>(0)]],
    kind: 'block-block',
    profit: 0,
    net: 0,
    verdict: 'refuse',
    rule: '7',
    reason: names.reason,
  };
  const before: FunctionPicture = {
    blocks: [
      block(names.block, 0, [1, 2], 0, true),
      block('%t', 2, [3], 1),
      block('%f', 6, [3], 2),
      block('%join', 8, [], 3),
    ],
    instructions: [
      '%c = trunc i32 %x to i1',
      'br i1 %c, label %t, label %f',
      names.instruction,
      '%n = mul i32 %a, 3',
      'store i32 %n, ptr %p, align 4',
      'br label %join',
      '%b = add i32 %y, %x',
      'br label %join',
      'ret void',
    ],
    lines: [],
    candidates: [],
  };
  const after: FunctionPicture = {
    blocks: [{ ...block(names.block, 0, [], 0), holds: [{ step: 0, meld: 0, block: 0 }] }],
    instructions: [names.instruction, 'ret void'],
    lines: [],
    candidates: [refused],
  };
  const selects = [{ t: id<InstrId>(2), f: id<InstrId>(6), operands: [0, 1] }];
  return {
    function: names.fn,
    steps: [{ before, lowered: [], melds: [MELD], selects }],
    after,
    netUnit: 'cycles',
    bailout: null,
  };
}

/** A chain of blocks. */
export const chain = (length: number): FunctionPicture => ({
  blocks: Array.from({ length }, (_, b) => ({
    name: `%${b}`,
    first: id<InstrId>(b),
    successors: b + 1 < length ? [id<BlockId>(b + 1)] : [],
    divergent: false,
    identity: b,
    holds: [],
  })),
  instructions: Array.from({ length }, () => 'br'),
  lines: [],
  candidates: [],
});

export const reportOf = (name: string): FunctionReport => ({
  name,
  melds: [{ kind: 'block-block', profit: 0.25, net: 12.3456 }],
  netUnit: 'cycles',
  switchesLowered: 0,
  sidesHoisted: 0,
  before: { divergentBranches: 1, instructions: 9, machineInstructions: 40 },
  after: { divergentBranches: 0, instructions: 2, machineInstructions: 30 },
  bailout: null,
});
