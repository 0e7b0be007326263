/** Divides work among workers. */

/**
 * The indices of `costs` in at most `count` shares of about equal sums: the largest first, each to the share that has
 * least so far (the longest-processing-time rule of R. L. Graham, 1969). Each share is in order.
 */
export function shareOut(costs: readonly number[], count: number): number[][] {
  const shares = Array.from({ length: Math.min(count, costs.length) }, () => ({ sum: 0, members: [] as number[] }));
  const largestFirst = costs.map((_, i) => i).sort((a, b) => costs[b]! - costs[a]! || a - b);
  for (const index of largestFirst) {
    const least = shares.reduce((best, share) => (share.sum < best.sum ? share : best));
    least.sum += costs[index]!;
    least.members.push(index);
  }
  return shares.map(({ members }) => members.sort((a, b) => a - b));
}
