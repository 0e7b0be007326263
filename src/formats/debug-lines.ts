/**
 * Which line of the source an instruction of a module's text comes from. For code that was inlined from another file it
 * is the line of the call. This relies on the way LLVM prints debug information: one numbered line for each node.
 */

const NODE =
  /^!(\d+) = (?:distinct )?!(DILocation|DISubprogram|DILexicalBlock|DILexicalBlockFile|DIFile|DICompileUnit)\((.*)\)$/gm;
const ATTACHED = /, !dbg !(\d+)/;

interface Node {
  readonly kind: string;
  readonly text: string;
}

export class DebugLines {
  readonly #nodes = new Map<string, Node>();
  readonly #file: string | null;

  constructor(module: string) {
    let unit: Node | null = null;
    if (module.includes('!DICompileUnit('))
      for (const [, id, kind, text] of module.matchAll(NODE)) {
        const node = { kind: kind!, text: text! };
        this.#nodes.set(id!, node);
        if (kind === 'DICompileUnit') unit ??= node;
      }
    this.#file = unit === null ? null : this.#fileOf(unit);
  }

  /** Whether there is debug information. */
  get isEmpty(): boolean {
    return this.#file === null;
  }

  /** From 1; 0 for an instruction of no line, or of several that became one. */
  lineOf(instruction: string): number {
    let at = ATTACHED.exec(instruction)?.[1];
    // Chains of inlined calls do not end in themselves, but the text is not ours.
    for (let depth = 0; at !== undefined && depth < 100; depth++) {
      const node = this.#nodes.get(at);
      if (node?.kind !== 'DILocation') return 0;
      const line = Number(/\bline: (\d+)/.exec(node.text)?.[1] ?? 0);
      if (line > 0 && this.#fileOf(node) === this.#file) return line;
      at = reference(node, 'inlinedAt');
    }
    return 0;
  }

  #fileOf(from: Node): string | null {
    let node: Node | undefined = from;
    for (let depth = 0; node !== undefined && depth < 100; depth++) {
      if (node.kind === 'DIFile') return /\bfilename: "([^"]*)"/.exec(node.text)?.[1] ?? null;
      const next: string | undefined = reference(node, 'file') ?? reference(node, 'scope');
      node = next === undefined ? undefined : this.#nodes.get(next);
    }
    return null;
  }
}

const reference = ({ text }: Node, field: string): string | undefined =>
  new RegExp(`\\b${field}: !(\\d+)`).exec(text)?.[1];
