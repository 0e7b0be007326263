/** docs/command.md lists the flags and options that there are. */
import { readFileSync } from 'node:fs';
import { DEFAULT_OPTIONS } from '../../src/job/options.js';
import { assert, suite } from '../support/suite.js';
import { commandReference, MARK, PAGE } from './command-reference.js';

const test = suite('docs/command.md', { tests: 2 });

test('the page is up to date: npm run docs:command writes it', () => {
  const [, made] = readFileSync(PAGE, 'utf8').split(MARK);
  assert.fixture(made!, commandReference());
});

test('every subcommand and every option is listed', () => {
  const reference = commandReference();
  for (const name of ['compile', 'batch', 'serve', 'analyze', 'inspect', 'run', 'check', 'bundle', 'cache', 'explore'])
    assert.match(reference, `### darm ${name}\n`);
  for (const name of Object.keys(DEFAULT_OPTIONS)) assert.match(reference, `| \`${name}\` |`);
});

test.run();
