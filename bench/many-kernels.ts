/** A module of many kernels from one of few: copies of its functions, which share its constants, variables and LDS. */

/** @param text as LLVM prints it, without debug information; copy 0 keeps the names, copy `n` gets them with `_n` */
export function manyKernels(text: string, copies: number): string {
  const lines = text.split('\n');
  const out: string[] = [];
  const names = [...text.matchAll(/^define .*?@([\w.$]+)\(/gm)].map(([, name]) => name!);
  const name = new RegExp(`@(${names.join('|').replaceAll(/[.$]/g, '\\$&')})\\b`, 'g');
  for (let at = 0; at < lines.length; at++) {
    const end = lines[at]!.startsWith('define ') ? lines.indexOf('}', at) : at;
    const block = lines.slice(at, end + 1).join('\n');
    out.push(block);
    if (end > at) for (let n = 1; n < copies; n++) out.push(block.replaceAll(name, `@$1_${n}`));
    at = end;
  }
  return out.join('\n');
}
