/**
 * The pipelines that are compared. They take the front end's module and make a code object. Besides -O3 there are three
 * for each meld point: with melding (`darm`), with branch fusion only, and `plain`, the same without any melds.
 */
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions, type MeldPoint } from '../../src/job/options.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { codeWithoutMelds } from '../without-melds.js';

export type Mode = 'plain' | 'branch-fusion' | 'darm';
export type PipelineId = 'O3' | `${Mode}.${MeldPoint}`;

export const MELDING = ['branch-fusion', 'darm'] as const satisfies readonly Mode[];

export interface Compiled {
  readonly code: Uint8Array;
  /** The kinds of melds, and `hoisted` for each hoisted side, by function. */
  readonly melds: ReadonlyMap<string, readonly string[]>;
  readonly milliseconds: number;
}

/** The pipelines to measure: -O3, and three for each meld point. */
export const pipelineIds = (points: readonly MeldPoint[]): PipelineId[] => [
  'O3',
  ...points.flatMap((point) => (['plain', ...MELDING] as const).map((mode): PipelineId => `${mode}.${point}`)),
];

export function compileBy(
  rt: LlvmRuntime,
  module: Uint8Array,
  id: PipelineId,
  options: Partial<JobOptions> = {},
): Compiled {
  const [mode, point] = (id === 'O3' ? ['O3', 'late'] : id.split('.')) as ['O3' | Mode, MeldPoint];
  if (mode === 'plain') {
    const code = codeWithoutMelds(rt, module, { optimize: 'O3', meldPoint: point });
    return { code, melds: new Map(), milliseconds: NaN };
  }
  const { artifacts, functions, timings } = compileModule(
    rt,
    module,
    { ...DEFAULT_OPTIONS, optimize: 'O3', meldPoint: point, meld: mode === 'O3' ? 'off' : mode, ...options },
    NO_EVENTS,
  );
  const broken = functions.find(({ bailout }) => bailout !== null);
  if (broken !== undefined) throw new Error(`${id}: '${broken.name}' is melded only in part: ${broken.bailout}`);
  return {
    code: artifacts[0]!.bytes,
    melds: new Map(
      functions.map(({ name, melds, sidesHoisted }) => [
        name,
        [...melds.map(({ kind }) => kind), ...Array.from({ length: sidesHoisted }, () => 'hoisted')],
      ]),
    ),
    milliseconds: timings['total']!,
  };
}
