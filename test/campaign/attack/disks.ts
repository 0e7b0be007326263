/** Full disks, kills, damaged caches, folders that are not ours, and inputs and outputs that do not end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { caches } from './disks/caches.js';
import type { Check } from './disks/check.js';
import { makeCorpus } from './disks/corpus.js';
import { foreignFolders } from './disks/foreign.js';
import { fullDisks, OUTPUTS } from './disks/full.js';
import { INPUTS } from './disks/inputs.js';
import { kills } from './disks/kills.js';
import { whyNoMount } from './disks/tmpfs.js';
import type { Phase } from './phase.js';

const KERNELS = 24;
const CACHE_ROUNDS = 12;

export const disks: Phase = {
  name: 'disks',
  share: 1,
  async run({ seed, only, deadline }, findings) {
    const folder = await mkdtemp(path.join(tmpdir(), 'darm-attack-'));
    try {
      const corpus = await makeCorpus(path.join(folder, 'kernels'), KERNELS);
      const few = { ...corpus, inputs: new Map([...corpus.inputs].slice(-6)) };
      const why = await whyNoMount();
      if (why !== null) console.log(`skipped: full and read-only disks, folders of others: ${why}`);
      const mounting: readonly Check[] = why === null ? [...fullDisks(corpus), ...foreignFolders(corpus)] : [];
      for (const { name, run } of [...OUTPUTS, ...INPUTS, ...mounting, ...caches(few, seed, CACHE_ROUNDS), ...kills(corpus, seed)]) {
        if (!name.includes(only)) continue;
        if (performance.now() > deadline) {
          console.log('disks: not everything was tried: the time was up');
          break;
        }
        const complaint = await run().catch((error: unknown) => `thrown: ${String(error)}`);
        if (complaint === null) findings.pass();
        else findings.fail(name, complaint);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
}; // prettier-ignore
