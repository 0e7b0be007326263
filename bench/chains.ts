/**
 * How melding's time grows with the length of a chain: a divergent branch with n diamonds on either side, for doubled
 * n. The last line has the exponent e of the time, which is about n^e.
 * usage: node dist/bench/chains.js [--least N] [--most N] [--rounds N]
 */
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { setTierPolicy } from '../src/workers/tier-policy.js';
import { freshLlvm } from './llvm.js';
import { ms, option, printTable, sum } from './support.js';

const least = option('least', 600);
const most = option('most', 4800);
const rounds = option('rounds', 3);
const options: JobOptions = { ...DEFAULT_OPTIONS, mcpu: 'gfx906', emit: ['bc'] };
setTierPolicy('short');
const rt = await freshLlvm();

/**
 * LLVM assembly of a kernel whose branch has `n` diamonds on either side, each on the result of the one in front. Odd
 * threads take one side and even ones the other: every wave parts, so that it pays to meld.
 */
function chains(n: number): Uint8Array {
  const side = (s: string): string =>
    Array.from(
      { length: n },
      (_, k) => `
${s}${k}:
  %${s}w${k} = phi i32 [ ${k === 0 ? '%v, %entry' : `%${s}x${k - 1}, %${s}t${k - 1} ], [ %${s}y${k - 1}, %${s}f${k - 1}`} ]
  %${s}m${k} = mul i32 %${s}w${k}, ${k + 3}
  %${s}c${k} = icmp slt i32 %${s}m${k}, %n
  br i1 %${s}c${k}, label %${s}t${k}, label %${s}f${k}
${s}t${k}:
  %${s}u${k} = mul i32 %${s}m${k}, %${s}w${k}
  %${s}x${k} = and i32 %${s}u${k}, %id
  br label %${s}${k + 1}
${s}f${k}:
  %${s}y${k} = xor i32 %${s}m${k}, %id
  br label %${s}${k + 1}`,
    ).join('') +
    `
${s}${n}:
  %${s}w${n} = phi i32 [ %${s}x${n - 1}, %${s}t${n - 1} ], [ %${s}y${n - 1}, %${s}f${n - 1} ]
  br label %join`;
  return new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @chains(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
  %v = load i32, ptr addrspace(1) %at
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %T0, label %F0
${side('T')}
${side('F')}
join:
  %r = phi i32 [ %Tw${n}, %T${n} ], [ %Fw${n}, %F${n} ]
  store i32 %r, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`);
}

const points: { n: number; time: number }[] = [];
const rows: string[][] = [];
// The first length comes twice: V8 compiles melding's TypeScript meanwhile.
for (const n of [least, ...Array.from({ length: 1 + Math.log2(most / least) }, (_, k) => least * 2 ** k)]) {
  const input = chains(n);
  const times: number[] = [];
  let melds = 0;
  for (let round = 0; round < rounds; round++) {
    const { timings, functions } = compileModule(rt, input, options, NO_EVENTS);
    times.push(timings['meld']!);
    melds = functions[0]!.melds.length;
    if (melds < n) throw new Error(`only ${melds} of ${n} diamonds meld`);
  }
  const time = Math.min(...times);
  if (rows.push([String(n), String(melds), ms(time), ms((1000 * time) / n)]) > 1) points.push({ n, time });
}
rows.shift();
printTable(['n', 'melds', 'melding', 'per 1,000'], rows);

/** The slope of the line through the logarithms that has the least squared distances. */
const xs = points.map(({ n }) => Math.log(n));
const ys = points.map(({ time }) => Math.log(time));
const [x, y] = [sum(xs) / xs.length, sum(ys) / ys.length];
const slope = sum(xs.map((each, k) => (each - x) * (ys[k]! - y))) / sum(xs.map((each) => (each - x) ** 2));
console.log(`melding's time grows as n^${slope.toFixed(2)}`);
