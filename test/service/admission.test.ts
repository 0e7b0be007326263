/** Tickets and slots: which requests are refused, which wait and in what order, and that none is lost. */
import { Admission } from '../../src/service/admission.js';
import { assert, suite } from '../support/suite.js';
import { settle } from '../support/service.js';

const test = suite('service/admission', { tests: 8 });

const LIMITS = { concurrency: 1, queue: 2, queueTimeout: 0, maxBuffered: 100 };
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
  const visits = Array.from({ length: 5 }, () => admission.arrive());
  for (const visit of visits.slice(0, 3)) visit.enter();
  assert.is(
    refusal(() => visits[3]!.enter()),
    'overloaded',
  );
  assert.is(
    refusal(() => admission.arrive()),
    'overloaded',
  );
  visits[0]!.leave();
  visits[0]!.leave();
  assert.is(admission.visits, 4);
  visits[3]!.enter();
  assert.is(
    refusal(() => visits[4]!.enter()),
    'overloaded',
  );
});

test('bodies are refused beyond the limit, and those of visits that ended do not count', () => {
  const admission = new Admission(LIMITS);
  const [one, other] = [admission.arrive(), admission.arrive()];
  one.holdBody(60);
  assert.is(
    refusal(() => other.holdBody(41)),
    'overloaded',
  );
  other.holdBody(40);
  one.dropBody();
  other.holdBody(60);
  assert.is(admission.bodyBytes, 100);
  other.leave();
  one.leave();
  assert.is(admission.bodyBytes, 0);
});

test('no job starts while clients have too much to read', async () => {
  const admission = new Admission({ ...LIMITS, concurrency: 2 });
  const visit = admission.arrive();
  await admission.run(async () => visit.holdAnswer(100), CALL);
  const started: string[] = [];
  const jobs = ['a', 'b', 'c'].map((name) => admission.run(async () => void started.push(name), CALL));
  await settle();
  assert.equal(started, []);
  visit.dropAnswer(1);
  await Promise.all(jobs);
  assert.equal(started, ['a', 'b', 'c']);
  visit.leave();
  assert.is(admission.answerBytes, 0);
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

test('closing refuses new requests and waits for every visit', async () => {
  const admission = new Admission(LIMITS);
  const visit = admission.arrive();
  let closed = 0;
  const closings = [admission.close(), admission.close()].map((closing) => closing.then(() => closed++));
  assert.is(
    refusal(() => admission.arrive()),
    'shutting-down',
  );
  await settle();
  assert.is(closed, 0);
  visit.enter();
  visit.leave();
  await Promise.all(closings);
  await admission.close();
});

test.run();
