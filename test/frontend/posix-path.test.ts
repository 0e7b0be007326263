/** Paths come out as Node's do. */
import path from 'node:path';
import fc from 'fast-check';
import { folderOf, joined, normalized } from '../../src/frontend/posix-path.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/posix-path', { tests: 1 });

const paths = fc
  .array(fc.constantFrom('a', 'b.h', '.', '..', '/', '//', '...', ' '), { maxLength: 8 })
  .map((steps) => steps.join(''));

test('the same as path.posix', () => {
  fc.assert(
    fc.property(paths, paths, (one, two) => {
      assert.is(normalized(one), path.posix.normalize(one));
      const clean = path.posix.normalize(one);
      assert.is(folderOf(clean), path.posix.dirname(clean), clean);
      if (one !== '' && two !== '') assert.is(joined(one, two), path.posix.join(one, two));
    }),
    { numRuns: 2000 },
  );
});

test.run();
