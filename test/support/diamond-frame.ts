import { analysesOf } from '../../src/analysis/analyses.js';
import type { BlockId } from '../../src/ir/ids.js';
import { planningContext } from '../../src/melding/cost/context.js';
import { Frame } from '../../src/melding/draft/frame.js';
import { pairedShape } from '../../src/melding/draft/shape.js';
import type { PlanOptions } from '../../src/melding/plan.js';
import { DARM } from './plan-options.js';
import type { BuiltSnapshot } from './snapshot-builder.js';

/** The frame of the blocks `t` and `f` of a diamond that begins with the function and ends in `join`. */
export function diamondFrame(s: BuiltSnapshot, options: Partial<PlanOptions> = {}): Frame {
  const ctx = planningContext(s.f, analysesOf(s.f), { ...DARM, ...options }, () => true);
  const join = s.block('join');
  return new Frame({
    ctx,
    branch: 0 as BlockId,
    shape: pairedShape(ctx, [{ t: s.block('t'), f: s.block('f'), swapped: false }]),
    exit: { kind: 'single', t: join, f: join },
    front: false,
    back: false,
    earlier: null,
  });
}
