/** How long a build waits for a remote cache: failures in a row, rests, and the account of waiting. */
import { DEFAULT_PATIENCE, Patience } from '../../src/remote-cache/patience.js';
import { assert, suite } from '../support/suite.js';

const test = suite('remote-cache/patience', { tests: 8 });

function patience(settings: Partial<typeof DEFAULT_PATIENCE> = {}) {
  const clock = { now: 0 };
  const it = new Patience({ ...DEFAULT_PATIENCE, ...settings }, () => clock.now);
  return { it, clock };
}

test('three failures in a row, and the server is left alone; then one asks first', () => {
  const { it, clock } = patience();
  for (let n = 0; n < 3; n++) {
    assert.ok(it.mayAsk());
    it.failed();
  }
  assert.not(it.mayAsk());
  clock.now = DEFAULT_PATIENCE.restMs;
  assert.ok(it.mayAsk());
  assert.not(it.mayAsk(), 'the first one has no answer yet');
  it.failed();
  assert.not(it.mayAsk());
  clock.now *= 2;
  assert.ok(it.mayAsk());
  it.answered(0);
  assert.ok(it.mayAsk() && it.mayAsk());
});

test('failures between answers do not count', () => {
  const { it } = patience();
  for (let n = 0; n < 10; n++) {
    it.failed();
    it.failed();
    it.answered(0);
  }
  assert.ok(it.mayAsk());
});

test('who did not answer last gets no uploads', () => {
  const { it } = patience();
  assert.ok(it.isTrusted);
  it.failed();
  assert.not(it.isTrusted);
  it.answered(0);
  assert.ok(it.isTrusted);
});

test('waiting for slow answers costs at most the allowance and a twentieth of the compilations', () => {
  const { it, clock } = patience();
  let waited = 0;
  for (let job = 0; job < 2000; job++) {
    if (it.mayAsk()) {
      waited += 900;
      clock.now += 900;
      it.waited(900);
      it.answered(0);
    }
    clock.now += 300;
    it.compiled(300);
  }
  const most = DEFAULT_PATIENCE.allowanceMs + 0.05 * 2000 * 300 + 900;
  assert.ok(waited > 900 && waited <= most, `${waited} ms, at most ${most} ms`);
});

test('hits pay for their waiting', () => {
  const { it } = patience();
  for (let job = 0; job < 1000; job++) {
    assert.ok(it.mayAsk());
    it.saved(300);
    it.waited(100);
  }
});

test('silence: who says nothing is left alone, and a late answer ends that', () => {
  const { it, clock } = patience();
  const { silenceMs, restMs } = DEFAULT_PATIENCE;
  it.asked();
  clock.now = 100;
  it.asked();
  assert.is(it.silenceLeftMs, silenceMs - 100, 'since the first question');
  it.gaveUp();
  assert.not(it.mayAsk());
  assert.not(it.isTrusted);
  clock.now += 300;
  it.answered(400);
  assert.ok(it.mayAsk() && it.mayAsk() && it.isTrusted);
  it.failed();
  it.asked();
  assert.is(it.silenceLeftMs, 800, 'who takes so long once may take twice as long');
  it.gaveUp();
  clock.now += restMs;
  assert.ok(it.mayAsk());
  assert.not(it.mayAsk(), 'only one asks');
});

test('every answer is a sign of life', () => {
  const { it, clock } = patience();
  for (let n = 0; n < 10; n++) {
    it.asked();
    it.asked();
    clock.now += 200;
    it.answered(200);
    assert.ok(it.silenceLeftMs >= 200);
  }
});

test('time in which nobody could listen does not count', () => {
  const { it, clock } = patience();
  it.asked();
  clock.now = 1000;
  it.excuse(900);
  assert.is(it.silenceLeftMs, DEFAULT_PATIENCE.silenceMs - 100);
});

test.run();
