/** What the views of a profile share: numbers as text, and how busy the lanes are. */
import type { LaunchProfile, ProfiledInstruction, ProfileFigures } from '../../../simulator/profile/profile.js';

/** Levels of activity: 0 never, `LEVELS` always. */
export const LEVELS = 8;

/** Rounded, with commas: `12,345`. */
export const whole = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

/** With one decimal, if it is small and not whole. */
export const decimal = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? whole(value) : value.toFixed(1);

export const percent = (part: number, all: number): string => {
  const value = all === 0 ? 0 : (100 * part) / all;
  return `${value === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} %`;
};

export const hex = (address: number): string => `0x${address.toString(16).padStart(4, '0')}`;

/** Names blocks as pages do. */
export const blockName = (block: number): string => `B${block}`;

/** Active lanes on average: over time, if there is an estimate, else over instructions. */
export function meanLanes({ executed, lanes, time }: ProfileFigures, waveSize: number): number {
  if (time !== null && time.waveCycles > 0) return waveSize - time.idleLaneCycles / time.waveCycles;
  return executed === 0 ? 0 : lanes / executed;
}

/** What pictures are to scale by: cycles, if there is an estimate, else executed instructions. */
export const weight = ({ time, executed }: ProfileFigures): number => time?.cycles ?? executed;

/** The same that idle lanes lose. */
export const lost = (figures: ProfileFigures, waveSize: number): number =>
  figures.time?.lostCycles ?? figures.executed - figures.lanes / waveSize;

export const unit = ({ time }: ProfileFigures): string => (time === null ? 'instructions' : 'cycles');

/** By lane: in which part of the executions it was active, 0 to 1. */
export const activity = ({ laneCounts, executed }: ProfiledInstruction): number[] =>
  laneCounts.map((count) => count / executed);

/** How much of `all` a lane was active, in steps: 0 only for never, and `LEVELS` only for always. */
export function level(active: number, all = 1): number {
  if (active <= 0) return 0;
  // The last bits of a sum of times do not count.
  if (active >= all * (1 - 1e-9)) return LEVELS;
  return Math.min(LEVELS - 1, Math.max(1, Math.round((active / all) * LEVELS)));
}

/** What an instruction is shown as: its line of source, if known, else its block and address. */
export function place({ blocks, instructions, lines }: LaunchProfile, instruction: number): string {
  const { line, block, address } = instructions[instruction]!;
  const source = lines[line];
  if (source !== undefined) return `${baseName(source.file)}:${source.line}`;
  return blocks.length > 1 ? `${blockName(block)} ${hex(address)}` : hex(address);
}

/** What stands beside a picture of the program: the line of source, if there are any, else the block; null: nothing. */
export function sideLabel({ instructions, lines }: LaunchProfile, instruction: number): string | null {
  const { line, block } = instructions[instruction]!;
  if (lines.length === 0) return blockName(block);
  return line < 0 ? null : `line ${lines[line]!.line}`;
}

/** Rows of a table: a browser is slow with more. What is left out is in the JSON profile. */
const MOST_BRANCHES = 500;
const MOST_INSTRUCTIONS = 3000;

/** The branches that have a row, with their numbers; the costly ones come first. */
export const listedBranches = ({ branches }: LaunchProfile) =>
  branches.slice(0, MOST_BRANCHES).map((branch, place) => ({ branch, rank: place + 1 }));

/** How many instructions have a row, from the first on. */
export const listedInstructions = ({ instructions }: LaunchProfile): number =>
  Math.min(instructions.length, MOST_INSTRUCTIONS);

export const baseName = (file: string): string => file.replace(/^.*\//, '');
