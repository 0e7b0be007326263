/**
 * Lanes of an atomic operation that meet at one address: memory serves them one after the other. LLVM's
 * AMDGPUAtomicOptimizer exists for that reason; on an NVIDIA GPU it was measured (docs/evaluation.md).
 */
const SLOTS = 256;
const slotPlace = new Int32Array(SLOTS);
const slotCount = new Uint8Array(SLOTS);
const slotRound = new Int32Array(SLOTS);
let round = 0;

/**
 * How many lanes wait for another one at the address that most of them have. Those at other addresses do so meanwhile.
 *
 * @param active how many places count, at most 64
 */
export function waitingLanes(at: Int32Array, active: number): number {
  round = (round + 1) | 0;
  let most = 0;
  for (let k = 0; k < active; k++) {
    const place = at[k]!;
    let slot = Math.imul(place, 0x9e3779b1) >>> 24;
    while (slotRound[slot] === round && slotPlace[slot] !== place) slot = (slot + 1) & (SLOTS - 1);
    if (slotRound[slot] !== round) {
      slotRound[slot] = round;
      slotPlace[slot] = place;
      slotCount[slot] = 0;
    }
    most = Math.max(most, ++slotCount[slot]!);
  }
  return Math.max(0, most - 1);
}
