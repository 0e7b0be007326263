/**
 * Remarks as text, in LLVM's YAML format for optimisation remarks (`clang -fsave-optimization-record`): a stream of
 * documents that opt-viewer and llvm-remarkutil read. docs/remarks.md describes it.
 *
 * LLVM's reader takes scalars as they stand between single quotes, so text is never folded and never in double quotes
 * unless it holds control characters.
 */
import { Document, Scalar, YAMLMap } from 'yaml';
import type { MeldKind } from '../../melding/plan.js';
import { ruleName } from '../../melding/rules.js';
import type { CandidateRemark, FailureRemark, FunctionRemark, Remark } from '../../job/remarks.js';

const MELDS: Readonly<Record<MeldKind, string>> = {
  'block-block': 'BlockBlock',
  'region-region': 'RegionRegion',
  'block-region': 'BlockRegion',
};

/** In front of a name it tells code generation to take the name as it is; it is no part of it. */
const MANGLING_ESCAPE = '\u0001';

/** A piece of a remark's message, with the key it has as an argument. */
type Piece = readonly [key: string, text: string];

interface Written {
  readonly tag: 'Passed' | 'Missed' | 'Failure' | 'Analysis';
  readonly name: string;
  /** Their texts make the message. */
  readonly pieces: readonly Piece[];
}

/** All remarks, as the text of a YAML file. */
export function remarksText(remarks: readonly Remark[]): string {
  return remarks.map(documentText).join('');
}

function documentText(remark: Remark): string {
  const { tag, name, pieces } = written(remark);
  const map = new YAMLMap<string, unknown>();
  map.set('Pass', 'darm');
  map.set('Name', name);
  if (remark.location !== null) {
    const { file, line, column } = remark.location;
    const place = new YAMLMap<string, unknown>();
    place.flow = true;
    place.set('File', quoted(file));
    place.set('Line', line);
    place.set('Column', column);
    map.set('DebugLoc', place);
  }
  map.set('Function', text(functionName(remark.function)));
  map.set(
    'Args',
    pieces.map(([key, value]) => ({ [key]: quoted(value) })),
  );
  const body = new Document(map).toString({ singleQuote: true, lineWidth: 0, indentSeq: true });
  return `--- !${tag}\n${body}...\n`;
}

const functionName = (name: string): string => (name.startsWith(MANGLING_ESCAPE) ? name.slice(1) : name);

function quoted(value: string): Scalar {
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}

/** Plain where that reads back as the same text. */
const text = (value: string): Scalar | string => (/^[A-Za-z_][\w.$]*$/.test(value) ? value : quoted(value));

function written(remark: Remark): Written {
  switch (remark.kind) {
    case 'passed':
      return { tag: 'Passed', name: `${MELDS[remark.meld]}Melded`, pieces: meldPieces(remark) };
    case 'missed':
      return { tag: 'Missed', name: remark.rule ? ruleName(remark.rule) : 'NotMelded', pieces: refusalPieces(remark) };
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
const netPieces = ({ net }: CandidateRemark): Piece[] => [say('; cycles saved '), ['Net', figure(net)]];

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
    say('cycles saved '),
    ['CyclesSaved', figure(remark.cyclesSaved)],
    say(', switches lowered '),
    ['SwitchesLowered', String(remark.switchesLowered)],
  ];
}

/** At most three decimals. */
const figure = (value: number): string => String(Math.round(value * 1000) / 1000);
