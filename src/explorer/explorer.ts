/**
 * Answers the explorer's questions with a compiler: that of this package behind `darm explore`, or the page's own in a
 * Web Worker. What it compiled lately it keeps, because the page asks several things about one kernel.
 */
import type { CompiledModule, Compiler, ModuleCompiler } from '../compiler/api.js';
import { DarmError, type SourceDiagnostic } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import { inspectCodeObject } from '../formats/code-object.js';
import { asForCodeObject, type JobOptions } from '../job/options.js';
import type { Remark } from '../job/remarks.js';
import type { FunctionHistory } from '../job/history.js';
import type { Layout } from '../report/graph/layout.js';
import { counterTables } from '../report/html/counter-tables.js';
import { functionSection } from '../report/html/function-section.js';
import { Gallery } from '../report/html/gallery.js';
import { remarkSentence } from '../report/remark-text.js';
import { visible } from '../report/visible.js';
import { differences } from '../simulator/compare.js';
import { ELEMENT_BYTES } from '../simulator/launch/elements.js';
import { parseSpec } from '../simulator/launch/spec.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { SimulationResult } from '../simulator/run.js';
import { irListing, machineListing, type BlockLines } from './listing.js';
import { madeUpLaunch } from './made-up-launch.js';
import type {
  ExploreAnswers,
  ExploredFunction,
  ExploredRemark,
  Explored,
  ExploreJob,
  ExploreQuestion,
  Launched,
  LaunchableKernel,
  Listing,
  ListingForm,
  QuestionKind,
  Side,
} from './protocol.js';
import { linesOfIr, linesOfPictures, picturesOf } from './source-lines.js';

/** What the explorer needs of a compiler. */
export type ExploringCompiler = ModuleCompiler & Pick<Compiler, 'translate' | 'simulate'>;

export interface ExploreCall {
  readonly signal?: AbortSignal;
}

/** A module, and how it is to be compiled. */
interface Translated {
  readonly module: Uint8Array;
  readonly options: Partial<JobOptions>;
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  /** Milliseconds. */
  readonly time: number;
}

/** An answer, and the signal of whoever asked for it first. */
interface Kept {
  readonly answer: Promise<unknown>;
  readonly signal: AbortSignal | undefined;
}

/** Results that are kept. */
const MOST_KEPT = 12;

/** Drawings that are kept: an edit leaves most graphs as they are. */
const MOST_DRAWINGS = 40;

/** Of all buffers of a launch. */
const MOST_BUFFER_BYTES = 256 * 2 ** 20;

/** Differences that are told. */
const MOST_DIFFERENCES = 8;

export class Explorer {
  readonly #compiler: ExploringCompiler;
  readonly #loadLayout: () => Promise<Layout>;
  #layout: Promise<Layout> | null = null;
  /** By what was asked, the latest last. */
  readonly #kept = new Map<string, Kept>();

  constructor(compiler: ExploringCompiler, loadLayout: () => Promise<Layout>) {
    this.#compiler = compiler;
    this.#loadLayout = async () => remembering(await loadLayout());
  }

  /** @throws DarmError */
  async answer(question: ExploreQuestion, call: ExploreCall = {}): Promise<ExploreAnswers[QuestionKind]> {
    const { job } = question;
    switch (question.kind) {
      case 'compile':
        return this.#explore(job, call);
      case 'listing':
        return this.#listing(job, question.form, question.side, call);
      case 'kernels':
        return this.#kernels(job, call);
      case 'launch':
        return this.#launch(job, question.spec, question.simulation, call);
      case 'artifact':
        return this.#artifact(job, 'hsaco', question.side, call);
    }
  }

  async #explore(job: ExploreJob, call: ExploreCall): Promise<Explored> {
    const layout = (this.#layout ??= this.#loadLayout());
    const translated = await this.#translate(job, call);
    const started = performance.now();
    const result = await this.#compile(job, RECORDED, 'after', call);
    const compiled = performance.now();
    const named = this.#linesByName(job);
    const gallery = new Gallery(await layout);
    const functions = result.histories.map((history, index) =>
      exploredFunction(history, named, `f${index + 1}`, gallery),
    );
    return {
      target: result.target,
      log: translated.log,
      diagnostics: translated.diagnostics,
      warnings: result.diagnostics,
      functions,
      remarks: result.remarks.map((remark) => exploredRemark(remark, named)),
      time: { translate: translated.time, compile: compiled - started, draw: performance.now() - compiled },
    };
  }

