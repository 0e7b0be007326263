/** Where results of `compile` are kept: a folder, a server, or both. The folder comes first, and gets what is found. */
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { RemoteCache } from '../remote-cache/client.js';
import type { RemoteCacheReport } from '../remote-cache/setting.js';
import type { CacheCounts, CompileCache } from './compile-cache.js';
import { decodeShared, encodeShared } from './stored-result.js';

export class CompileCaches {
  constructor(
    readonly local: CompileCache | null,
    private readonly remote: RemoteCache | null,
  ) {}

  get counts(): CacheCounts | null {
    return this.local?.counts ?? null;
  }

  get remoteReport(): RemoteCacheReport | null {
    return this.remote?.report ?? null;
  }

  /** What was kept, without timings; null when there is nothing. */
  async get(key: string, job: JobOptions): Promise<CompileResult | null> {
    const kept = (await this.local?.get(key)) ?? null;
    if (kept !== null || this.remote === null) return kept;
    const found = await this.remote.get(key, (content) => decodeShared(content, key, job));
    if (found === null) return null;
    this.remote.saved(found.milliseconds);
    await this.local?.put(key, found.result);
    return found.result;
  }

  async put(key: string, result: CompileResult): Promise<void> {
    this.remote?.compiled(result.timings['total'] ?? 0);
    this.remote?.put(key, encodeShared(key, result));
    await this.local?.put(key, result);
  }

  /** Waits for what is on its way to the server, but not for long. */
  async close(): Promise<void> {
    await this.remote?.close();
  }
}
