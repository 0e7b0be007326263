/** Does `task` for every item, at most `width` at a time. The results are in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await task(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
}
