/** The state of the page as the fragment of a link: JSON, deflated, in base64url. No server sees it. */
import { LANGUAGES, type ExploreJob } from '../src/explorer/protocol.js';

export interface PageState {
  readonly job: Omit<ExploreJob, 'source'> & { readonly source: string };
  /** The launch, as JSON. */
  readonly spec: string;
  readonly tab: string;
}

/** Begins the fragment; another format would have another letter. */
const MARK = '#a=';
/** Of the state's JSON: a link may claim to be anything. */
const MOST_BYTES = 8 * 2 ** 20;

export async function linkOf(state: PageState): Promise<string> {
  const packed = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return MARK + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null for a fragment that is none of ours; throws where it is damaged. */
export async function stateOf(fragment: string): Promise<PageState | null> {
  if (!fragment.startsWith(MARK)) return null;
  const state = await unpacked(fragment.slice(MARK.length)).catch(() => null);
  if (state === null) throw new Error('it is damaged, or a part of it is missing');
  return checked(state);
}

async function unpacked(fragment: string): Promise<unknown> {
  const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
  const packed = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    if ((size += part.value.length) > MOST_BYTES) throw new Error('the link holds too much');
  }
  return JSON.parse(await new Blob(chunks as BlobPart[]).text());
}

function checked(value: unknown): PageState {
  const fields = (of: unknown): Record<string, unknown> =>
    typeof of === 'object' && of !== null ? (of as Record<string, unknown>) : {};
  const { job, spec, tab } = fields(value);
  const { source, language, options, flags } = fields(job);
  const isWhole =
    typeof source === 'string' &&
    LANGUAGES.some((each) => each === language) &&
    typeof options === 'object' &&
    options !== null &&
    Array.isArray(flags) &&
    flags.every((flag) => typeof flag === 'string') &&
    typeof spec === 'string' &&
    typeof tab === 'string';
  if (!isWhole) throw new Error('it lacks something');
  return { job: { source, language, options, flags } as PageState['job'], spec, tab };
}