  async #listing(job: ExploreJob, form: ListingForm, side: Side, call: ExploreCall): Promise<Listing> {
    const kind = form === 'ir' ? 'll' : 'asm';
    const [text, { histories }] = await Promise.all([
      this.#artifact(job, kind, side, call),
      this.#compile(job, RECORDED, 'after', call),
    ]);
    const blocks = this.#blockLines(job, histories, side);
    const decoded = new TextDecoder().decode(text);
    return form === 'ir' ? irListing(decoded, blocks) : machineListing(decoded, FILES[job.language], blocks);
  }

  async #kernels(job: ExploreJob, call: ExploreCall): Promise<LaunchableKernel[]> {
    const { kernels } = inspectCodeObject(await this.#artifact(job, 'hsaco', 'after', call));
    return kernels.map((kernel) => ({
      name: kernel.name,
      arguments: kernel.arguments,
      wavefrontSize: kernel.wavefrontSize,
      requiredBlock: kernel.requiredBlock,
      spec: madeUpLaunch(kernel),
    }));
  }

  async #launch(
    job: ExploreJob,
    text: string,
    simulation: Partial<SimulationOptions>,
    call: ExploreCall,
  ): Promise<Launched> {
    const spec = parseSpec(text, (name) => {
      throw new DarmError('bad-input', `the explorer reads no files, and the launch names ${name}`);
    });
    const bytes = spec.buffers.reduce((total, { element, length }) => total + length * ELEMENT_BYTES[element], 0);
    if (bytes > MOST_BUFFER_BYTES)
      throw new DarmError('bad-input', `the buffers have ${bytes} bytes; the explorer allows ${MOST_BUFFER_BYTES}`);
    const run = async (side: Side): Promise<{ result: SimulationResult; time: number }> => {
      const codeObject = await this.#artifact(job, 'hsaco', side, call);
      const started = performance.now();
      const result = await this.#compiler.simulate(codeObject, spec, simulation, call);
      return { result, time: performance.now() - started };
    };
    const before = await run('before');
    const after = await run('after');
    const measured = before.result.launches.map((launch, index) => ({
      kernel: launch.kernel,
      before: launch,
      after: after.result.launches[index]!,
    }));
    return {
      html: visible(counterTables(measured).toString()),
      launches: measured.map(({ kernel, before: one, after: two }) => ({
        kernel,
        cycles: [one.cycles, two.cycles],
        profiles: [one.profile, two.profile],
      })),
      differences: differences(before.result, after.result, {})
        .slice(0, MOST_DIFFERENCES)
        .map(({ name, index, before: one, after: two }) => `${name}[${index}] is ${one} without melding, ${two} with`),
      time: [before.time, after.time],
    };
  }

  // --- compiling ---------------------------------------------------------------------------------------------------

  async #artifact(job: ExploreJob, kind: JobOptions['emit'][number], side: Side, call: ExploreCall) {
    const { artifacts } = await this.#compile(job, { emit: [kind] }, side, call);
    return artifacts[0]!.bytes;
  }

  #compile(job: ExploreJob, wanted: Partial<JobOptions>, side: Side, call: ExploreCall): Promise<CompiledModule> {
    return this.#keep(['compile', job, wanted, side], call, async () => {
      const { module, options } = await this.#translate(job, call);
      const meld = side === 'before' ? ({ meld: 'off', plan: null } as const) : {};
      return this.#compiler.compile(module, { ...options, ...NOT_ASKED, ...wanted, ...meld }, call);
    });
  }

  #translate({ source, language, options, flags }: ExploreJob, call: ExploreCall): Promise<Translated> {
    if (language === 'ir') {
      const module = typeof source === 'string' ? new TextEncoder().encode(source) : source;
      if (sniffInput(module) === 'empty') throw new DarmError('bad-input', 'there is nothing to compile yet');
      return Promise.resolve({ module, options: asForCodeObject(options), log: '', diagnostics: [], time: 0 });
    }
    return this.#keep(['translate', source, language, options, flags], call, async () => {
      const name = FILES[language]!;
      const asked = { ...options, ...NOT_ASKED, language, name, flags, disk: false };
      const translated = await this.#compiler.translate(source, asked, call);
      const { bitcode, options: complete, log, diagnostics, time } = translated;
      return { module: bitcode, options: complete, log, diagnostics, time };
    });
  }

  /** Askers of the same thing share an answer. A failure is not kept. */
  async #keep<T>(asked: readonly unknown[], call: ExploreCall, make: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(asked, (_, value: unknown) =>
      value instanceof Uint8Array ? { bytes: asText(value) } : value,
    );
    const known = this.#kept.get(key);
    const { answer, signal } = known ?? { answer: make(), signal: call.signal };
    this.#kept.delete(key);
    this.#kept.set(key, { answer, signal });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    try {
      return (await answer) as T;
    } catch (error) {
      if (this.#kept.get(key)?.answer === answer) this.#kept.delete(key);
      // Whoever asked first has left, which ends nobody else's question.
      const hasLeft = known !== undefined && signal?.aborted === true && call.signal?.aborted !== true;
      if (!hasLeft || !(error instanceof DarmError) || error.code !== 'aborted') throw error;
      return this.#keep(asked, call, make);
    }
  }

  // --- where things come from --------------------------------------------------------------------------------------

  #linesByName({ source, language }: ExploreJob): BlockLines | null {
    return language === 'ir' && typeof source === 'string' ? linesOfIr(source) : null;
  }

  #blockLines(job: ExploreJob, histories: readonly FunctionHistory[], side: Side): BlockLines {
    const named = this.#linesByName(job);
    const lines = new Map(named ?? []);
    for (const history of histories) {
      const of = linesOfPictures(history, named?.get(history.function));
      const at = side === 'before' ? 0 : of.length - 1;
      const { blocks } = picturesOf(history)[at]!;
      lines.set(history.function, new Map(blocks.map(({ name }, b) => [name, of[at]![b]!])));
    }
    return lines;
  }
}

