/** `--plan`: the name of a file on the command line, its text in the options of a job. */
import { DarmError } from '../errors.js';
import { readText } from '../process/files.js';
import { parsePlan } from '../job/tuned-plan.js';

/** @throws DarmError `bad-input`, with the file's name, for what is no plan */
export async function withPlanText<Flags extends object>(flags: Flags & { readonly plan?: string }): Promise<Flags> {
  const { plan: file } = flags;
  if (file === undefined) return flags;
  const plan = await readText(file);
  try {
    parsePlan(plan);
  } catch (error) {
    if (error instanceof DarmError) throw new DarmError(error.code, error.message, { file });
    throw error;
  }
  return { ...flags, plan };
}
