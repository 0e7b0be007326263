/** What is said in the queue, addresses of queues: whatever stands there, nothing but what is meant is taken. */
import fc from 'fast-check';
import { DarmError } from '../../src/errors.js';
import { parseQueueAddress } from '../../src/fleet/address.js';
import { troubleOf } from '../../src/fleet/connection.js';
import { readCheckTask, readCompileTask, readReason, readTaskResult, reasonText } from '../../src/fleet/task.js';
import { assert, suite } from '../support/suite.js';

const test = suite('fleet/task', { tests: 6 });

const task = { schema: 1, module: { inline: 'QkM=' }, options: {}, timeout: 0, from: 'me' };

test('a task is taken, and nothing that lacks a part of it', () => {
  assert.is(readCompileTask(task), task);
  const hash = 'a1'.repeat(32);
  assert.ok(readCompileTask({ ...task, module: { hash, size: 7 } }));
  for (const wrong of [
    ...Object.keys(task).map((name) => ({ ...task, [name]: undefined })),
    { ...task, schema: 2 },
    { ...task, timeout: -1 },
    { ...task, timeout: Infinity },
    { ...task, options: [] },
    { ...task, module: { hash: '../../etc/passwd', size: 7 } },
    { ...task, module: { hash, size: -1 } },
    { ...task, module: 'QkM=' },
  ])
    assert.is(readCompileTask(wrong), null, JSON.stringify(wrong));
});

test('any JSON: a task, a result, or null', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      readCompileTask(value);
      readCheckTask(value);
      readTaskResult(value);
      readReason(JSON.stringify(value));
    }),
  );
});

test('errors of jobs come back; those of the fleet are none of the job', () => {
  const error = new DarmError('compile-failed', 'no', { line: 3 });
  assert.equal(readReason(reasonText(error))!.toJSON(), error.toJSON());
  assert.is(readReason(reasonText(new DarmError('io', 'the store is away'))), null);
  assert.is(readReason('{"code":"made-up","message":"x"}'), null);
  assert.is(readReason('Error: ???'), null);
  assert.is(readReason('job stalled more than allowable limit')!.code, 'internal');
});

test('what the server of a queue may get over, and what it will not', () => {
  const coded = (code: string, message = 'said'): Error => Object.assign(new Error(message), { code });
  const inRedis = (message: string): Error => new Error(message);
  const severalAddresses = new AggregateError([coded('ECONNREFUSED')], '');
  for (const [error, trouble] of [
    [inRedis("OOM command not allowed when used memory > 'maxmemory'."), 'full'],
    [coded('53100', 'could not extend file'), 'full'],
    [inRedis("READONLY You can't write against a read only replica."), 'away'],
    [inRedis('LOADING Redis is loading the dataset in memory'), 'away'],
    [coded('ECONNRESET'), 'away'],
    [severalAddresses, 'away'],
    [coded('57P01', 'terminating connection due to administrator command'), 'away'],
    [coded('25006', 'cannot execute nextval() in a read-only transaction'), 'away'],
    [coded('53300', 'too many clients'), 'away'],
    [inRedis('Connection terminated unexpectedly'), 'away'],
    [coded('57P04', 'terminating connection'), null],
    [coded('42P01', 'relation "bullmq.job" does not exist'), null],
    [inRedis('NOPERM this user has no permissions'), null],
    [null, null],
  ] as const)
    assert.is(troubleOf(error), trouble, String(error));
});

test('addresses: host, port, database, user, password, TLS', () => {
  const { shown, connection } = parseQueueAddress('rediss://jane:p%40ss@[::1]:7000/3', undefined);
  assert.is(shown, 'rediss://[::1]:7000/3');
  const { host, port, db, username, password, tls } = connection as Record<string, unknown>;
  assert.equal([host, port, db, username, password, tls], ['::1', 7000, 3, 'jane', 'p@ss', {}]);
  const named = parseQueueAddress('rediss://queue.example', undefined).connection as Record<string, unknown>;
  assert.equal(named['tls'], { servername: 'queue.example' });
  const other = parseQueueAddress('redis://host', 'from:the@environment');
  assert.is(other.shown, 'redis://host');
  assert.is((other.connection as Record<string, unknown>)['password'], 'from:the@environment');
  assert.is(parseQueueAddress('postgres://jane:secret@host/db', '').shown, 'postgres://host/db');
  assert.throws(() => parseQueueAddress('redis://host', ''), /^\$DARM_QUEUE_PASSWORD is empty: set it, or unset it$/);
});

test('what is no address is refused, and not repeated', () => {
  for (const given of ['', 'secret', 'http://jane:secret@host', 'redis://', 'redis://secret@host/x', 'redis://h/?secret', 'redis://u:%zzsecret@h'])
    try {
      parseQueueAddress(given, undefined);
      assert.unreachable(given);
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      assert.equal([code, /--queue/.test(message), /secret/.test(message)], ['usage', true, false], given);
    } // prettier-ignore
});

test.run();
