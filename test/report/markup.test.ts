/** No name ends what it stands in, and none hides. */
import { raw } from 'hono/html';
import { escaped, html } from '../../src/report/markup.js';
import { visible } from '../../src/report/visible.js';
import { assert, suite } from '../support/suite.js';

const test = suite('report/markup', { tests: 3 });

test('what has a meaning in markup is escaped', () => {
  assert.is(
    escaped(`</script><b a="1" c='2'>&amp;`),
    '&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;',
  );
  assert.is(escaped('größer\nals\u0007'), 'größer\nals\\u{07}');
});

test('characters that cannot be seen become numbers', () => {
  assert.is(visible('a\u0000b\u202ec\u200bd\ufffee\ud800'), 'a\\u{00}b\\u{202e}c\\u{200b}d\\u{fffe}e\\u{d800}');
  assert.is(visible('a\nb\rc'), 'a\nb\\u{0d}c');
  assert.is(visible('😀 é'), '😀 é');
});

test('templates escape text, and not the markup of other templates', () => {
  const item = (text: string) => html`<b>${text}</b>`;
  const list = html`<p title="${'"'}">${['<', '&'].map(item)}${raw('<br>')}${null}${0}</p>`;
  assert.is(list.toString(), '<p title="&quot;"><b>&lt;</b><b>&amp;</b><br>0</p>');
});

test.run();
