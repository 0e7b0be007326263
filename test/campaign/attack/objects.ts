/**
 * Mutated code objects and containers: `inspect`, `unsupportedOperations`, `simulate`, `readContainer` and
 * `compileContainer`.
 */
import { objectCase, objectCorpus, type ObjectCorpus } from './object-cases.js';
import type { Phase } from './phase.js';
import { watchInto } from './watch-into.js';

export const objects: Phase = {
  name: 'objects',
  share: 0.8,
  async run(setting, findings) {
    let corpus: ObjectCorpus | undefined;
    await watchInto(findings, setting, {
      subject: 'objects',
      width: 1,
      hangMs: 30_000,
      heap: 512,
      inputOf: async (number) => {
        corpus ??= await objectCorpus();
        return { bytes: objectCase(corpus, setting.seed, number).bytes, extension: '.bin' };
      },
    });
  },
};
