/** `darm analyze`: prints what melding would do, as a table or JSON. */
import { createCompiler } from '../compiler/compiler.js';
import { analyzeDocument } from '../report/json/analyze-document.js';
import type { AnalyzeResult, FunctionAnalysis } from '../job/results.js';
import type { AnalyzeFlags } from './arguments.js';
import { visibleLine } from '../report/visible.js';
import { readInput, writeStandardOutput } from '../process/files.js';
import { warn } from './messages.js';
import { checkOutputs } from './outputs.js';
import { writeRemarks } from './remarks.js';
import { moduleOf } from './source.js';
import { table } from './table.js';

export async function runAnalyze(input: string, flags: AnalyzeFlags): Promise<void> {
  const { remarks, html, dot } = flags;
  const outputs = { '--json': flags.json ? '-' : undefined, '--remarks': remarks, '--html': html };
  checkOutputs(outputs, [input]);
  const { timeout, memoryLimit } = flags;
  const bytes = await readInput(input, timeout);
  const compiler = createCompiler({ threads: 1, timeout, memoryLimit, tierPolicy: 'short' });
  const { module, options, dependencies } = await moduleOf(compiler, input, bytes, flags);
  checkOutputs(outputs, dependencies);
  const asked = { ...options, remarks: remarks !== undefined, report: dot !== undefined };
  const result = await compiler.analyze(module, asked);
  for (const { name, reason } of result.failures) warn(`function '${name}' is not analysed: ${reason}`);
  await writeRemarks(remarks, result.remarks);
  if (dot !== undefined) await (await import('./report.js')).writeGraphs(dot, result.functions);
  if (html !== undefined) await (await import('./report.js')).writeForecast(html, input, compiler, module, options);
  // Remarks or a page on standard output take the place of the table.
  if (remarks === '-' || html === '-') return;
  const text = flags.json ? JSON.stringify(analyzeDocument(result)) + '\n' : analysisText(result);
  await writeStandardOutput(text);
}

function analysisText({ target, functions }: AnalyzeResult): string {
  const summaries = table(
    'lrrrrrrrr',
    [
      'function',
      'conditional branches',
      'divergent',
      'values',
      'divergent',
      'candidates',
      'melds',
      'switches lowered',
      'sides hoisted',
    ],
    functions.map(({ name, plan, ...fn }) => [
      name,
      String(fn.conditionalBranches),
      String(fn.divergentBranches),
      String(fn.values),
      String(fn.divergentValues),
      String(plan.candidates.length),
      String(plan.candidates.filter(({ verdict }) => verdict === 'meld').length),
      String(fn.switchesLowered),
      String(fn.sidesHoisted),
    ]),
  );
  const details = functions
    .filter(({ plan, switches }) => plan.candidates.length + switches.length > 0)
    .map((fn) => {
      const { name, plan, blockNames } = fn;
      const candidates = plan.candidates.length > 0 ? candidateTable(plan, blockNames) : '';
      return `\n${visibleLine(name)}\n${candidates}${remedyLines(fn)}${switchLines(fn)}`;
    });
  return `target ${visibleLine(target)}\n\n${summaries}${details.join('')}`;
}

/** What would have to change, once for each branch and sentence. */
function remedyLines({ plan, blockNames, remedies }: FunctionAnalysis): string {
  const lines = plan.candidates.flatMap(({ branch }, k) => {
    const remedy = remedies[k];
    return remedy ? [`  to meld ${visibleLine(blockNames[branch]!)}: ${remedy}\n`] : [];
  });
  return [...new Set(lines)].join('');
}

function switchLines({ switches, blockNames }: FunctionAnalysis): string {
  return switches
    .map(({ branch, refusal }) => {
      const becomes = refusal === null ? 'becomes a chain of branches' : `stays: ${refusal}`;
      return `  the divergent switch in ${visibleLine(blockNames[branch]!)} ${becomes}\n`;
    })
    .join('');
}

/** Long sides are cut after this many blocks, which are enough to recognise a side. */
const SHOWN_BLOCKS = 4;

type Plan = AnalyzeResult['functions'][number]['plan'];

function candidateTable({ candidates, netUnit }: Plan, blockNames: readonly string[]): string {
  const side = (blocks: readonly number[]): string => {
    const names = blocks.slice(0, SHOWN_BLOCKS).map((block) => blockNames[block]!);
    const more = blocks.length - names.length;
    return names.join(' ') + (more > 0 ? ` +${more}` : '');
  };
  return table(
    'lllllrrl',
    ['  branch in', 'true side', 'false side', 'kind', 'verdict', 'profit', `net ${netUnit}`, ''],
    candidates.map(({ branch, sides, kind, profit, net, verdict, rule, reason }) => [
      `  ${blockNames[branch]!}`,
      side(sides[0]),
      side(sides[1]),
      kind,
      verdict,
      profit.toFixed(3),
      net.toFixed(0),
      rule === null ? reason : `rule ${rule}: ${reason}`,
    ]),
  );
}
