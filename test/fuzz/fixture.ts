/** Kernels that once failed, as files: LLVM IR with a header that says how to repeat the failure. */
import type { Launch } from '../campaign/execute-host.js';
import { FAMILIES, type FamilyName } from '../campaign/families.js';
import type { Subject } from './check.js';
import type { Variant } from './variants.js';

export interface Fixture {
  readonly what: string;
  readonly family: FamilyName;
  readonly kernel: string;
  /** Seed of the launch. */
  readonly seed: number;
  readonly variant: Variant;
  readonly ir: string;
}

const HEADER = '; darm-fuzz: ';

export function fixtureText({ what, ir, ...how }: Fixture): string {
  const lines = what.split('\n').map((line) => `; ${line}`);
  return [...lines, HEADER + JSON.stringify(how), ir.trimEnd(), ''].join('\n');
}

export function parseFixture(text: string): Fixture {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(HEADER));
  if (at < 0) throw new Error(`no line begins with '${HEADER}'`);
  const how = JSON.parse(lines[at]!.slice(HEADER.length)) as Omit<Fixture, 'what' | 'ir'>;
  const what = lines.slice(0, at).map((line) => line.replace(/^; /, ''));
  return { ...how, what: what.join('\n'), ir: lines.slice(at + 1).join('\n') };
}

export function subjectOfFixture({ family, kernel, seed, ir }: Fixture): Subject {
  const launch: Launch = FAMILIES[family].launch(kernel, seed);
  return { ir, raw: ir, launches: [launch] };
}
