/** The parts of a batch, which depend on its number: trees, launches, variants, passes that run before. */
import type fc from 'fast-check';
import { withDeadEnds } from '../campaign/dead-ends.js';
import type { Launch } from '../campaign/execute-host.js';
import { FAMILIES, type FamilyName } from '../campaign/families.js';
import { draw, type Body, type Drawn, type Kernel } from '../campaign/random-kernel.js';
import { PREPARATIONS } from '../campaign/random-module.js';
import type { Bench } from './bench.js';
import type { Subject } from './check.js';
import { variantsOf, type Site, type Variant } from './variants.js';

/** Kernels in a batch. They are in one module, because for a small kernel LLVM's fixed costs are the largest part. */
export const BATCH = 4;

export interface Case {
  readonly family: FamilyName;
  readonly bodyOf: fc.Arbitrary<Body>;
  /** Passes that bring a kernel's variables into SSA form, for sites whose pipeline does not optimise. */
  readonly preparation: string;
  /** Whether blocks get a second way out, which ends in `unreachable`. */
  readonly deadEnds: boolean;
  readonly variants: readonly Variant[];
}

export function caseOf(batch: number): Case {
  // Most kernels fill their only wave.
  const family = batch % 5 === 4 ? 'ragged' : 'mixed';
  return {
    family,
    bodyOf: FAMILIES[family].body(batch % 9 === 8 ? 2 : 1),
    preparation: PREPARATIONS[Math.floor(batch / 4) % PREPARATIONS.length]!,
    deadEnds: batch % 3 === 2,
    variants: variantsOf(batch),
  };
}

/** 32 bits out of two numbers (MurmurHash3's finaliser, applied to their sum with odd factors). */
function mixed(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) + Math.imul(b, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}

/** A kernel of the campaign, by its number. */
export const kernelOf = ({ bodyOf }: Case, campaign: number, number: number): Drawn =>
  draw(`k${number}`, bodyOf, mixed(campaign, number));

/** The input of the site's pipeline and the launches. A kernel's seed is also that of its launch. */
export async function subjectOf(
  bench: Bench,
  { family, preparation, deadEnds }: Case,
  kernels: readonly (Kernel & { readonly seed: number })[],
  { target, optimize }: Site,
): Promise<Subject> {
  const { module, launch } = FAMILIES[family];
  const whole = module(kernels);
  const raw = (deadEnds ? withDeadEnds(whole) : whole).replaceAll('"gfx906"', `"${target}"`);
  const ir = optimize === 'none' ? await bench.passes(raw, preparation) : raw;
  const launches: Launch[] = kernels.map(({ name, seed }) => launch(name, seed));
  return { ir, raw, launches };
}
