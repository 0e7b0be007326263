/** What is made when it is first asked for. */
import { Retried } from '../../src/compiler/retried.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/retried', { tests: 2 });

const failure = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);

test('a value is made once, a failure again', async () => {
  let calls = 0;
  const retried = new Retried(async () => {
    if (++calls === 1) throw new Error('first');
    return calls;
  });
  assert.match(String(await failure(retried.get())), /first/);
  assert.is(await retried.get(), 2);
  assert.is(await retried.get(), 2);
  assert.is(await retried.take(), 2);
  assert.is(await retried.get(), 3);
});

test('callers at the same time share one attempt', async () => {
  let calls = 0;
  const retried = new Retried(async () => {
    calls++;
    throw new Error('no');
  });
  await Promise.all([failure(retried.get()), failure(retried.get())]);
  assert.is(calls, 1);
});

test.run();
