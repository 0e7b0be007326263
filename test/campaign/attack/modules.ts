/**
 * Mutated modules through the library's compiler: every outcome is a sound result or one of the errors that a bad
 * module may have.
 */
import { moduleCase, type ModuleKind } from './module-cases.js';
import type { Phase } from './phase.js';
import { watchInto } from './watch-into.js';

const EXTENSIONS: Readonly<Record<ModuleKind, string>> = {
  bitcode: '.bc',
  text: '.ll',
  assembly: '.ll',
  files: '.ll',
  made: '.ll',
};

export const modules: Phase = {
  name: 'modules',
  share: 1.2,
  run: (setting, findings) =>
    watchInto(findings, setting, {
      subject: 'modules',
      width: 2,
      hangMs: 60_000,
      heap: 1024,
      inputOf: (number) => {
        const { bytes, kind } = moduleCase(setting.seed, number);
        return { bytes, extension: EXTENSIONS[kind] };
      },
    }),
};
