/** `--plan`: the name of a file on the command line, its text in the options of a job. */
import { readText } from '../files.js';

export async function withPlanText<Flags extends object>(flags: Flags & { readonly plan?: string }): Promise<Flags> {
  return flags.plan === undefined ? flags : { ...flags, plan: await readText(flags.plan) };
}
