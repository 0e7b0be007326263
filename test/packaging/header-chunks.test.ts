/** What of a header could be left out of it. */
import { chunksOf } from '../../packaging/header-chunks.js';
import { assert, suite } from '../support/suite.js';

const test = suite('packaging/header-chunks', { tests: 5 });

/** The functions of each chunk that could be left out. */
const functionsOf = (text: string): (readonly string[])[] =>
  chunksOf(text).flatMap(({ names }) => (names === null ? [] : [names]));

/** The text without these chunks. */
const restOf = (text: string): string =>
  chunksOf(text)
    .filter(({ names }) => names === null)
    .map(({ from, to }) => text.slice(from, to))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

test('definitions, declarations, templates, attributes, bodies with directives', () => {
  const text = `
// One line; with a semicolon.
__device__ static inline int first(int a) { return a ? second(a) : 0; }
extern "C" __device__ __attribute__((const)) float declared(unsigned);
template <typename T, typename std::enable_if<(sizeof(T) > 4)>::type* = nullptr>
__device__ T third(T a, void (*f)(T)) noexcept { struct S { int x; } s; return f(a) + s.x; }
template <> inline Format make<char4>() { return 0; }
__device__ void fourth() {
#if defined(A)
  one();
#else
  two();
#endif
}
`;
  assert.equal(functionsOf(text), [['first'], ['declared'], ['third'], ['make'], ['fourth']]);
  assert.is(restOf(text), '');
  const [first, , , , fourth] = chunksOf(text);
  assert.ok(first!.words.has('second'));
  assert.ok(fourth!.words.has('one') && fourth!.words.has('two') && fourth!.words.has('A'));
});

test('types, variables, operators, members, macros and namespaces stay', () => {
  const text = `
#define LIMIT(x) ((x) < 3)
struct S { int f() { return 1; } };
typedef int (*callback)(int);
__device__ int value = make(3);
S operator+(S a, S b) { return a; }
int S::member() { return 2; }
namespace inner {
enum { A = sizeof(int) };
void inside();
}
`;
  assert.equal(functionsOf(text), [['inside']]);
  assert.is(
    restOf(text),
    '#define LIMIT(x) ((x) < 3) struct S { int f() { return 1; } }; typedef int (*callback)(int); ' +
      '__device__ int value = make(3); S operator+(S a, S b) { return a; } int S::member() { return 2; } ' +
      'namespace inner { enum { A = sizeof(int) }; }',
  );
});

test('a chunk around half a condition, or with a definition of a macro, stays', () => {
  assert.equal(functionsOf('int f(int a\n#ifdef B\n, int b);\n#else\n);\n#endif\nint g();\n'), [['g']]);
  assert.equal(functionsOf('int f() {\n#define X 1\nreturn X; }\nint g();\n'), [['g']]);
});

test('calls of macros are the functions that they become', () => {
  const text = `
#define FUN(__type, __name) __device__ float __name(float __x) { return __name##f(__x); }
FUN(float, sine)
FUN(float, cosine)
namespace std {
using ::sine;
}
`;
  const chunks = chunksOf(text);
  assert.equal(functionsOf(text), [['sine'], ['cosine'], ['sine']]);
  assert.ok(chunks.find(({ names }) => names?.[0] === 'cosine')!.words.has('cosinef'));
  assert.is(chunks[0]!.macro, 'FUN');
});

test('no text is lost or taken twice', () => {
  const text = 'int a;\n/* one */ int f(); // two\n#if 1\nint g() { return h("}"); }\n#endif\n';
  const chunks = chunksOf(text);
  let at = 0;
  for (const { from, to } of chunks) {
    assert.is(from, at);
    at = to;
  }
  assert.is(text.slice(at).trim(), '');
  assert.equal(functionsOf(text), [['f'], ['g']]);
});

test.run();
