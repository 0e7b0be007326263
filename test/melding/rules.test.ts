import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RULES, refusal, ruleName, type RuleName } from '../../src/melding/rules.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('melding/rules', { tests: 4 });

const entries = Object.entries(RULES);
const page = (name: string): string => readFileSync(path.join(REPOSITORY, 'docs', name), 'utf8');

/** The cells of those table rows of a page whose first cell is a rule id. */
const tableRows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));

test('ids and names are those that machines rely on', () => {
  assert.equal(
    entries.map(([name, { id }]) => `${id} ${name}`),
    [
      '1.1 UnsuitableBranch',
      '1.2 NoCommonJoin',
      '1.3 NotDominatedByBranch',
      '1.4 UnstructuredControlFlow',
      '1.5 ConvergentOperation',
      '1.6 MayWaitForThreads',
      '1.7 UnsupportedConstruct',
      '2 NothingInCommon',
      '3 UnselectableOperand',
      '4 ScopedMarkers',
      '5 DifferentControlFlow',
      '7 NotProfitable',
      '9 OverlongChain',
    ],
  );
});

test('a refusal carries the id of its rule, and the id leads back to the name', () => {
  for (const [name, { id }] of entries) {
    assert.equal(refusal(name as RuleName, 'why'), { rule: id, reason: 'why' });
    assert.is(ruleName(id), name);
  }
});

test('docs/remarks.md has the same table', () => {
  assert.equal(
    tableRows(page('remarks.md')),
    entries.map(([name, { id, sentence }]) => [id, `\`${name}\``, sentence]),
  );
});

test('docs/melding.md has a heading for every rule, in order', () => {
  const headings = page('melding.md').match(/(?<=^#+ )[\d.]+ .*`\w+`$/gm) ?? [];
  assert.equal(
    headings.map((heading) => heading.replace(/^([\d.]*\d)\.? .*`(\w+)`$/, '$1 $2')),
    entries.map(([name, { id }]) => `${id} ${name}`),
  );
});

test.run();
