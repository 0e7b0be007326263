/** The results of tasks that run side by side. Waits for all; throws the error of the first in order that has one. */
export async function allInOrder<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(tasks);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
