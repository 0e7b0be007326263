/**
 * Gives blocks of random kernels a second way out, as a failed assertion is: a branch to a block that ends in
 * `unreachable`. Its condition compares with a number that values hardly ever have, so hardly a thread takes it.
 */

const HARDLY_EVER = 1_540_483_477;
const DEFINITION = /^ {2}(%[\w.]+) = (?:add|sub|mul|xor|load|and|or|shl|lshr)(?: \w+)? i32\b/;

/** Every other block that goes on to one block, and holds a number, gets one. */
export function withDeadEnds(module: string): string {
  let value: string | null = null;
  let [number, places] = [0, 0];
  const ends: string[] = [];
  const lines = module.split('\n').flatMap((line): string[] => {
    if (/^[\w.]+:/.test(line) || line.startsWith('define')) value = null;
    value = DEFINITION.exec(line)?.[1] ?? value;
    if (line === '}') return [...ends.splice(0), line];
    const to = /^ {2}br label %([\w.]+)$/.exec(line)?.[1];
    if (to === undefined || value === null || places++ % 2 > 0) return [line];
    const [check, end] = [`%failed${number}`, `dead${number++}`];
    ends.push(`${end}:\n  store volatile i32 ${value}, ptr addrspace(1) null\n  call void @llvm.trap()\n  unreachable`);
    return [`  ${check} = icmp eq i32 ${value}, ${HARDLY_EVER}`, `  br i1 ${check}, label %${end}, label %${to}`];
  });
  return number === 0 ? module : `${lines.join('\n')}\ndeclare void @llvm.trap()\n`;
}
