/** Remarks in words: what LLVM's tools show of a record, and the explorer as a sentence. */
import type { MeldKind } from '../melding/plan.js';
import { ruleName } from '../melding/rules.js';
import type {
  CandidateRemark,
  FailureRemark,
  FunctionRemark,
  LoweredRemark,
  Remark,
  SwitchRemark,
} from '../job/remarks.js';

const MELDS: Readonly<Record<MeldKind, string>> = {
  'block-block': 'BlockBlock',
  'region-region': 'RegionRegion',
  'block-region': 'BlockRegion',
};

/** A piece of a remark's message, with the key it has as an argument. */
export type Piece = readonly [key: string, text: string];

export interface WrittenRemark {
  readonly tag: 'Passed' | 'Missed' | 'Failure' | 'Analysis';
  readonly name: string;
  /** Their texts make the message. */
  readonly pieces: readonly Piece[];
}

/** A remark's message without names for its pieces. */
export const remarkSentence = (remark: Remark): string =>
  writtenRemark(remark)
    .pieces.map(([, text]) => text)
    .join('');

export function writtenRemark(remark: Remark): WrittenRemark {
  switch (remark.kind) {
    case 'passed':
      return { tag: 'Passed', name: `${MELDS[remark.meld]}Melded`, pieces: meldPieces(remark) };
    case 'missed':
      return { tag: 'Missed', name: remark.rule ? ruleName(remark.rule) : 'NotMelded', pieces: refusalPieces(remark) };
    case 'switch':
      return { tag: 'Missed', name: 'SwitchKept', pieces: keptPieces(remark) };
    case 'lowered':
      return { tag: 'Passed', name: 'SwitchLowered', pieces: loweredPieces(remark) };
    case 'failure':
      return { tag: 'Failure', name: 'MeldingFailed', pieces: failurePieces(remark) };
    case 'analysis':
      return { tag: 'Analysis', name: 'MeldingSummary', pieces: summaryPieces(remark) };
  }
}

const say = (words: string): Piece => ['String', words];

function candidatePieces({ branch, sides }: CandidateRemark): Piece[] {
  return [
    ['TrueSide', sides[0].join(' ')],
    say(' with '),
    ['FalseSide', sides[1].join(' ')],
    say(', parted by the branch in '),
    ['Branch', branch],
  ];
}

const profitPieces = ({ profit }: CandidateRemark): Piece[] => [say('; profitability '), ['Profit', figure(profit)]];
const netPieces = ({ net, netUnit }: CandidateRemark): Piece[] => [say(`; ${netUnit} saved `), ['Net', figure(net)]];

const roundPieces = ({ round }: CandidateRemark): Piece[] =>
  round === null ? [] : [say('; round '), ['Round', String(round)]];

function meldPieces(remark: CandidateRemark): Piece[] {
  const verb = remark.round === null ? 'would meld ' : 'melded ';
  return [say(verb), ...candidatePieces(remark), ...profitPieces(remark), ...netPieces(remark), ...roundPieces(remark)];
}

function refusalPieces(remark: CandidateRemark): Piece[] {
  const { rule, reason, profit, net } = remark;
  return [
    say('did not meld '),
    ...candidatePieces(remark),
    say(': '),
    ['Reason', reason],
    ...(rule === null ? [] : [say(' (rule '), ['Rule', rule] as const, say(')')]),
    // A refusal may come before the figures are known.
    ...(profit === 0 ? [] : profitPieces(remark)),
    ...(net === 0 ? [] : netPieces(remark)),
    ...roundPieces(remark),
  ];
}

const switchPieces = (verb: string, { branch, destinations }: SwitchRemark | LoweredRemark): Piece[] => [
  say(`${verb} a chain of branches of the switch in `),
  ['Branch', branch],
  say(' with '),
  ['Destinations', String(destinations)],
];

const loweredPieces = (remark: LoweredRemark): Piece[] => [...switchPieces('made', remark), say(' destinations')];

const keptPieces = (remark: SwitchRemark): Piece[] => [
  ...switchPieces('did not make', remark),
  say(' destinations: '),
  ['Reason', remark.reason],
];

const failurePieces = ({ reason }: FailureRemark): Piece[] => [say('melding stopped: '), ['Reason', reason]];

function summaryPieces(remark: FunctionRemark): Piece[] {
  return [
    ['DivergentBranches', String(remark.divergentBranches)],
    say(' divergent branches, '),
    ['Candidates', String(remark.candidates)],
    say(' candidates; melds: '),
    ...Object.entries(remark.melds).flatMap(([kind, count]) => [
      [MELDS[kind as MeldKind], String(count)] as const,
      say(` ${kind}, `),
    ]),
    say(`${remark.netUnit} saved `),
    [remark.netUnit === 'bytes' ? 'BytesSaved' : 'CyclesSaved', figure(remark.saved)],
    say(', switches lowered '),
    ['SwitchesLowered', String(remark.switchesLowered)],
    say(', sides hoisted '),
    ['SidesHoisted', String(remark.sidesHoisted)],
  ];
}

/** At most three decimals. */
const figure = (value: number): string => String(Math.round(value * 1000) / 1000);
