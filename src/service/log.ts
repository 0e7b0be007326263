/** The service's log: what the service needs of a logger, and a logger that cannot do any harm. */

/** Writes one line per call. A pino logger can be used as one. */
export interface ServiceLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** How many lines could not be written. */
  dropped?(): number;
}

/** A logger that never throws: lines that fail are dropped and counted. */
export function safeLog(log: ServiceLog | null): Required<ServiceLog> {
  let failed = 0;
  const write = (level: 'info' | 'error', fields: object, message: string): void => {
    try {
      log?.[level](fields, message);
    } catch {
      failed++;
    }
  };
  return {
    info: (fields, message) => write('info', fields, message),
    error: (fields, message) => write('error', fields, message),
    dropped: () => failed + (log?.dropped?.() ?? 0),
  };
}
