/** `--profile` of `darm run` and `darm check`: writes the divergence profile as a page or as JSON (docs/profile.md). */
import path from 'node:path';
import { writeOutput } from '../process/files.js';
import { DarmError } from '../errors.js';
import type { LaunchResult } from '../simulator/run.js';

/** The launches of one code object. */
export interface ProfiledRun {
  /** What tells it from the other one; empty if there is none. */
  readonly title: string;
  readonly launches: readonly Pick<LaunchResult, 'profile'>[];
}

type Form = 'html' | 'json';

/** @throws DarmError `usage` */
export function profileForm(file: string): Form {
  const extension = path.extname(file).toLowerCase();
  if (extension === '.html') return 'html';
  if (extension === '.json') return 'json';
  throw new DarmError('usage', `--profile writes .html or .json, and '${file}' is neither`);
}

/** @param source the input, if it is source: its text is shown beside the lines that debug information names */
export async function writeProfile(
  file: string,
  input: string,
  runs: readonly ProfiledRun[],
  source: { readonly name: string; readonly text: string } | null = null,
): Promise<void> {
  const profiled = runs.map(({ title, launches }) => ({
    title,
    launches: launches.flatMap(({ profile }) => profile ?? []),
  }));
  if (profileForm(file) === 'json') {
    const { profileDocument } = await import('../report/json/profile-document.js');
    await writeOutput(file, JSON.stringify(profileDocument(profiled)) + '\n');
    return;
  }
  const { profilePage } = await import('../report/html/profile/page.js');
  const title = input === '-' ? 'standard input' : path.basename(input);
  const texts = new Map<string, string[]>();
  for (const { launches } of profiled)
    for (const { file: named } of launches.flatMap(({ lines }) => lines))
      if (source !== null && path.normalize(named) === path.normalize(source.name))
        texts.set(named, source.text.split(/\r?\n/));
  await writeOutput(file, await profilePage(title, profiled, texts));
}
