/** The editors: CodeMirror with the languages of kernels, messages in place, lit lines and the heat of lines. */
import { cpp } from '@codemirror/lang-cpp';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState, RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, gutter, GutterMarker, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import type { ExploredLanguage } from '../src/explorer/protocol.js';

/** How idle the lanes were in a line, and what that is in words. */
export interface LineHeat {
  readonly line: number;
  /** 0 to 1. */
  readonly share: number;
  readonly title: string;
}

export interface SourceMessage {
  readonly severity: 'error' | 'warning' | 'info';
  readonly text: string;
  /** From 1. */
  readonly line: number;
  readonly column: number | null;
}

/** LLVM IR, as far as colours go. */
const IR = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;.*/)) return 'comment';
    if (stream.match(/^c?"[^"]*"/)) return 'string';
    if (stream.match(/^[%@](?:"[^"]*"|[-\w.$]+)/)) return 'variableName';
    if (stream.match(/^[!#][-\w.]*/)) return 'meta';
    if (stream.match(/^-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+(?:e[+-]?\d+)?)?)\b/)) return 'number';
    if (stream.match(/^(?:i\d+|half|bfloat|float|double|ptr|void|label|x)\b/)) return 'typeName';
    if (stream.sol() && stream.match(/^[-\w.$]+:/)) return 'labelName';
    if (stream.match(/^[a-z_][\w.]*/)) return 'keyword';
    stream.next();
    return null;
  },
});

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-type)' },
  { tag: [tags.string, tags.character], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool], color: 'var(--code-number)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.processingInstruction], color: 'var(--code-meta)' },
  { tag: [tags.labelName], color: 'var(--accent)', fontWeight: '600' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--page)', color: 'var(--text)', fontSize: '13px' },
  '.cm-scroller': { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace", lineHeight: '1.45' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--selection) !important',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-lit': { backgroundColor: 'var(--lit)' },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--rule)' },
  // The editor's own squiggles are images in its style sheet, which the page's policy forbids.
  '.cm-lintRange': { backgroundImage: 'none', textDecoration: 'underline wavy var(--muted)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--lit-line)' },
  '.cm-lintRange-info, .cm-lintRange-hint': { backgroundImage: 'none' },
  '.cm-heat': { width: '0.6rem' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--rule)' },
});

const lit = StateEffect.define<readonly number[]>();
const heated = StateEffect.define<readonly LineHeat[]>();

const litLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { effects, changes, state }) {
    let now = lines.map(changes);
    for (const effect of effects)
      if (effect.is(lit)) {
        const mark = Decoration.line({ class: 'cm-lit' });
        const there = effect.value.filter((line) => line >= 1 && line <= state.doc.lines);
        now = RangeSet.of(
          there.map((line) => mark.range(state.doc.line(line).from)),
          true,
        );
      }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class HeatMark extends GutterMarker {
  constructor(private readonly heat: LineHeat) {
    super();
  }

  override eq(other: HeatMark): boolean {
    return other.heat.title === this.heat.title && other.heat.share === this.heat.share;
  }

  override toDOM(): Node {
    const bar = document.createElement('div');
    bar.className = 'heat-bar';
    bar.style.setProperty('--heat', String(this.heat.share));
    bar.title = this.heat.title;
    return bar;
  }
}

const heatOfLines = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, { effects, changes, state }) {
    let now = marks.map(changes);
    for (const effect of effects)
      if (effect.is(heated)) {
        const there = effect.value.filter(({ line }) => line >= 1 && line <= state.doc.lines);
        now = RangeSet.of(
          there.map((each) => new HeatMark(each).range(state.doc.line(each.line).from)),
          true,
        );
      }
    return now;
  },
});

const LANGUAGES: Readonly<Record<ExploredLanguage | 'json', () => Extension>> = {
  hip: () => cpp(),
  opencl: () => cpp(),
  ir: () => IR,
  json: () => cpp(),
};

export interface EditorEvents {
  changed(): void;
  /** The line that the reader points at, or that the cursor is in; null when the pointer leaves. */
  pointed(line: number | null): void;
}

export class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();

  constructor(parent: HTMLElement, label: string, language: ExploredLanguage | 'json', events: EditorEvents) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          basicSetup,
          THEME,
          syntaxHighlighting(COLORS),
          this.#language.of(LANGUAGES[language]()),
          litLines,
          heatOfLines,
          gutter({ class: 'cm-heat', markers: (view) => view.state.field(heatOfLines) }),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) events.changed();
            if (update.selectionSet && !update.docChanged)
              events.pointed(this.#lineAt(update.state.selection.main.head));
          }),
          EditorView.domEventHandlers({
            mousemove: (event, view) => {
              const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
              events.pointed(at === null ? null : this.#lineAt(at));
            },
            mouseleave: () => events.pointed(null),
          }),
        ],
      }),
    });
  }

  #lineAt(position: number): number {
    return this.#view.state.doc.lineAt(position).number;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set text(text: string) {
    const { doc } = this.#view.state;
    if (doc.toString() !== text) this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  setLanguage(language: ExploredLanguage): void {
    this.#view.dispatch({ effects: this.#language.reconfigure(LANGUAGES[language]()) });
  }

  /** @param scroll whether the first of the lines is to be seen */
  light(lines: readonly number[], scroll = false): void {
    const { doc } = this.#view.state;
    const [first] = lines;
    const isThere = scroll && first !== undefined && first <= doc.lines;
    const effects: StateEffect<unknown>[] = [lit.of(lines)];
    if (isThere) effects.push(EditorView.scrollIntoView(doc.line(first).from, { y: 'nearest', yMargin: 40 }));
    this.#view.dispatch({ effects });
  }

  heat(lines: readonly LineHeat[]): void {
    this.#view.dispatch({ effects: heated.of(lines) });
  }

  tell(messages: readonly SourceMessage[]): void {
    const { doc } = this.#view.state;
    const diagnostics = messages.map(({ severity, text, line, column }): Diagnostic => {
      const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(found.from + Math.max((column ?? 1) - 1, 0), found.to);
      const word = /^\w+|^./.exec(doc.sliceString(from, found.to))?.[0].length ?? 0;
      return { from, to: Math.max(from, from + word), severity, message: text };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Puts the cursor there. */
  goTo(line: number, column: number | null): void {
    const { doc } = this.#view.state;
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const anchor = Math.min(found.from + Math.max((column ?? 1) - 1, 0), found.to);
    this.#view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.#view.focus();
  }
}
