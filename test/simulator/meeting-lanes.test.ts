import { SpecRandom } from '../../src/simulator/launch/random.js';
import { waitingLanes } from '../../src/simulator/meeting-lanes.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/meeting-lanes', { tests: 2 });

test('nobody waits alone, all but one wait at one address', () => {
  const at = Int32Array.from({ length: 64 }, () => 12);
  assert.equal([0, 1, 64].map((active) => waitingLanes(at, active)), [0, 0, 63]); // prettier-ignore
  assert.is(waitingLanes(at.map((_, lane) => 4 * lane), 64), 0); // prettier-ignore
});

test('as counted in a map', () => {
  const random = new SpecRandom(5);
  for (let round = 0; round < 500; round++) {
    const range = 1 + Math.floor(random.fraction() * 100);
    const at = Int32Array.from({ length: 64 }, () => (random.word() % range) * 2 ** (round % 28));
    const counts = new Map<number, number>();
    for (const place of at) counts.set(place, (counts.get(place) ?? 0) + 1);
    assert.is(waitingLanes(at, 64), Math.max(...counts.values()) - 1);
  }
});

test.run();
