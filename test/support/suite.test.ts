/** The tests' own tools: whatever runs is counted once, and what is lost or left out by mistake is a failure. */
import { spawnSync } from 'node:child_process';
import { longTests, MODES, neverRuns, nothingRuns, runsIn, type Mode } from './selection.js';
import { assert, suite, type FileReport } from './suite.js';

const test = suite('support/suite', { tests: 7 });

interface Outcome {
  /** Names of the tests that ran. */
  readonly ran: string[];
  readonly report: Omit<FileReport, 'seconds'>;
  readonly complaint: string | undefined;
}

/** Runs a file of tests that print their names. */
function run(mode: Mode, expected: number, body: string): Outcome {
  const tools = JSON.stringify(new URL('./suite.js', import.meta.url).href);
  const head = `import { suite } from ${tools};\nconst test = suite('file', { tests: ${expected} });\n`;
  const show = "const show = (name) => () => console.log('ran ' + name);\n";
  const { output } = spawnSync(process.execPath, ['--input-type=module', '--eval', head + show + body], {
    env: { ...process.env, DARM_TESTS: mode, DARM_TEST_REPORT_FD: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const [{ seconds: _, ...report }] = JSON.parse(output[3]!) as [FileReport];
  return {
    ran: [...output[1]!.matchAll(/ran (\w+)$/gm)].map(([, name]) => name!),
    report,
    complaint: /^suite file: (.*)$/m.exec(output[2]!)?.[1],
  };
}

const BODY = `
test('one', show('one'));
test.long('two', show('two'));
test('three', show('three'));
test.run();`;

test('every test runs in one of the two modes', () => {
  const outcomes = MODES.map((mode) => run(mode, 3, BODY));
  assert.equal(outcomes.map(({ ran }) => ran), [['one', 'three'], ['two'], ['one', 'two', 'three']]); // prettier-ignore
  assert.equal(
    outcomes.map(({ report }) => report),
    [
      { registered: 3, passed: 2, failed: 0, leftOut: 1 },
      { registered: 3, passed: 1, failed: 0, leftOut: 2 },
      { registered: 3, passed: 3, failed: 0, leftOut: 0 },
    ],
  );
  assert.equal(outcomes.map(({ complaint }) => complaint), [undefined, undefined, undefined]); // prettier-ignore
});

test('a test that is not registered, or twice, fails in every mode', () => {
  const lost = BODY.replace(/^test\.long.*$/m, '');
  const doubled = BODY.replace(/^(test\.long.*)$/m, '$1\n$1');
  for (const mode of MODES)
    for (const [body, registered] of [
      [lost, 2],
      [doubled, 4],
    ] as const) {
      const { report, complaint } = run(mode, 3, body);
      assert.is(report.failed, 1);
      assert.match(complaint!, new RegExp(`^3 tests expected, ${registered} registered`));
    }
});

test('what is registered and not left out has to run', () => {
  const never = BODY.replace('test.run();', '');
  for (const [mode, leftOut] of [
    ['quick', 1],
    ['long', 2],
    ['all', 0],
  ] as const) {
    const { report, complaint } = run(mode, 3, never);
    assert.equal(report, { registered: 3, passed: 0, failed: 1, leftOut });
    assert.is(complaint, `3 tests expected, 3 registered, 0 ran, ${leftOut} left out`);
  }
});

test('a file is started where it has tests, by its text', () => {
  const started = (text: string): Mode[] => MODES.filter((mode) => runsIn(text, mode));
  const head = "const test = suite('file', { tests: 2 });\n";
  const tail = 'test.run();\n// [test] (test) of /a/.test(text)\n';
  assert.equal(started(`${head}test('a', f);\n${tail}`), ['quick', 'all']);
  assert.equal(started(`${head}test.long('a', f);\n${tail}`), ['long', 'all']);
  assert.equal(started(`${head}test.long('a', f);\n    test('b', f);\n${tail}`), ['quick', 'long', 'all']);
  assert.equal(started(`${head}const register = isLarge ? test.long : test;\n${tail}`), ['quick', 'long', 'all']);
  // It registers none, and the runner says so.
  assert.equal(started(`${head}${tail}`), ['quick', 'all']);
});

test('tests that both modes leave out are noticed', () => {
  const quick = "test('a', f);";
  const long = "test.long('a', f);";
  assert.is(neverRuns(quick, 'quick', 1), true);
  assert.is(neverRuns(long, 'long', 1), true);
  for (const text of [quick, long, quick + long]) {
    assert.is(neverRuns(text, 'quick', 0), false);
    assert.is(neverRuns(text, 'long', 0), false);
  }
  assert.is(neverRuns(quick + long, 'quick', 1), false);
  assert.is(neverRuns(quick + long, 'long', 1), false);
});

test('a file that only has long tests says how many', () => {
  assert.is(longTests("suite('file', { tests: 12, timeoutMs: 1 })"), 12);
  assert.throws(() => longTests("suite('file', { tests: FEW.length })"), /in digits/);
});

test('when no file is started, the runner says whether any matches', () => {
  assert.is(nothingRuns(['x/', 'y'], 0), 'no test file below dist/test has x/ or y in its path');
  assert.match(nothingRuns(['x'], 3), /the files that match \(3\) have no long tests/);
});

test.run();
