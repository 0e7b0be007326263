/** Entry point of the pool's worker threads. */
export { handleTask as default } from '../src/workers/task-worker.js';
