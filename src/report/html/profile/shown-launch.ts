import type { LaunchProfile } from '../../../simulator/profile/profile.js';

/** A launch of one run. */
export interface ShownLaunch {
  /** What tells the runs apart: `meld off`; empty if there is only one. */
  readonly title: string;
  readonly profile: LaunchProfile;
}
