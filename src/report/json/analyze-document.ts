/** The result of `analyze` as the JSON document that the command prints and the service sends. */
import type { AnalyzeResult, FunctionAnalysis } from '../../job/results.js';

export function analyzeDocument({ target, functions, failures }: AnalyzeResult): object {
  return { schema: 1, target, functions: functions.map(functionDocument), failures };
}

function functionDocument({ plan, blockNames, remedies, switches, ...fn }: FunctionAnalysis): object {
  const names = (blocks: readonly number[]): string[] => blocks.map((block) => blockNames[block]!);
  return {
    name: fn.name,
    conditionalBranches: fn.conditionalBranches,
    divergentBranches: fn.divergentBranches,
    values: fn.values,
    divergentValues: fn.divergentValues,
    switchesLowered: fn.switchesLowered,
    sidesHoisted: fn.sidesHoisted,
    netUnit: plan.netUnit,
    candidates: plan.candidates.map(({ branch, sides, kind, profit, net, verdict, rule, reason }, k) => ({
      branch: blockNames[branch],
      sides: [names(sides[0]), names(sides[1])],
      kind,
      profit,
      net,
      verdict,
      rule,
      reason,
      remedy: remedies[k]!,
    })),
    switches: switches.map(({ branch, destinations, refusal }) => ({
      branch: blockNames[branch],
      destinations,
      refusal,
    })),
  };
}
