/** Garbage is collected in several threads at a time, whose flags of V8 are the same. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { assert, suite } from '../support/suite.js';

const test = suite('platform/garbage', { tests: 1, timeoutMs: 60_000 });

const CALLS = 20;
const COLLECTING = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(async ({ collectGarbage }) => {
    for (let call = 0; call < ${CALLS}; call++) await collectGarbage();
    parentPort.postMessage('done');
  });`;

test('threads that collect at the same time do not disturb each other', async () => {
  const workerData = new URL('../../src/platform/garbage.js', import.meta.url).href;
  const threads = Array.from({ length: 6 }, () => new Worker(COLLECTING, { eval: true, workerData }));
  const said = await Promise.all(threads.map((thread) => once(thread, 'message')));
  assert.equal(said.flat(), Array(threads.length).fill('done'));
});

test.run();
