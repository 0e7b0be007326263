/** What clang, LLVM and the page itself have to say, in place and as a list. */
import type { DarmError } from '../src/errors.js';
import type { Explored } from '../src/explorer/protocol.js';
import { byId, element } from './dom.js';
import type { Editor, SourceMessage } from './editor.js';

const SEVERITIES = { note: 'info', remark: 'info', warning: 'warning', error: 'error', fatal: 'error' } as const;

const messagesOf = (diagnostics: Explored['diagnostics']): SourceMessage[] =>
  diagnostics.flatMap(({ severity, message, file, line, column }) =>
    line === null || (file !== null && !/^kernel\./.test(file))
      ? [
          {
            severity: SEVERITIES[severity],
            text: file === null ? message : `${file}: ${message}`,
            line: 0,
            column: null,
          },
        ]
      : [{ severity: SEVERITIES[severity], text: message, line, column }],
  );

export const warningsOf = ({ diagnostics, warnings }: Explored): SourceMessage[] => [
  ...messagesOf(diagnostics),
  ...[...new Set(warnings)].map((text): SourceMessage => ({ severity: 'warning', text, line: 0, column: null })),
];

export function errorsOf(error: DarmError): SourceMessage[] {
  const own = messagesOf((error.source?.diagnostics ?? []) as Explored['diagnostics']);
  const { line = 0, column = null } = error.location ?? {};
  return own.length > 0 ? own : [{ severity: 'error', text: error.message, line, column }];
}

/** @param source the editor that has the lines */
export function showMessages(source: Editor, messages: readonly SourceMessage[]): void {
  source.tell(messages.filter(({ line }) => line > 0));
  byId('messages').replaceChildren(
    ...messages.slice(0, 200).map(({ severity, text, line, column }) => {
      const place = line > 0 ? `${line}${column === null ? '' : `:${column}`}` : '';
      const item = element('li', { class: severity }, element('b', {}, severity), ' ', text);
      if (line > 0) {
        const button = element('button', { type: 'button' }, place);
        button.addEventListener('click', () => source.goTo(line, column));
        item.prepend(button, ' ');
      }
      return item;
    }),
  );
}
