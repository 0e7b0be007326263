/**
 * Makes poison visible on the host: `undef` and `poison` operands, and results of scalar operations that violate their
 * flags, become wild values. In a correct program such a value never reaches memory, an address, a divisor or a branch.
 */
const WILD_INTEGERS: readonly bigint[] = [0n, -1n, 0x5a5a5a5a5a5a5a5an, 1n << 31n, 0n];

/** A wild value of a type, which varies with the line `at`; null for types that have none. */
function wild(type: string, at: number): string | null {
  if (type === 'ptr') return 'inttoptr (i64 -2401263026317557521 to ptr)';
  if (type === 'float' || type === 'double') return '0x47D2D2D2C0000000';
  const bits = Number(/^i(\d+)$/.exec(type)?.[1] ?? 0);
  if (bits === 1) return at % 2 === 0 ? 'true' : 'false';
  return bits > 0 ? String(BigInt.asIntN(bits, WILD_INTEGERS[at % WILD_INTEGERS.length]!)) : null;
}

export function withoutPoison(line: string, at: number): string {
  if (!/\b(undef|poison)\b/.test(line) || /shufflevector|insertelement|insertvalue|^[@!]/.test(line)) return line;
  const phi = /^(\s*%\S+ = phi (?:\w+ )*?)(i\d+|float|double|ptr) (\[.*)$/.exec(line);
  if (phi) return `${phi[1]}${phi[2]} ${phi[3]!.replace(/\[ (?:undef|poison),/g, () => `[ ${wild(phi[2]!, at)},`)}`;
  return line.replace(/\b(i\d+|float|double|ptr) (undef|poison)\b/g, (all, type: string) => {
    const value = wild(type, at);
    return value === null ? all : `${type} ${value}`;
  });
}

/** Operations whose flags can make their result poison, such as `%x = add nsw i32 %a, %b`. */
const FLAGGED =
  /^(\s*%\S+ = )(add|sub|mul|shl|udiv|sdiv|lshr|ashr|or|trunc|zext|icmp) ((?:(?:nuw|nsw|exact|disjoint|nneg|samesign) )+)((?:\w+ )?)(i\d+) ([^,]+?)(?:, (.+?)| to (i\d+))?((?:, !.*)?)$/;

/**
 * Replaces a flagged operation by a call of a function (added to `helpers`) that returns a wild value on a violation.
 */
export function withFlagsChecked(line: string, at: number, helpers: Map<string, string>): string {
  const match = FLAGGED.exec(line);
  if (!match) return line;
  const [, left, op, flagText, predicate, type, a, b, target] = match as unknown as string[];
  if (op !== 'icmp' && predicate !== '') return line;
  const flags = flagText!.trim().split(' ');
  const result = op === 'icmp' ? 'i1' : (target ?? type!);
  const wildValue = wild(result, at)!;
  const name = ['host', op, ...flags, predicate!.trim(), type, target ?? '', wildValue]
    .filter((part) => part !== '')
    .join('.')
    .replace('-', 'm');
  if (!helpers.has(name))
    helpers.set(name, helper(name, { op: op!, flags, predicate: predicate!, type: type!, target, result, wildValue }));
  const list = target === undefined ? `${type} ${a}, ${type} ${b}` : `${type} ${a}`;
  return `${left}call ${result} @${name}(${list})`;
}

interface FlaggedOperation {
  readonly op: string;
  readonly flags: readonly string[];
  /** With a space behind it, or empty. */
  readonly predicate: string;
  readonly type: string;
  /** The type that a `trunc` or `zext` converts to. */
  readonly target: string | undefined;
  readonly result: string;
  readonly wildValue: string;
}

function helper(name: string, { op, flags, predicate, type, target, result, wildValue }: FlaggedOperation): string {
  const lines: string[] = [];
  const bad: string[] = [];
  const emit = (text: string): string => (lines.push(`  %t${lines.length} = ${text}`), `%t${lines.length - 1}`);
  const differs = (x: string, y = '%a'): void => void bad.push(emit(`icmp ne ${type} ${x}, ${y}`));
  const r = target !== undefined ? emit(`${op} ${type} %a to ${target}`) : emit(`${op} ${predicate}${type} %a, %b`);
  for (const flag of flags) {
    if (['add', 'sub', 'mul'].includes(op)) {
      const both = emit(
        `call { ${type}, i1 } @llvm.${flag === 'nuw' ? 'u' : 's'}${op}.with.overflow.${type}(${type} %a, ${type} %b)`,
      );
      bad.push(emit(`extractvalue { ${type}, i1 } ${both}, 1`));
    } else if (op === 'shl') differs(emit(`${flag === 'nuw' ? 'lshr' : 'ashr'} ${type} ${r}, %b`));
    else if (op === 'lshr' || op === 'ashr') differs(emit(`shl ${type} ${r}, %b`));
    else if (op === 'udiv' || op === 'sdiv') differs(emit(`mul ${type} ${r}, %b`));
    else if (op === 'or') differs(emit(`and ${type} %a, %b`), '0');
    else if (op === 'trunc') differs(emit(`${flag === 'nuw' ? 'zext' : 'sext'} ${target} ${r} to ${type}`));
    else if (op === 'zext') bad.push(emit(`icmp slt ${type} %a, 0`));
    else bad.push(emit(`icmp slt ${type} ${emit(`xor ${type} %a, %b`)}, 0`));
  }
  const any = bad.reduce((x, y) => emit(`or i1 ${x}, ${y}`));
  lines.push(`  %r = select i1 ${any}, ${result} ${wildValue}, ${result} ${r}`, `  ret ${result} %r`);
  const list = target === undefined ? `${type} %a, ${type} %b` : `${type} %a`;
  return `define internal ${result} @${name}(${list}) {\n${lines.join('\n')}\n}`;
}
