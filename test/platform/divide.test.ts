/** A module of four functions, of which two are cold, and what calls them in all the ways there are. */
import { loadWhenCalled } from '../../src/binding/cold.js';
import { DarmError } from '../../src/errors.js';
import { divide, type Divided } from '../../src/platform/divide.js';
import type { ColdCode } from '../../src/platform/interface.js';
import { CALLED, code, MODULE } from '../support/divided-module.js';
import { assert, suite } from '../support/suite.js';

const test = suite('platform/divide', { tests: 5 });

interface Instance {
  readonly table: WebAssembly.Table;
  call(place: number, argument: number): number;
}

function instantiate({ called, cold }: Divided, code: ColdCode = cold): Instance {
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 2 });
  const imports = { primary: { table, addOne: (value: number) => value + 1 } };
  const part = new WebAssembly.Instance(new WebAssembly.Module(called), imports);
  loadWhenCalled(part, code, imports);
  return { table, call: (place, argument) => (table.get(place) as (value: number) => number)(argument) };
}

test('each module is without the code of the other', () => {
  const { called, cold } = divide(MODULE, CALLED);
  const has = (module: Uint8Array, ...body: number[]): boolean =>
    Buffer.from(module).includes(Buffer.from(code(...body)));
  assert.ok(has(called, 0x20, 0, 0x10, 2) && has(called, 0x20, 0, 0x41, 2, 0x6c) && !has(called, 0x20, 0, 0x10, 0));
  assert.ok(has(cold, 0x20, 0, 0x10, 0) && has(cold, 0x20, 0, 0x10, 4) && !has(cold, 0x20, 0, 0x41, 2, 0x6c));
});

test('a cold function that is called directly is loaded once', () => {
  const { table, call } = instantiate(divide(MODULE, CALLED));
  const before = table.get(1) as unknown;
  assert.is(call(0, 5), 6);
  const after = table.get(1) as unknown;
  assert.is.not(after, before);
  assert.is(call(0, 7), 8);
  assert.is(table.get(1), after);
});

test('a cold function that is called through a table is loaded, and calls what is not cold', () => {
  const { call } = instantiate(divide(MODULE, CALLED));
  assert.is(call(1, 5), 10);
  assert.is(call(1, 6), 12);
  assert.is(call(0, 6), 7);
});

test('where nothing is cold, and where everything is, the functions compute the same', () => {
  for (const called of [0b1111, 0b0000]) {
    const { call } = instantiate(divide(MODULE, Uint8Array.from([called])));
    assert.equal([call(0, 5), call(1, 5)], [6, 10]);
  }
});

test('what cannot be loaded is an error within the call, after which the instance is of no use', () => {
  const { call } = instantiate(divide(MODULE, CALLED), { file: '/nowhere', bytes: 1, checked: null });
  try {
    call(0, 5);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^cannot load more of the compiler's code: cannot read \/nowhere/);
    assert.not.instance(error, DarmError);
  }
});

test.run();
