/** Entry point of the worker thread behind an open module. */
import { serveSession } from '../src/workers/session-worker.js';

serveSession();
