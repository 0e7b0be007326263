/** Tickets and slots: which requests are refused, which wait and in what order, and that none is lost. */
import { Admission } from '../../src/service/admission.js';
import { assert, suite } from '../support/suite.js';
import { settle } from '../support/service.js';

const test = suite('service/admission', { tests: 6 });

const LIMITS = { concurrency: 1, queue: 2, queueTimeout: 0 };
const never = new AbortController().signal;
const CALL = { signal: never, patient: false };
const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'ok';
};

/** A job that ends when the test says so. */
function held(): { job: () => Promise<void>; end: () => void } {
  let end = (): void => {};
  const done = new Promise<void>((resolve) => (end = resolve));
  return { job: () => done, end };
}

test('as many tickets as jobs may run or wait; each is given back once', () => {
  const admission = new Admission(LIMITS);
  const leave = [admission.enter(), admission.enter(), admission.enter()];
  assert.is(
    refusal(() => admission.enter()),
    'overloaded',
  );
  leave[0]!();
  leave[0]!();
  assert.is(admission.tickets, 2);
  admission.enter();
  assert.is(
    refusal(() => admission.enter()),
    'overloaded',
  );
});

test('first come, first served, never more than may run', async () => {
  const admission = new Admission({ ...LIMITS, concurrency: 2 });
  const order: number[] = [];
  let running = 0;
  const jobs = Array.from({ length: 20 }, (_, i) =>
    admission.run(async () => {
      running++;
      assert.ok(running <= 2 && admission.running <= 2);
      order.push(i);
      await settle();
      running--;
      if (i % 3 === 0) throw new Error('a job that fails gives its slot back, too');
    }, CALL),
  );
  assert.is(admission.waiting, 18);
  await Promise.allSettled(jobs);
  assert.equal(
    order,
    Array.from({ length: 20 }, (_, i) => i),
  );
  assert.is(admission.running, 0);
  assert.is(admission.waiting, 0);
});

test('a wait ends with its signal, and the place in the queue is free again', async () => {
  const admission = new Admission(LIMITS);
  const first = held();
  const running = admission.run(first.job, CALL);
  const stop = new AbortController();
  const waiting = code(admission.run(first.job, { ...CALL, signal: stop.signal }));
  const other = admission.run(async () => 'other', CALL);
  stop.abort();
  assert.is(await waiting, 'aborted');
  assert.is(admission.waiting, 1);
  assert.is(await code(admission.run(first.job, { ...CALL, signal: stop.signal })), 'aborted');
  first.end();
  await running;
  assert.is(await other, 'other');
  assert.is(admission.running, 0);
});

test('a wait that takes too long is refused, unless it is patient', async () => {
  const admission = new Admission({ ...LIMITS, queueTimeout: 5 });
  const first = held();
  const running = admission.run(first.job, CALL);
  const patient = admission.run(async () => 'patient', { ...CALL, patient: true });
  assert.is(await code(admission.run(first.job, CALL)), 'queue-timeout');
  assert.is(admission.waiting, 1);
  first.end();
  await running;
  assert.is(await patient, 'patient');
});

test('the job gets the time that it waited', async () => {
  const admission = new Admission(LIMITS);
  assert.type(await admission.run(async (waitedMs) => waitedMs, CALL), 'number');
});

test('closing refuses new requests and waits for every ticket', async () => {
  const admission = new Admission(LIMITS);
  const leave = admission.enter();
  let closed = 0;
  const closings = [admission.close(), admission.close()].map((closing) => closing.then(() => closed++));
  assert.is(
    refusal(() => admission.enter()),
    'shutting-down',
  );
  await settle();
  assert.is(closed, 0);
  leave();
  await Promise.all(closings);
  await admission.close();
});

test.run();
