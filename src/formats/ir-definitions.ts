/**
 * What a module defines, and what refers to what, from its text. This relies on the way LLVM prints modules: every
 * definition begins in the first column; a function extends from `define` to `}`, everything else is one line. A name
 * in the text of a string counts as a reference, too; one that is not there would be worse.
 */

export interface IrDefinition {
  readonly name: string;
  readonly kind: 'function' | 'variable' | 'alias';
  /** Not visible outside of the module. */
  readonly local: boolean;
  /** Nothing can change it: neither the module nor who loads it. Functions are constant. */
  readonly constant: boolean;
  /** 0 for generic addresses. */
  readonly addressSpace: number;
  /** Lines of text, about the number of instructions. */
  readonly lines: number;
  /** Names that it mentions. */
  readonly mentions: ReadonlySet<string>;
}

const NAME = /@(?:"([^"]*)"|([-\w.$]+))/g;
const VARIABLE = /^(?:\S+ )*?(?:addrspace\((\d+)\) )?(?:externally_initialized )?(global|constant) /;

/** Definitions in module order, without declarations. */
export function irDefinitions(module: string): IrDefinition[] {
  const lines = module.split('\n');
  const definitions: IrDefinition[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('@')) {
      const [name, ...mentions] = namesIn(line);
      const definition = dataDefinition(name!, line.slice(line.indexOf(' = ') + 3), mentions);
      if (definition !== null) definitions.push(definition);
    } else if (line.startsWith('define ')) {
      const end = lines.indexOf('}', at);
      const [name, ...mentions] = lines.slice(at, end).flatMap(namesIn);
      const local = /^define (?:internal|private) /.test(line);
      const fixed = { kind: 'function', constant: true, addressSpace: 0 } as const;
      definitions.push({ name: name!, local, lines: end - at, mentions: new Set(mentions), ...fixed });
      at = end;
    }
  }
  return definitions;
}

const namesIn = (text: string): string[] => [...text.matchAll(NAME)].map(([, quoted, plain]) => quoted ?? plain!);

function dataDefinition(name: string, rest: string, mentions: readonly string[]): IrDefinition | null {
  const local = /^(?:internal|private) /.test(rest);
  const common = { name, local, lines: 0, mentions: new Set(mentions) };
  const variable = VARIABLE.exec(rest);
  if (variable === null) return { ...common, kind: 'alias', constant: true, addressSpace: 0 };
  if (/^(?:external|extern_weak|available_externally) /.test(rest)) return null;
  const constant = variable[2] === 'constant' && !variable[0].includes('externally_initialized ');
  return { ...common, kind: 'variable', constant, addressSpace: Number(variable[1] ?? 0) };
}
