/** The process that compiles apart, for tests: marked modules end it. */
import '../../workers/apart.js';
import type { ApartTask } from '../../src/fleet/apart.js';
import { endIfMarked } from './fleet-mark.js';

process.once('message', (task: ApartTask) => {
  if ('module' in task) endIfMarked(task.module);
});
