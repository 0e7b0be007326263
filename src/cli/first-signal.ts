/** Waits for the first signal that asks a server to end. A second one ends the process at once. */
export function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.once(signal, () => {
        process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
        resolve(signal);
      });
  });
}
