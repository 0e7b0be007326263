import type { Phase } from './phase.js';
export const http: Phase = { name: 'http', share: 0.2, run: async () => {} };
