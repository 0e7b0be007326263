/** Remarks as YAML: the documents read back as what went in, in the form that LLVM's own reader takes. */
import { parseAllDocuments, type Document } from 'yaml';
import type { CandidateRemark, FunctionRemark, Remark, SwitchRemark } from '../../../src/job/remarks.js';
import { RULES } from '../../../src/melding/rules.js';
import { remarksText } from '../../../src/report/yaml/remarks.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('report/remarks', { tests: 9 });

const MELD: CandidateRemark = {
  kind: 'passed',
  function: 'kernel',
  location: { file: 'kernel.hip', line: 12, column: 7 },
  round: 2,
  branch: '%entry',
  sides: [['%if.then', '%if.end'], ['%if.else']],
  meld: 'block-region',
  profit: 0.43758,
  net: 95.25,
  netUnit: 'cycles',
  rule: null,
  reason: 'profitable',
};
const REFUSAL: CandidateRemark = {
  ...MELD,
  kind: 'missed',
  location: null,
  profit: 0,
  net: 0,
  rule: '1.5',
  reason: 'the subgraph holds a convergent operation',
};
const SUMMARY: FunctionRemark = {
  kind: 'analysis',
  function: 'kernel',
  location: null,
  divergentBranches: 3,
  candidates: 4,
  melds: { 'block-block': 2, 'region-region': 0, 'block-region': 1 },
  saved: 120.5,
  netUnit: 'cycles',
  switchesLowered: 1,
  sidesHoisted: 0,
};

type Fields = Record<string, unknown> & { Args: Record<string, string>[] };

const parse = (text: string): Document[] => parseAllDocuments(text, { logLevel: 'silent' }) as Document[];
const fields = (remark: Remark): Fields => parse(remarksText([remark]))[0]!.toJS() as Fields;
const argument = (remark: Remark, key: string): string | undefined =>
  fields(remark).Args.find((each) => key in each)?.[key];
const message = (remark: Remark): string =>
  fields(remark)
    .Args.flatMap((each) => Object.values(each))
    .join('');

test('a stream of tagged documents', () => {
  const text = remarksText([MELD, REFUSAL, SUMMARY, { ...REFUSAL, kind: 'failure' }]);
  assert.equal(text.match(/^---.*$/gm), ['--- !Passed', '--- !Missed', '--- !Analysis', '--- !Failure']);
  assert.is(text.match(/^\.\.\.$/gm)!.length, 4);
  const documents = parse(text);
  assert.equal(
    documents.map(({ contents, errors }) => [contents!.tag, errors.length]),
    ['!Passed', '!Missed', '!Analysis', '!Failure'].map((tag) => [tag, 0]),
  );
  for (const document of documents) assert.is((document.toJS() as Fields)['Pass'], 'darm');
  assert.is(remarksText([]), '');
});

const KEPT: SwitchRemark = {
  kind: 'switch',
  function: 'kernel',
  location: MELD.location,
  branch: '%entry',
  destinations: 21,
  reason: 'it has 21 destinations',
};

test('a switch that stays', () => {
  assert.match(remarksText([KEPT]), /^--- !Missed\n/);
  assert.equal([fields(KEPT)['Name'], fields(KEPT)['DebugLoc']], ['SwitchKept', fields(MELD)['DebugLoc']]);
  assert.equal(
    ['Branch', 'Destinations', 'Reason'].map((key) => argument(KEPT, key)),
    ['%entry', '21', 'it has 21 destinations'],
  );
});

test('a switch that became branches', () => {
  const { reason: _, ...lowered } = { ...KEPT, kind: 'lowered' as const };
  assert.match(remarksText([lowered]), /^--- !Passed\n/);
  assert.is(fields(lowered)['Name'], 'SwitchLowered');
  assert.equal(
    ['Branch', 'Destinations'].map((key) => argument(lowered, key)),
    ['%entry', '21'],
  );
});

test('a meld', () => {
  const { Name, DebugLoc, Function: fn, Args } = fields(MELD);
  assert.equal([Name, fn], ['BlockRegionMelded', 'kernel']);
  assert.equal(DebugLoc, { File: 'kernel.hip', Line: 12, Column: 7 });
  for (const each of Args) assert.type(Object.values(each)[0], 'string');
  assert.equal(
    ['TrueSide', 'FalseSide', 'Branch', 'Profit', 'Net', 'Round'].map((key) => argument(MELD, key)),
    ['%if.then %if.end', '%if.else', '%entry', '0.438', '95.25', '2'],
  );
  assert.is(
    message(MELD),
    'melded %if.then %if.end with %if.else, parted by the branch in %entry; profitability 0.438; cycles saved 95.25; round 2',
  );
  const planned = { ...MELD, round: null };
  assert.match(message(planned), /^would meld /);
  assert.is(argument(planned, 'Round'), undefined);
});

test('a refusal', () => {
  assert.is(fields(REFUSAL)['Name'], 'ConvergentOperation');
  assert.is(fields(REFUSAL)['DebugLoc'], undefined);
  assert.equal([argument(REFUSAL, 'Rule'), argument(REFUSAL, 'Reason')], ['1.5', REFUSAL.reason]);
  assert.equal([argument(REFUSAL, 'Profit'), argument(REFUSAL, 'Net')], [undefined, undefined]);
  const unprofitable: CandidateRemark = { ...REFUSAL, rule: '7', profit: 0.3, net: -12 };
  assert.is(fields(unprofitable)['Name'], 'NotProfitable');
  assert.equal([argument(unprofitable, 'Profit'), argument(unprofitable, 'Net')], ['0.3', '-12']);
});

test('a refusal has the name of its rule', () => {
  for (const [name, { id }] of Object.entries(RULES)) {
    assert.is(fields({ ...REFUSAL, rule: id })['Name'], name);
    assert.is(argument({ ...REFUSAL, rule: id }, 'Rule'), id);
  }
});

test('a summary', () => {
  assert.is(fields(SUMMARY)['Name'], 'MeldingSummary');
  assert.is(
    message(SUMMARY),
    '3 divergent branches, 4 candidates; melds: 2 block-block, 0 region-region, 1 block-region, ' +
      'cycles saved 120.5, switches lowered 1, sides hoisted 0',
  );
  assert.equal([argument(SUMMARY, 'BlockRegion'), argument(SUMMARY, 'SwitchesLowered')], ['1', '1']);
});

test('names that are no plain YAML', () => {
  for (const name of ['null', 'true', '1e3', 'a b', 'a: b', "it's", '"q"', '#x', '- x', '_Z3fooPi', 'größe', 'a\nb']) {
    const remark = { ...MELD, function: name, branch: name, location: { file: name, line: 1, column: 1 } };
    assert.is(fields(remark)['Function'], name);
    assert.is(argument(remark, 'Branch'), name);
    assert.equal((fields(remark)['DebugLoc'] as { File: string }).File, name);
  }
  assert.is(fields({ ...MELD, function: '\x01_raw' })['Function'], '_raw');
});

test('scalars stay on one line, in single quotes: LLVM reads them as they stand', () => {
  const long = Array.from({ length: 100 }, (_, i) => `%block.${i}`);
  const text = remarksText([{ ...MELD, sides: [long, ["%it's"]], location: { ...MELD.location!, file: 'a b' } }]);
  assert.match(text, `  - TrueSide: '${long.join(' ')}'\n`);
  assert.match(text, "  - FalseSide: '%it''s'\n");
  assert.match(text, "DebugLoc: { File: 'a b', Line: 12, Column: 7 }\n");
  assert.match(text, "  - Net: '95.25'\n");
});

test.run();
