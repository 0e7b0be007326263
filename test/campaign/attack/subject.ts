/**
 * The process in which the cases of a phase run: `subject.js modules|objects SEED`. It takes numbers of cases and
 * reports verdicts.
 */
import { moduleJudge } from './module-subject.js';
import { objectJudge } from './object-subject.js';
import type { Judge, Report, SubjectName } from './watch.js';

const MAKERS: Readonly<Record<SubjectName, (seed: number) => Promise<Judge>>> = {
  modules: moduleJudge,
  objects: objectJudge,
};

const [name, seed] = process.argv.slice(2);
const judge = await MAKERS[name as SubjectName](Number(seed));
const send = (report: Omit<Report, 'resident'>): void =>
  void process.send!({ ...report, resident: process.memoryUsage.rss() } satisfies Report);

process.on('message', ({ number }: { number: number }) => {
  judge(number).then(
    (verdict) => send({ number, ...verdict }),
    (error: unknown) => {
      const complaint = `thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
      send({ number, kind: 'unknown', outcome: 'thrown', complaint });
    },
  );
});
process.on('disconnect', () => process.exit());
send({ number: -1 });
