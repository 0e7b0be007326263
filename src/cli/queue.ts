/** What `darm batch`, `darm check` and `darm worker` share: the way to the queue, and the store for what is large. */
import { toolchainDigest } from '../compiler/toolchain.js';
import { parseQueueAddress } from '../fleet/address.js';
import { Carrier } from '../fleet/carrier.js';
import { QueueConnection } from '../fleet/connection.js';
import { BlobStore } from '../remote-cache/blob-store.js';
import { remoteCacheOption, type RemoteCacheFlags } from './cache-arguments.js';
import type { QueueFlags } from './queue-arguments.js';

/** @throws DarmError `usage` */
export async function queueOf(
  url: string,
  flags: QueueFlags & RemoteCacheFlags,
): Promise<{ readonly connection: QueueConnection; readonly carrier: Carrier }> {
  const address = parseQueueAddress(url, process.env['DARM_QUEUE_PASSWORD']);
  const { remoteCache } = remoteCacheOption(flags);
  const setting = { address, name: flags.queueName, toolchain: await toolchainDigest() };
  return {
    connection: await QueueConnection.load(setting),
    carrier: new Carrier(remoteCache === undefined ? null : new BlobStore(remoteCache)),
  };
}
