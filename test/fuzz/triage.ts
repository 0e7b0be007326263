/**
 * Finds out whose fault it is when a melded kernel leaves other memory than the unmelded one.
 *
 * The reference is the kernel with all variables in memory, compiled without any optimisation. The melded IR is brought
 * into the same form (reg2mem) and compiled in the same way. If it then leaves the reference's memory, the melded IR is
 * right, and LLVM has miscompiled it or the unmelded IR (docs/simulator.md lists such faults of LLVM 22). If LLVM's
 * tools are installed, the kernel is executed on the host as well (execute-host.ts).
 */
import { build, contentsAfter } from '../campaign/execute-host.js';
import { difference, messageOf, type Bench, type Memory } from './bench.js';
import { optionsOf, type Subject } from './check.js';
import type { Variant } from './variants.js';

export interface Verdict {
  /**
   * `darm`: the melded IR is wrong. `codegen`: it is right but miscompiled, which melding should avoid. `llvm`: the
   * unmelded build is wrong. `open`: none of these. All but `llvm` count as darm's failures.
   */
  readonly whose: 'darm' | 'codegen' | 'llvm' | 'open';
  readonly notes: readonly string[];
}

const SIMPLE = { meld: 'off', optimize: 'none', codegenLevel: 0 } as const;

/** @param subject a module with one launch, which fails */
export async function triage(bench: Bench, subject: Subject, variant: Variant): Promise<Verdict> {
  const { ir, raw, launches } = subject;
  const [launch] = launches;
  const notes: string[] = [];
  const simple = async (text: string): Promise<Memory> =>
    bench.execute(await bench.code(await bench.passes(text, 'reg2mem'), SIMPLE), launch!);
  const melded = await bench.text(ir, optionsOf(variant));
  const reference = await simple(raw);
  if (typeof reference === 'string') return { whose: 'open', notes: [`the reference faults: ${reference}`] };

  const compare = (what: string, memory: Memory): boolean => {
    const wrong = difference(reference, memory);
    notes.push(wrong === null ? `as the reference: ${what}` : `not as the reference: ${what}: ${wrong}`);
    return wrong === null;
  };
  const plain = await bench.code(ir, { ...optionsOf(variant), meld: 'off' });
  const isPlainRight = compare('the unmelded build', await bench.execute(plain, launch!));
  const isMeldedRight = compare(
    'the melded build',
    await bench.execute(await bench.code(ir, optionsOf(variant)), launch!),
  );
  const isIrRight = compare('the melded IR, compiled as simply', await simple(melded));
  notes.push(await onHost(raw, melded, subject));
  if (!isIrRight) return { whose: 'darm', notes };
  if (!isPlainRight) return { whose: 'llvm', notes };
  return { whose: isMeldedRight ? 'open' : 'codegen', notes };
}

async function onHost(before: string, after: string, { launches }: Subject): Promise<string> {
  try {
    const [expected] = await contentsAfter(await build('before', before, 'junk'), launches);
    const [found] = await contentsAfter(await build('after', after, 'junk'), launches);
    if (typeof expected === 'string') return `not on the host: ${expected}`;
    const wrong = difference(expected!, found!);
    return `on the host, the melded IR is ${wrong === null ? 'right' : `wrong: ${wrong}`}`;
  } catch (error) {
    return `not on the host: ${messageOf(error)}`;
  }
}
