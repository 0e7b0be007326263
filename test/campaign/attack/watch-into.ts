/** Runs the numbered cases of a phase in a watched process and collects the verdicts. */
import type { FailedInput, Findings } from './findings.js';
import type { PhaseSetting } from './phase.js';
import { watch, type WatchOptions } from './watch.js';

interface Subject extends Pick<WatchOptions, 'subject' | 'width' | 'hangMs' | 'heap'> {
  /** The input of a case that failed, for saving it. */
  readonly inputOf: (number: number) => FailedInput | Promise<FailedInput>;
}

export async function watchInto(
  findings: Findings,
  { seed, first, cases, deadline }: PhaseSetting,
  { inputOf, ...subject }: Subject,
): Promise<void> {
  const failures: { number: number; kind: string; complaint: string }[] = [];
  const done = await watch({
    ...subject,
    seed,
    first,
    count: cases,
    deadline,
    stop: () => failures.length >= 40,
    onVerdict: (number, { kind, outcome, complaint }) => {
      if (complaint === null) findings.pass(outcome);
      else failures.push({ number, kind, complaint });
    },
    onMemory: (bytes) => findings.memory(bytes),
  });
  for (const { number, kind, complaint } of failures)
    findings.fail(`${kind} ${number}`, complaint, number, await inputOf(number));
  if (done < cases) console.log(`${findings.phase}: ${done} of ${cases} cases: the time was up, or too much failed`);
}
