/**
 * Target ids as the AMD toolchain writes them: a processor, then features that are on or off
 * (`gfx90a:sramecc+:xnack-`).
 */
import { DarmError } from '../errors.js';

export interface TargetId {
  /** Empty: what the functions say. */
  readonly cpu: string;
  /** As llc's `-mattr` takes them: `+sramecc,-xnack`. */
  readonly features: string;
}

/** The processors that have a setting (LLVM's TargetParser). Those with other names than `gfx...` are not looked at. */
const HAVE: Readonly<Record<string, RegExp>> = {
  sramecc: /^gfx(90[68a]|942|950|9-4-generic|125[01])$/,
  xnack: /^gfx(801|810|90[024689ac]|942|950|101[0-3]|(9|9-4|10-1)-generic)$/,
};

const lacks = (cpu: string, setting: string): boolean => cpu.startsWith('gfx') && !HAVE[setting]!.test(cpu);

/**
 * A target id with settings by their names (`xnack`: `+`). What it says itself stays, as in clang's driver. A setting
 * that the processor does not have may be off.
 *
 * @throws DarmError `usage` where one is on that the processor does not have
 */
export function withSettings(target: string, settings: ReadonlyMap<string, string>): string {
  const [cpu = '', ...own] = target.split(':');
  const others = [...settings].sort().filter(([name, sign]) => {
    if (own.some((each) => each.slice(0, -1) === name)) return false;
    if (sign === '+' && lacks(cpu, name)) throw new DarmError('usage', `-m${name}: ${cpu} has no ${name}`);
    return !lacks(cpu, name);
  });
  return [target, ...others.map(([name, sign]) => `${name}${sign}`)].join(':');
}

/** Throws `usage` for anything that is no target id. */
export function parseTargetId(text: string | null): TargetId {
  if (text === null) return { cpu: '', features: '' };
  if (text.includes(','))
    throw new DarmError('usage', `'${text}' are several targets, which only a fat binary has: --emit fatbin`);
  const [cpu = '', ...settings] = text.split(':');
  // As clang's driver takes it.
  if (cpu === 'native')
    throw new DarmError('usage', `'native' is no target id: darm looks for no GPU; name its processor (gfx1100)`);
  if (/^gfx./i.test(cpu) && cpu !== cpu.toLowerCase())
    throw new DarmError('usage', `'${text}' is no target id: processors have small letters, '${cpu.toLowerCase()}'`);
  const features = settings.map((setting) => {
    const [, name, sign] = /^(sramecc|xnack)([+-])$/.exec(setting) ?? [];
    if (name === undefined)
      throw new DarmError('usage', `'${text}' is no target id: expected PROCESSOR[:sramecc+|-][:xnack+|-]`);
    if (lacks(cpu, name)) throw new DarmError('usage', `'${text}' is no target id: ${cpu} has no ${name}`);
    return `${sign}${name}`;
  });
  const names = features.map((feature) => feature.slice(1));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DarmError('usage', `'${text}' is no target id: it names ${twice} twice`);
  if (!/^[a-z0-9_-]+$/i.test(cpu)) throw new DarmError('usage', `'${text}' is no target id: it names no processor`);
  return { cpu, features: features.join(',') };
}

/** Refuses what clang's driver refuses (`getConflictTargetIDCombination`): a runtime could take either image. */
export function checkSameSettings(targets: readonly string[]): void {
  const settingsOf = (target: string): string[] => [...target.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const cpuOf = (target: string): string => target.split(':')[0]!;
  const sorted = targets.toSorted();
  for (const target of sorted) {
    const first = sorted.find((each) => cpuOf(each) === cpuOf(target))!;
    if (!settingsOf(target).every((name) => settingsOf(first).includes(name)))
      throw new DarmError(
        'usage',
        `${first} and ${target} exclude each other: targets of one processor name the same settings`,
      );
  }
}
