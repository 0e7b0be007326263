/** Graphs are well-formed whatever names hold, laid out by Graphviz itself, and say what they colour. */
import fc from 'fast-check';
import { graphDot } from '../../../src/report/graph/dot.js';
import { loadLayout } from '../../../src/report/graph/layout.js';
import { GRAPH_COLORS, PAIR_COLORS } from '../../../src/report/graph/palette.js';
import { tagsOf } from '../../../src/report/graph/tags.js';
import type { FunctionHistory } from '../../../src/job/history.js';
import { assert, suite } from '../../support/suite.js';
import { example, PLAIN } from '../../support/history.js';

const test = suite('report/graph/dot', { tests: 5, timeoutMs: 60_000 });

function dotOf(history: FunctionHistory, at: 0 | 1, instructions = false): string {
  const picture = at === 0 ? history.steps[0]!.before : history.after;
  const tags = tagsOf(history, at, picture);
  return graphDot(picture, { title: history.function, id: 'g', tags, instructions, link: ({ label }) => `#${label}` });
}

/** The lines of one block. */
const node = (dot: string, b: number): string => dot.split('\n').find((line) => line.startsWith(`  b${b} [`))!;

test('divergent branches have a colour, a word and thick edges', () => {
  const dot = dotOf(example(), 0);
  const { light } = GRAPH_COLORS.divergent;
  assert.match(node(dot, 0), `color="${light}", penwidth`);
  assert.match(node(dot, 0), 'divergent branch');
  assert.match(dot, new RegExp(`b0 -> b1 \\[.*taillabel="T".*color="${light}"`));
  assert.match(dot, new RegExp(`b0 -> b2 \\[.*taillabel="F".*color="${light}"`));
  for (const b of [1, 2, 3]) assert.not.match(node(dot, b), 'divergent');
  assert.not.match(dot, /b1 -> b3 \[.*taillabel/);
});

test('melded blocks are joined by colour and label', () => {
  const [before, after] = [dotOf(example(), 0), dotOf(example(), 1)];
  const fill = `fillcolor="${PAIR_COLORS[0]!.light}"`;
  for (const [text, said] of [
    [node(before, 1), 'M1 T'],
    [node(before, 2), 'M1 F'],
    [node(after, 0), 'holds M1'],
  ] as const) {
    assert.match(text, fill);
    assert.match(text, `>${said}<`);
    assert.match(text, /class="block( divergent)? tag-M1"/);
    assert.match(text, 'URL="#M1"');
  }
  for (const b of [0, 3]) assert.not.match(node(before, b), fill);
});

test('instructions, where they are asked for', () => {
  assert.match(node(dotOf(example(), 0), 1), '4 instructions');
  assert.match(node(dotOf(example(), 0, true), 1), 'store i32 %n, ptr %p, align 4<BR ALIGN="LEFT"/>');
});

test('the SVG follows the theme', async () => {
  const svg = (await loadLayout())(dotOf(example(), 0));
  assert.match(svg, /^<svg /);
  assert.is(svg.match(/class="node block/g)!.length, 4);
  assert.is(svg.match(/class="edge/g)!.length, 4);
  assert.not.match(svg, /(fill|stroke)="#/);
  assert.match(svg, 'style="fill:var(--pair-1);stroke:var(--line)"');
  assert.match(svg, 'stroke:var(--divergent)');
  assert.not.match(svg, /style="[^"]*"[^>]* style="/);
});

test.long('any name is laid out as it stands', async () => {
  const layout = await loadLayout();
  const hostile = fc.string({ unit: 'binary', maxLength: 12 });
  const nasty = fc.constantFrom(
    '"',
    '\\',
    '\\N',
    '<',
    '>',
    '&',
    '&lt;',
    ']]>',
    '-->',
    '|{}',
    '\n',
    '</TABLE>',
    '"];x[',
  );
  const name = fc.array(fc.oneof(hostile, nasty), { maxLength: 4 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(name, name, name, (fn, block, instruction) => {
      for (const instructions of [false, true]) {
        const svg = layout(dotOf(example({ ...PLAIN, fn, block, instruction }), 0, instructions));
        assert.is(svg.match(/class="node block/g)!.length, 4);
        assert.is(svg.match(/<svg /g)!.length, 1);
      }
    }),
    { numRuns: 100, seed: 5 },
  );
});

test.run();
