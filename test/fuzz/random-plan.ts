/**
 * Plans of random decisions: about each branch that comes up, drawn from the names of the function and of the branch.
 * Whatever a plan says, its melds must be right; and it must fit the function that it was made for.
 */
import { createHash } from 'node:crypto';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import { NO_EVENTS } from '../../src/job/events.js';
import type { JobOptions } from '../../src/job/options.js';
import { PLAN_FORMAT, PLAN_VERSION, planText, type TunedFunction } from '../../src/job/tuned-plan.js';
import type { BranchChoice, Decision } from '../../src/job/tuning.js';
import { Compilation, inFreshHeap } from '../../src/pipeline/compilation.js';
import { meldInPlace } from '../../src/pipeline/compile.js';
import { PolicyGuide } from '../../src/pipeline/policy.js';

/** Stands for a random plan in the options of a job, where the text of a plan would. */
export const RANDOM = 'random';

const SIDES: readonly BranchChoice['sides'][] = [[], ['t'], ['f'], ['t', 'f'], ['f', 't']];
const GUARDS = ['always', 'profitable', 'never'] as const;

export function randomDecision(functionName: string, branch: string): Decision {
  const bytes = createHash('sha256').update(`${functionName} ${branch}`).digest();
  let next = 0;
  const draw = (below: number): number => bytes[next++]! % below;
  const kind = draw(8);
  if (kind === 0) return 'leave';
  if (kind === 1) return 'model';
  const profit = draw(2) === 0 ? 'net' : 'paper';
  const threshold = draw(3) / 10;
  const regionReplication = draw(4) > 0;
  const way = { sides: SIDES[draw(5)]!, profit, unpredicate: GUARDS[draw(3)]!, threshold, regionReplication } as const;
  return { pairs: kind < 6 ? null : pairs(draw), ...way };
}

/** Some pairs of subgraphs that may or may not be there. */
function pairs(draw: (below: number) => number): [number, number][] {
  const list: [number, number][] = [];
  let [t, f] = [draw(2), draw(2)];
  for (let k = draw(3); k >= 0; k--) {
    list.push([t, f]);
    t += 1 + draw(2);
    f += 1 + draw(2);
  }
  return list;
}

/** The text of a plan. */
export function randomPlan(llvm: LlvmRuntime, bytes: Uint8Array, options: JobOptions): string {
  const guides = new Map<string, PolicyGuide>();
  let target = '';
  const logs = inFreshHeap(llvm, () => {
    const compilation = new Compilation(llvm, bytes, options, NO_EVENTS, {
      guides: (module, name) => {
        target = module.cpu;
        const lower = (['model', 'lower', 'keep'] as const)[createHash('sha256').update(name).digest()[0]! % 3]!;
        const guide = new PolicyGuide(module, name, (branch) => randomDecision(name, branch), lower);
        guides.set(name, guide);
        return guide;
      },
    });
    return meldInPlace(compilation).logs;
  });
  const broken = logs.find(({ bailout }) => bailout !== null);
  if (broken !== undefined) throw new Error(`random decisions: '${broken.function}' bails out: ${broken.bailout}`);
  const functions = logs.map(({ function: name, rounds }): TunedFunction => {
    const { rounds: planned, fingerprint } = guides.get(name)!.trace(rounds.length);
    return { name, reason: '', rounds: planned, fingerprint, remarks: [] };
  });
  const meldPoint = options.meldPoint === 'early' ? 'early' : 'late';
  return planText({ format: PLAN_FORMAT, version: PLAN_VERSION, target, meldPoint, functions });
}
