/** From an option table to commander's flags, and from parsed flags back to options; and flags with numbers. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { complaintAbout, type OptionEntry, type OptionTable, type OptionType } from '../job/option-table.js';

/** Adds the flags of a table that this subcommand takes. */
export function addTableFlags(command: Command, table: OptionTable): Command {
  for (const [name, entry] of Object.entries(table))
    if (entry.flag?.commands.includes(command.name())) command.addOption(flagOf(name, entry, command.name()));
  return command;
}

/** The options that were given by flags, or by the defaults of flags. */
export function optionsFromFlags<Options extends object>(table: OptionTable, flags: object): Partial<Options> {
  const values = flags as Readonly<Record<string, unknown>>;
  const options: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(table)) {
    if (entry.flag === undefined) continue;
    const value = values[flagOf(name, entry, '').attributeName()];
    if (value !== undefined) options[name] = value;
  }
  return options as Partial<Options>;
}

/** How the command spells an option: `--meld-point`, or `--no-cycles` for what is on by default. */
export function longFlag(name: string, entry: OptionEntry): string {
  const long = entry.flag?.name ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return entry.default === true ? `--no-${long}` : `--${long}`;
}

function flagOf(name: string, entry: OptionEntry, command: string): Option {
  const { type, about, flag = { commands: [] } } = entry;
  const letter = flag.letter === undefined ? '' : `-${flag.letter}, `;
  const value = type.kind === 'boolean' ? '' : ` <${flag.value}>`;
  const result = new Option(letter + longFlag(name, entry) + value, flag.help ?? about);
  // Null stands for "not given".
  if (entry.default !== null && entry.default !== true) result.default(entry.default, flag.byDefault?.(command));
  if (type.kind === 'choice' && type.values.every((each) => typeof each === 'string'))
    return result.choices(type.values);
  return type.kind === 'boolean' ? result : result.argParser(parserOf(type));
}

/** Lists are given by repeating the flag. Repeated texts are joined by commas. */
function parserOf(type: OptionType): (given: string, before: unknown) => unknown {
  switch (type.kind) {
    case 'number':
      return numeric(type.low, type.high, { whole: type.whole });
    case 'choice':
      return (given) => {
        const value = type.values.find((each) => String(each) === given);
        if (value === undefined) throw complaint(type, given);
        return value;
      };
    case 'list':
      return (given, before) => {
        if (complaintAbout(type.of, given) !== null) throw complaint(type.of, given);
        return [...new Set([...((before ?? []) as string[]), given])];
      };
    case 'nullable':
      return parserOf(type.of);
    default:
      return (given, before) => {
        if (complaintAbout(type, given) !== null) throw complaint(type, given);
        return typeof before === 'string' ? `${before},${given}` : given;
      };
  }
}

const complaint = (type: OptionType, given: string): InvalidArgumentError =>
  new InvalidArgumentError(`It ${complaintAbout(type, given)}.`);

/** A parser of numbers; `scale` turns the unit of the command line into ours. */
export function numeric(low: number, high: number, { whole = false, scale = 1 } = {}): (given: string) => number {
  return (given) => {
    const value = given.trim() === '' ? NaN : Number(given);
    if (!(value >= low && value <= high) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}.`);
    return value * scale;
  };
}

export const portNumber = numeric(0, 65535, { whole: true });

/** A time in seconds on the command line, in milliseconds inside. */
export const seconds = (flags: string, description: string, fallback: number, low = 0, high = 2_000_000): Option =>
  new Option(flags, description)
    .argParser(numeric(low, high, { scale: 1000 }))
    .default(fallback * 1000, String(fallback));

const MIB = 2 ** 20;

/** A number of MiB on the command line, of bytes inside. */
export const mebibytes = (flags: string, description: string, fallback: number, low: number, high: number): Option =>
  new Option(flags, description)
    .argParser(numeric(low, high, { whole: true, scale: MIB }))
    .default(fallback * MIB, String(fallback));
