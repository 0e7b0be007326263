/** No name ends what it stands in, and none hides. */
import { escaped, visible } from '../../../src/report/html/escape.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('report/escape', { tests: 2 });

test('what HTML takes for its own', () => {
  assert.is(
    escaped(`</script><b a="1" c='2'>&amp;`),
    '&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;',
  );
  assert.is(escaped('größer\nals'), 'größer\nals');
});

test('characters that cannot be seen become numbers', () => {
  assert.is(visible('a\u0000b\u202ec\u200bd\ufffee\ud800'), 'a\\u{00}b\\u{202e}c\\u{200b}d\\u{fffe}e\\u{d800}');
  assert.is(visible('a\nb'), 'a\\u{0a}b');
  assert.is(visible('😀 é'), '😀 é');
});

test.run();
