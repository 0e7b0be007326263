/**
 * Options as tables. A table says once, for each option, what values it takes, its default, what it is for, and how the
 * command spells it. From it come the type of the options, their check, the command's flags and help
 * (cli/option-flags.ts), the query and the OpenAPI schema of the service (service/schemas.ts), and the reference
 * (docs/command.md).
 *
 * Why this and not zod: everything that compiles needs its options checked, and to import zod takes 46 ms of a cold
 * start.
 */
import { DarmError } from '../errors.js';

type Shape =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'number'; readonly low: number; readonly high: number; readonly whole: boolean }
  /** Not empty. */
  | { readonly kind: 'text' }
  | { readonly kind: 'nullable'; readonly of: OptionType }
  /** Nothing twice, and at least `least` items. */
  | { readonly kind: 'list'; readonly of: OptionType; readonly least: number };

/** What values an option takes. `V` is their type in TypeScript; nothing of it is there at run time. */
export type OptionType<V = unknown> = Shape & { readonly valueType?: V };

export const boolean: OptionType<boolean> = { kind: 'boolean' };
export const text: OptionType<string> = { kind: 'text' };
export const choice = <const V extends string | number>(...values: readonly V[]): OptionType<V> => ({
  kind: 'choice',
  values,
});
export const numberIn = (low: number, high: number): OptionType<number> => ({
  kind: 'number',
  low,
  high,
  whole: false,
});
export const wholeNumberIn = (low: number, high: number): OptionType<number> => ({
  kind: 'number',
  low,
  high,
  whole: true,
});
export const nullable = <V>(of: OptionType<V>): OptionType<V | null> => ({ kind: 'nullable', of });
export const listOf = <V>(of: OptionType<V>, least = 0): OptionType<readonly V[]> => ({ kind: 'list', of, least });

/** How the command spells an option. */
export interface OptionFlag {
  /** The subcommands that take it. */
  readonly commands: readonly string[];
  /** The long flag without its dashes; by default the option's name, `meld-point` for `meldPoint`. */
  readonly name?: string;
  readonly letter?: string;
  /** What stands for the value in the help; not for booleans. */
  readonly value?: string;
  /** The help, where it is not what the option is for: a flag that turns an option off says what happens then. */
  readonly help?: string;
  /** What the help says of the default, where that depends on the subcommand or the input. */
  readonly byDefault?: (command: string) => string;
}

export interface OptionEntry<V = unknown> {
  readonly type: OptionType<V>;
  readonly default: V;
  /** What the option is for: a phrase, as in the help of a command. */
  readonly about: string;
  /** Absent where the command sets the option by other means. */
  readonly flag?: OptionFlag;
}

export type OptionTable = Readonly<Record<string, OptionEntry>>;

/** An entry; its default is held against its type. */
export const option = <V>(type: OptionType<V>, rest: Omit<OptionEntry<NoInfer<V>>, 'type'>): OptionEntry<V> => ({
  type,
  ...rest,
});

/** The options of a table with a value each. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends OptionEntry<infer V> ? V : never;
};

export function defaultsOf<Table extends OptionTable>(table: Table): OptionsOf<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, entry.default])) as OptionsOf<Table>;
}

/** What is wrong with a value (`must be …`), or null. */
export type Check = (value: unknown) => string | null;

export function complaintAbout(type: OptionType, value: unknown): string | null {
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'choice':
      return type.values.includes(value as string)
        ? null
        : `must be one of ${type.values.map((each) => JSON.stringify(each)).join(', ')}`;
    case 'number': {
      const isIn = typeof value === 'number' && value >= type.low && value <= type.high;
      if (isIn && (!type.whole || Number.isInteger(value))) return null;
      return `must be a ${type.whole ? 'whole ' : ''}number from ${type.low} to ${type.high}`;
    }
    case 'text':
      return typeof value === 'string' && value !== '' ? null : 'must be a string that is not empty';
    case 'nullable':
      return value === null ? null : complaintAbout(type.of, value);
    case 'list':
      if (!Array.isArray(value) || value.length < type.least)
        return 'must be an array' + (type.least > 0 ? ' that is not empty' : '');
      if (new Set(value).size !== value.length) return 'must not name anything twice';
      // A copy has no holes, which `map` leaves out.
      return (
        [...(value as unknown[])]
          .map((each) => complaintAbout(type.of, each))
          .find((complaint) => complaint !== null) ?? null
      );
  }
}

/** The check of each option: by its type, or one of its own. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: OptionType | Check };

/**
 * Refuses options by name that are not known or have an impossible value. An option that is `undefined` counts as not
 * given.
 *
 * @param where whose options they are, for the message: `compile()`
 * @throws DarmError `usage`
 */
export function checkOptions<Options extends object>(where: string, options: Options, checks: Checks<Options>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new DarmError('usage', `the options of ${where} must be an object`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) throw new DarmError('usage', `unknown option "${unknown}" in ${where}`);
  // Options may be inherited.
  for (const name of Object.keys(checks) as (keyof Options & string)[]) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    const check = checks[name];
    const complaint = typeof check === 'function' ? check(value) : complaintAbout(check, value);
    if (complaint !== null) throw new DarmError('usage', `option "${name}" in ${where} ${complaint}`);
  }
}

/** @throws DarmError `usage` for the first of `names` that is not given */
export function requireOptions<Options extends object>(
  where: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  const missing = names.find((name) => (options as Options | undefined)?.[name] === undefined);
  if (missing !== undefined) throw new DarmError('usage', `${where} needs the option "${missing}"`);
}

/** The options of these names that are given, inherited ones among them. */
export function givenOf<Options extends object>(options: Options, names: readonly string[]): Options {
  const given = names.map((name) => [name, options[name as keyof Options]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Options;
}

/**
 * The options of a table: those that are given, and defaults for the rest.
 *
 * @throws DarmError `usage`
 */
export function completeOptions<Table extends OptionTable>(
  where: string,
  given: Partial<OptionsOf<Table>>,
  table: Table,
): OptionsOf<Table> {
  const types = Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, type]));
  checkOptions(where, given as object, types);
  return { ...defaultsOf(table), ...givenOf(given, Object.keys(table)) };
}
