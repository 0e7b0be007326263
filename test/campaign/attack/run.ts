/**
 * `npm run test:attack`: attacks the compiler, the readers of files, the service and the command, as strangers might,
 * and says what did not hold.
 *
 * - modules: mutated and hostile modules through the library's compiler (modules.ts).
 * - objects: mutated and hostile code objects and containers (objects.ts).
 * - http: attacks on `darm serve` on loopback (http.ts).
 * - disks: full disks, kills, damaged caches, folders that cannot be written or belong to others (disks.ts).
 *
 * Cases depend only on the seed and their number. Inputs of failures are saved in build/attack/.
 */
import { parseArgs } from 'node:util';
import { disks } from './disks.js';
import { Findings } from './findings.js';
import { http } from './http.js';
import { modules } from './modules.js';
import { objects } from './objects.js';
import type { Phase } from './phase.js';

/** Side by side: those with a fixed list of attacks, and those that take any number of cases. */
const LANES: readonly (readonly Phase[])[] = [
  [http, disks],
  [objects, modules],
];
const PHASES = LANES.flat();

const USAGE = `usage: npm run test:attack -- [--minutes N] [--seed S] [--phase NAME]... [--cases N] [--first N] [--only TEXT]

  --minutes N   for how long (default 10)
  --seed S      of the campaign (default 1)
  --phase NAME  only this phase; may be repeated: ${PHASES.map(({ name }) => name).join(', ')}
  --cases N     modules and objects, each (default 20000)
  --first N     number of the first of them (default 0)
  --only TEXT   http and disks: only the attacks whose name contains this`;

function options() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string', default: '1' },
        phase: { type: 'string', multiple: true, default: [] },
        cases: { type: 'string', default: '20000' },
        first: { type: 'string', default: '0' },
        only: { type: 'string', default: '' },
      },
    });
    const [minutes, seed, cases, first] = [values.minutes, values.seed, values.cases, values.first].map(Number) as [number, number, number, number]; // prettier-ignore
    const lanes = LANES.map((lane) =>
      lane.filter(({ name }) => values.phase.length === 0 || values.phase.includes(name)),
    );
    const known = values.phase.every((name) => PHASES.some((phase) => phase.name === name));
    const whole = [seed, cases, first].every((each) => Number.isInteger(each) && each >= 0);
    if (known && whole && minutes > 0 && cases > 0) return { minutes, seed, cases, first, only: values.only, lanes };
  } catch (error) {
    console.error((error as Error).message);
  }
  console.error(USAGE);
  process.exit(2);
}

const { minutes, seed, cases, first, only, lanes } = options();
const end = performance.now() + minutes * 60_000;
const all: Findings[] = [];

async function runPhase(phase: Phase, deadline: number): Promise<void> {
  const started = performance.now();
  const findings = new Findings(phase.name, seed);
  all.push(findings);
  try {
    await phase.run({ seed, first, cases, only, deadline }, findings);
  } catch (error) {
    findings.fail('the campaign itself', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  findings.close((performance.now() - started) / 1000);
}

/** A phase may use what those before it have left of their time. */
async function runLane(lane: readonly Phase[]): Promise<void> {
  let shares = lane.reduce((sum, { share }) => sum + share, 0);
  for (const phase of lane) {
    const now = performance.now();
    await runPhase(phase, now + ((end - now) * phase.share) / shares);
    shares -= phase.share;
  }
}
await Promise.all(lanes.map(runLane));
const [passed, failed] = [
  all.reduce((sum, findings) => sum + findings.passed, 0),
  all.reduce((sum, findings) => sum + findings.failed, 0),
];
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
