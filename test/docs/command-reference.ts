/**
 * The part of docs/command.md that lists flags and options, made from the command's own definition and the option
 * tables.
 *
 *   npm run docs:command        writes it
 *
 * command.test.ts fails while the page says something else.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Argument, Command, Option } from 'commander';
import { commandLine } from '../../src/cli/arguments.js';
import { longFlag } from '../../src/cli/option-flags.js';
import type { OptionEntry, OptionTable, OptionType } from '../../src/job/option-table.js';
import { JOB_OPTIONS } from '../../src/job/options.js';
import { SIMULATION_OPTIONS } from '../../src/job/simulation-options.js';
import { REPOSITORY } from '../support/llvm.js';

export const PAGE = path.join(REPOSITORY, 'docs', 'command.md');

/** Everything behind this line is made. */
export const MARK = '<!-- Made by `npm run docs:command`; edit the option tables in src/, not what follows. -->\n';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const row = (...cells: string[]): string => `| ${cells.join(' | ')} |\n`;

function table(header: string[], rows: string[]): string {
  return row(...header) + row(...header.map(() => '---')) + rows.join('');
}

function flagRow({ flags, description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const isWorthSaying = defaultValue !== undefined && defaultValue !== false && String(defaultValue) !== '';
  const byDefault = isWorthSaying ? (defaultValueDescription ?? String(defaultValue)) : '';
  const choices = argChoices === undefined ? '' : ` (${argChoices.map(code).join(', ')})`;
  return row(code(flags), cell(description) + choices, byDefault === '' ? '' : code(byDefault));
}

const argumentRow = (argument: Argument): string =>
  row(
    code(argument.name()),
    cell(argument.description) + (argument.argChoices ? ` (${argument.argChoices.map(code).join(', ')})` : ''),
  );

function commandSection(command: Command): string {
  const operands = command.registeredArguments;
  const usage = operands.map((each) => {
    const name = each.name() + (each.variadic ? '...' : '');
    return each.required ? ` <${name}>` : ` [${name}]`;
  });
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
  return [
    `### darm ${command.name()}\n`,
    `\`darm ${command.name()}${usage.join('')} [options]\`: ${cell(command.description())}.\n`,
    ...(operands.length > 0 ? [table(['operand', 'what it is'], operands.map(argumentRow))] : []),
    ...(flags.length > 0 ? [table(['flag', 'meaning', 'default'], flags.map(flagRow))] : []),
  ].join('\n');
}

function typeText(type: OptionType): string {
  switch (type.kind) {
    case 'choice':
      return type.values.map((value) => code(JSON.stringify(value))).join(', ');
    case 'number':
      return `${type.whole ? 'whole number' : 'number'}, ${type.low} to ${type.high}`;
    case 'text':
      return 'text';
    case 'nullable':
      return `${typeText(type.of)} or \`null\``;
    case 'list':
      return `array of ${typeText(type.of)}`;
    case 'boolean':
      return '`true`, `false`';
  }
}

function optionRow([name, entry]: [string, OptionEntry]): string {
  const flag = entry.flag === undefined ? '' : code(longFlag(name, entry));
  return row(code(name), cell(entry.about), typeText(entry.type), code(JSON.stringify(entry.default)), flag);
}

const optionTable = (options: OptionTable): string =>
  table(['name', 'meaning', 'values', 'default', 'flag'], Object.entries(options).map(optionRow));

export function commandReference(): string {
  const program = commandLine(() => {});
  return [
    '\n## Subcommands and their flags\n',
    program.commands.map(commandSection).join('\n'),
    '## Options of a job by name\n',
    'The library, the service (query and form) and the manifests of `darm batch` take these names.\n',
    optionTable(JOB_OPTIONS),
    '## Options of a simulation by name\n',
    optionTable(SIMULATION_OPTIONS),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [prose] = readFileSync(PAGE, 'utf8').split(MARK);
  writeFileSync(PAGE, prose + MARK + commandReference());
}
