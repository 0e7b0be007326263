/** Registers in the text of operands. */

/** Halves of registers, as numbers: since gfx11 an operand can be one half, `v0.l`. */
export type Halves = readonly number[];

const FILES = ['s', 'v', 'a'];
const REGISTER = /(?<![\w.])(?:([sva])(?:(\d+)(?:\.([lh]))?|\[(\d+):(\d+)\])|(vcc)(?:_(lo|hi))?)(?![\w[])/g;
const VCC = 106;

const halvesOf = (file: string, index: number): number[] => {
  const first = (FILES.indexOf(file) * 512 + index) * 2;
  return [first, first + 1];
};

/** In their order; those of a register that stands there twice are there twice. */
export function registersIn(text: string): Halves {
  const halves: number[] = [];
  for (const [, file, index, half, from, to, vcc, part] of text.matchAll(REGISTER)) {
    if (vcc !== undefined) {
      if (part !== 'hi') halves.push(...halvesOf('s', VCC));
      if (part !== 'lo') halves.push(...halvesOf('s', VCC + 1));
    } else if (index !== undefined) {
      const [low, high] = halvesOf(file!, Number(index)) as [number, number];
      if (half !== 'h') halves.push(low);
      if (half !== 'l') halves.push(high);
    } else for (let each = Number(from); each <= Number(to); each++) halves.push(...halvesOf(file!, each));
  }
  return halves;
}

/** For messages. */
export function registerName(half: number): string {
  const index = (half >> 1) % 512;
  const file = FILES[((half >> 1) / 512) | 0]!;
  return file === 's' && index >= VCC ? `vcc_${index === VCC ? 'lo' : 'hi'}` : `${file}${index}`;
}
