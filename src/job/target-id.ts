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

const FEATURES = ['sramecc', 'xnack'];

/** Throws `usage` for anything that is no target id. */
export function parseTargetId(text: string | null): TargetId {
  if (text === null) return { cpu: '', features: '' };
  const [cpu = '', ...settings] = text.split(':');
  const features = settings.map((setting) => {
    const match = /^([a-z0-9]+)([+-])$/.exec(setting);
    if (!match || !FEATURES.includes(match[1]!))
      throw new DarmError('usage', `'${text}' is no target id: expected PROCESSOR[:sramecc+|-][:xnack+|-]`);
    return `${match[2]}${match[1]}`;
  });
  const names = features.map((feature) => feature.slice(1));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DarmError('usage', `'${text}' is no target id: it names ${twice} twice`);
  if (!/^[a-z0-9_-]+$/i.test(cpu)) throw new DarmError('usage', `'${text}' is no target id: it names no processor`);
  return { cpu, features: features.join(',') };
}
