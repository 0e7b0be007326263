/** `--remarks FILE`, of `compile` and `analyze`. */
import type { Remark } from '../job/remarks.js';
import { writeOutput } from '../process/files.js';

export async function writeRemarks(file: string | undefined, remarks: readonly Remark[]): Promise<void> {
  if (file === undefined) return;
  const { remarksText } = await import('../report/yaml/remarks.js');
  await writeOutput(file, remarksText(remarks));
}
