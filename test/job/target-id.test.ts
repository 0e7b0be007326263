import { DarmError } from '../../src/errors.js';
import { parseTargetId, withSettings } from '../../src/job/target-id.js';
import { assert, suite } from '../support/suite.js';

const test = suite('job/target-id', { tests: 3 });

test('a processor and features that are on or off', () => {
  assert.equal(parseTargetId(null), { cpu: '', features: '' });
  assert.equal(parseTargetId('gfx906'), { cpu: 'gfx906', features: '' });
  assert.equal(parseTargetId('gfx10-1-generic:xnack+'), { cpu: 'gfx10-1-generic', features: '+xnack' });
  assert.equal(parseTargetId('gfx90a:sramecc+:xnack-'), { cpu: 'gfx90a', features: '+sramecc,-xnack' });
});

test('what a target id says itself stays', () => {
  const settings = new Map([
    ['xnack', '-'],
    ['sramecc', '+'],
  ]);
  assert.is(withSettings('gfx90a', settings), 'gfx90a:sramecc+:xnack-');
  assert.is(withSettings('gfx90a:xnack+', settings), 'gfx90a:xnack+:sramecc+');
  assert.is(withSettings('gfx90a:sramecc-', new Map()), 'gfx90a:sramecc-');
  // What a processor does not have is off.
  assert.is(withSettings('gfx1100', new Map([['xnack', '-']])), 'gfx1100');
  assert.throws(() => withSettings('gfx1100', settings), /^-msramecc: gfx1100 has no sramecc$/);
});

test('what is no target id', () => {
  for (const [text, reason] of [
    ['', /names no processor/],
    ['gfx906,gfx908', /are several targets/],
    ['native', /darm looks for no GPU; name its processor/],
    ['GFX90A:xnack+', /processors have small letters, 'gfx90a'/],
    ['gfx90a:foo+', /expected PROCESSOR/],
    ['gfx90a:xnack', /expected PROCESSOR/],
    ['gfx906:xnack+:xnack-', /names xnack twice/],
    ['gfx1030:xnack+', /gfx1030 has no xnack/],
    ['gfx900:xnack+:sramecc-', /gfx900 has no sramecc/],
    ['gfx90a:xnack+:sramecc+:xnack+', /names xnack twice/],
  ] as const)
    assert.throws(
      () => parseTargetId(text),
      (error: unknown) => error instanceof DarmError && error.code === 'usage' && reason.test(error.message),
    );
});

test.run();
