/** Launches that are checked elsewhere, as they travel: the code objects by themselves, the rest as JSON. */
import { createHash } from 'node:crypto';
import type { LaunchCheck, LaunchQuestion } from '../compiler/check-launch.js';
import { toolchainDigest } from '../compiler/toolchain.js';
import { decodeExact, encodeExact } from './exact-json.js';

export const encodeRest = ({ before: _, after: __, ...rest }: LaunchQuestion): Uint8Array => encodeExact(rest);

/** @param rest checked by its hash, and not by its form: what is wrong with it is an error of the simulation */
export const questionOf = (before: Uint8Array, after: Uint8Array, rest: Uint8Array): LaunchQuestion => ({
  ...(decodeExact(rest) as Omit<LaunchQuestion, 'before' | 'after'>),
  before,
  after,
});

/** The key of a check, 64 hexadecimal digits. */
export async function checkKey(before: Uint8Array, after: Uint8Array, rest: Uint8Array): Promise<string> {
  const sizes = JSON.stringify(['check', before.length, after.length]);
  const hash = createHash('sha256').update(`${await toolchainDigest()}\0${sizes}\0`);
  return hash.update(before).update(after).update(rest).digest('hex');
}

export const encodeCheck = (key: string, check: LaunchCheck): Uint8Array => encodeExact({ key, check });

/** @throws Error for everything but the result of that key, as far as can be told */
export function decodeCheck(bytes: Uint8Array, key: string): LaunchCheck {
  const { key: theirs, check } = Object(decodeExact(bytes)) as { key: unknown; check: LaunchCheck };
  if (theirs !== key) throw new Error('the result belongs to another job');
  const { unfit, failure, kernels, before, after, differences, race } = Object(check) as LaunchCheck;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  if (![unfit, failure, race].every(isText) || ![kernels, before, after, differences].every(Array.isArray))
    throw new Error('the result has another form');
  for (const launch of [...before, ...after])
    if (typeof launch.kernel !== 'string' || typeof launch.counters !== 'object')
      throw new Error('a launch has another form');
  for (const { name, index } of differences)
    if (typeof name !== 'string' || typeof index !== 'number') throw new Error('a difference has another form');
  return check;
}
