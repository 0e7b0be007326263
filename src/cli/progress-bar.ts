/** A progress bar on standard error, which is gone when it ends. */
import type { Presets, SingleBar } from 'cli-progress';

/** CommonJS: how Node really imports it, its types do not say. */
interface Package {
  readonly default: { readonly SingleBar: typeof SingleBar; readonly Presets: typeof Presets };
}

export async function progressBar(format?: string): Promise<SingleBar> {
  const { default: progress } = (await import('cli-progress')) as unknown as Package;
  const options = { clearOnComplete: true, stream: process.stderr, ...(format !== undefined && { format }) };
  return new progress.SingleBar(options, progress.Presets.shades_classic);
}
