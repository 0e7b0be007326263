/** How modules are divided into parts: without LLVM, from text. */
import { partitionModule } from '../../src/pipeline/partition.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/partition', { tests: 5 });

const kernel = (name: string, ...body: readonly string[]): string =>
  [`define amdgpu_kernel void @${name}(ptr %o) {`, ...body.map((line) => `  ${line}`), '  ret void', '}'].join('\n');
const module = (...definitions: readonly string[]): string => definitions.join('\n\n') + '\n';
const store = (name: string): string => `store i32 1, ptr @${name}`;
const FOUR = ['a', 'b', 'c', 'd'].map((name) => kernel(name));

test('as many parts as asked for, of equal sizes, in module order', () => {
  assert.equal(partitionModule(module(...FOUR), 2), [['a', 'c'], ['b', 'd']]); // prettier-ignore
  assert.equal(partitionModule(module(...FOUR), 16), [['a'], ['b'], ['c'], ['d']]);
  const large = kernel('large', ...Array.from({ length: 9 }, (_, n) => `%${n} = load i32, ptr %o`));
  assert.equal(partitionModule(module(...FOUR, large), 2), [['large'], ['a', 'b', 'c', 'd']]);
  assert.equal(partitionModule(module('@v = global i32 0', ...FOUR), 16).length, 4);
});

test('auto: the size of the module decides', () => {
  const large = (name: string): string => kernel(name, ...Array.from({ length: 3000 }, () => 'fence acquire'));
  const kernels = Array.from({ length: 40 }, (_, n) => large(`k${n}`));
  const count = (n: number): number => partitionModule(module(...kernels.slice(0, n)), 'auto').length;
  assert.equal([1, 2, 3, 6, 11, 40].map(count), [1, 1, 2, 4, 8, 8]);
});

test('constants, functions and LDS are in every part that needs them', () => {
  const shared = [
    '@lds = addrspace(3) global [64 x i32] poison',
    '@table = internal constant i32 7',
    'define internal void @help() {\n  store i32 1, ptr addrspace(3) @lds\n  ret void\n}',
  ];
  const needs = ['call void @help()', store('table'), 'store i32 1, ptr addrspace(3) @lds'];
  assert.equal(partitionModule(module(...shared, kernel('a', ...needs), kernel('b', ...needs)), 4), [['a'], ['b']]);
});

test('what has a state, or an address that is known outside, keeps those that need it together', () => {
  for (const variable of [
    '@v = internal global i32 0',
    '@v = addrspace(4) externally_initialized constant i32 0',
    '@v = addrspace(1) global i32 0',
  ]) {
    const help = 'define internal void @help() {\n  store i32 1, ptr @v\n  ret void\n}';
    const text = module(variable, help, kernel('a', store('v')), kernel('b'), kernel('c', 'call void @help()'));
    const owners = variable.includes('internal') ? ['a', 'c'] : ['v', 'a', 'c'];
    assert.equal(partitionModule(text, 4).map((part) => part.toSorted()).toSorted(), [owners.toSorted(), ['b']]); // prettier-ignore
  }
});

test('what stays whole', () => {
  const whole = (...more: readonly string[]): void => assert.equal(partitionModule(module(...FOUR, ...more), 4), []);
  whole('module asm ".globl x"');
  whole('@llvm.used = appending global [1 x ptr] [ptr @a], section "llvm.metadata"');
  whole('@llvm.compiler.used = appending global [1 x ptr] [ptr @a], section "llvm.metadata"');
  whole(
    '@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @a, ptr null }]',
  );
  whole('@other = alias void (ptr), ptr @a');
  whole(kernel('e', '%f = load ptr, ptr %o', 'call void %f(ptr @a)'));
  whole(kernel('e', '%r = tail call i32 (i32, ...) %"odd name"(i32 1)'));
  whole(kernel('"odd name"'));
  assert.is(partitionModule(module(...FOUR, kernel('e', 'call void asm sideeffect "v_nop %0(", ""()')), 5).length, 5);
});

test.run();
