/** Paths as clang writes them, whatever the platform: what `path.posix` does, in few lines and without Node. */

/** Without `.`, `..` and empty steps; an ending slash stays. */
export function normalized(path: string): string {
  const isAbsolute = path.startsWith('/');
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (!isAbsolute) steps.push(step);
  }
  const body = steps.join('/');
  if (body === '') return isAbsolute ? '/' : path.endsWith('/') ? './' : '.';
  return `${isAbsolute ? '/' : ''}${body}${path.endsWith('/') ? '/' : ''}`;
}

export const joined = (folder: string, name: string): string => normalized(`${folder}/${name}`);

/** `.` for a name without a folder. */
export function folderOf(path: string): string {
  const name = path.replace(/\/+$/, '');
  const end = name.lastIndexOf('/');
  if (end < 0) return path.startsWith('/') ? '/' : '.';
  const folder = name.slice(0, end);
  return folder === '' ? '/' : folder;
}
