import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `look` until its result is truthy. Throws after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  withinMs = 100_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${withinMs} ms`);
    await sleep(40);
  }
}

/** Whether a condition comes true within that time. A look that throws counts as the end of the wait. */
export const comes = (look: () => Promise<boolean> | boolean, withinMs: number): Promise<boolean> =>
  waitFor('the condition', look, withinMs).catch(() => false);

/** Resolves with the error of the work, or with an error `none` where the work succeeds. */
export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('none'),
    (error) => error,
  );