/** The name of the source in clang's messages and in debug information. */
const FILES: Readonly<Record<ExploreJob['language'], string | null>> = {
  hip: 'kernel.hip',
  opencl: 'kernel.cl',
  ir: null,
};

/** What a job of the page does not choose. */
const NOT_ASKED = { remarks: false, report: false, stats: false, partitions: 1 } as const;

/** The compilation that the pictures and the remarks come from. Machine code is generated when somebody looks at it. */
const RECORDED: Partial<JobOptions> = { emit: ['bc'], report: true, remarks: true };

/** One character per byte. */
const asText = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

function remembering(layout: Layout): Layout {
  const drawings = new Map<string, string>();
  return (dot) => {
    const drawn = drawings.get(dot) ?? layout(dot);
    drawings.delete(dot);
    drawings.set(dot, drawn);
    if (drawings.size > MOST_DRAWINGS) drawings.delete(drawings.keys().next().value!);
    return drawn;
  };
}

function exploredFunction(
  history: FunctionHistory,
  named: BlockLines | null,
  id: string,
  gallery: Gallery,
): ExploredFunction {
  const lines = linesOfPictures(history, named?.get(history.function));
  return {
    name: history.function,
    melds: history.steps.reduce((sum, { melds }) => sum + melds.length, 0),
    refused: history.after.candidates.filter(({ verdict }) => verdict === 'refuse').length,
    // Names can hold characters that cannot be seen.
    html: visible(functionSection(history, null, id, gallery).toString()),
    blocks: picturesOf(history).map(({ blocks }, at) => blocks.map(({ name }, b) => ({ name, lines: lines[at]![b]! }))),
  };
}

function exploredRemark(remark: Remark, named: BlockLines | null): ExploredRemark {
  const { kind, location } = remark;
  const branch = 'branch' in remark ? named?.get(remark.function)?.get(remark.branch)?.at(-1) : undefined;
  const line = location === null || location.line === 0 ? (branch ?? null) : location.line;
  return { kind, function: visible(remark.function), text: visible(remarkSentence(remark)), line };
}
