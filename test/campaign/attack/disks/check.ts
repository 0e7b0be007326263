/** One thing that is tried in the phase `disks`. */
export interface Check {
  readonly name: string;
  /** Returns a complaint or null. */
  readonly run: () => Promise<string | null>;
}
