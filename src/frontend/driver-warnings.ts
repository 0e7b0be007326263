/**
 * What clang's driver itself says of flags, in front of all that `-cc1` says of the source, and what the flags for
 * warnings make of it (`ProcessWarningOptions` in clang/lib/Basic/Warnings.cpp).
 */
import type { SourceDiagnostic } from '../errors.js';

export interface DriverWarning {
  readonly message: string;
  /** The groups that it is in, its own first. Without one it cannot be switched off. */
  readonly groups: readonly string[];
}

export const FAST: DriverWarning = {
  message:
    "argument '-Ofast' is deprecated; use '-O3' to enable only conforming optimizations, " +
    'or consult the documentation for the same behavior',
  groups: ['deprecated-ofast', 'deprecated'],
};

/** @param level above 3 */
export const levelWarning = (level: string): DriverWarning =>
  level === '4'
    ? { message: '-O4 is equivalent to -O3', groups: ['deprecated'] }
    : { message: `optimization level '-O${level}' is not supported; using '-O3' instead`, groups: [] };

/** @param words for `-cc1`, with the flags for warnings in the order in which they were given */
export function driverDiagnostics(
  warnings: Iterable<DriverWarning | null>,
  words: readonly string[],
): SourceDiagnostic[] {
  return [...warnings].flatMap((warning) => {
    if (warning === null) return [];
    const severity = severityOf(warning, words);
    const place = { file: null, line: null, column: null };
    return severity === null
      ? []
      : [{ severity, message: warning.message, ...place, option: warning.groups[0] ?? null }];
  });
}

/** As clang prints them. */
export const driverLog = (diagnostics: readonly SourceDiagnostic[]): string =>
  diagnostics
    .map(({ severity, message, option }) => {
      const flags = option === null ? '' : ` [${severity === 'error' ? '-Werror,' : ''}-W${option}]`;
      return `${severity}: ${message}${flags}\n`;
    })
    .join('');

/** Null: not shown. */
function severityOf({ groups }: DriverWarning, words: readonly string[]): 'warning' | 'error' | null {
  if (groups.length === 0) return 'warning';
  if (words.includes('-w')) return null;
  let severity: 'warning' | 'error' | null = 'warning';
  /** By `-Werror` alone, and whether that is for this warning, too. */
  let [areErrors, mayBeError] = [false, true];
  for (const word of words) {
    const [, no, error, group = ''] = /^-W(no-)?(error=)?(.+)$/.exec(word) ?? [];
    if (group === 'error') areErrors = no === undefined;
    else if (!groups.includes(group) && (group !== 'everything' || error !== undefined)) continue;
    else if (error === undefined) severity = no === undefined ? (severity ?? 'warning') : null;
    else if (no === undefined) severity = 'error';
    else {
      mayBeError = false;
      severity &&= 'warning';
    }
  }
  return severity === 'warning' && areErrors && mayBeError ? 'error' : severity;
}
