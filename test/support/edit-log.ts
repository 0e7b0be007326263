/** Edit logs without edits in their rounds, for tests of what takes rounds back. */
import type { EditLog, SurveyRemarks } from '../../src/job/edit-log.js';

export const REMARKS: SurveyRemarks = {
  location: null,
  divergentBranches: 1,
  candidates: [],
  switches: [],
  netUnit: 'cycles',
};

export const editLog = (name: string, position: number, rounds = 1): EditLog => ({
  function: name,
  position,
  rounds: Array.from({ length: rounds }, () => ({
    fingerprint: '',
    lowered: [],
    versions: [],
    melds: [],
    hoisted: [],
    flattened: [],
    remarks: REMARKS,
  })),
  gain: 1,
  lastRemarks: null,
  history: null,
  isInPlace: true,
  bailout: null,
  planMisfit: null,
});
