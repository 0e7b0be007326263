/** Random text for tokenizer.hip and lz4ish.hip, with tokens and repetitions as in real source code and logs. */
import type { SpecRandom } from '../../src/simulator/launch/random.js';

const NAMES = ['index', 'count', 'x', 'total_1', 'lane', 'buffer', 'i', 'kernel', 'wave', 'sum', 'next', 'value2'];
const MARKS = ['+', '=', '(', ')', '[', ']', ';', '*', '<', ',', '.', '&'];
const STRINGS = ['"ok"', '"a \\"b\\" c"', '"line\\n"', '""', '"tab\\tstop"', '"a longer message, with a comma"'];
const LEVELS = ['INFO', 'WARN', 'ERROR'];
const EVENTS = ['request', 'response', 'timeout', 'retry'];

const pick = <T>(random: SpecRandom, from: readonly T[]): T => from[Math.floor(random.fraction() * from.length)]!;
const whole = (random: SpecRandom, limit: number): number => Math.floor(random.fraction() * limit);

/** Source code, cut off after `length` characters. */
export function sourceLine(random: SpecRandom, length: number): string {
  let line = '';
  while (line.length < length) {
    const kind = random.fraction();
    if (kind < 0.4) line += pick(random, NAMES);
    else if (kind < 0.55) line += whole(random, 10 ** (1 + whole(random, 9)));
    else if (kind < 0.9) line += pick(random, MARKS);
    else if (kind < 0.97) line += pick(random, STRINGS);
    else line += `# ${pick(random, NAMES)} or ${pick(random, NAMES)}\n`;
    if (random.fraction() < 0.4) line += ' ';
  }
  return line.slice(0, length);
}

/** Records of a server's log, cut off after `length` characters. */
export function logLine(random: SpecRandom, length: number): string {
  const host = `10.0.${whole(random, 4)}.${whole(random, 256)}`;
  let text = '';
  while (text.length < length)
    text += `${pick(random, LEVELS)} ${host} ${pick(random, EVENTS)} id=${whole(random, 1e6)} ms=${whole(random, 300)}\n`;
  return text.slice(0, length);
}
