export type Phase = 'meld' | 'emit';

/** What a running job tells its caller while it runs. */
export interface Events {
  /**
   * @param functionName the function that is being melded; absent where the phase is about the whole module
   */
  progress(phase: Phase, functionName?: string): void;
  /** One line for people. */
  diagnostic(line: string): void;
}

export const NO_EVENTS: Events = { progress: () => {}, diagnostic: () => {} };
