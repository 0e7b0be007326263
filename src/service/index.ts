/** The subpath `darm/service`: the compile service as a web-standard handler. */
export { createService, DEFAULT_SERVICE, type FetchLimits, type Service, type ServiceOptions } from './service.js';
export type { ServiceLog } from './log.js';
export { listen, type ListenOptions, type ServiceServer } from './node-server.js';
