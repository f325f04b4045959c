import { AsyncLocalStorage } from 'node:async_hooks';
import { mongo, Query } from 'mongoose';

const WRITES = ['insertOne', 'insertMany', 'findOneAndUpdate', 'updateOne'];

/** Picks a number below `many`. */
export type Choice = (many: number) => number;

interface Turn {
  /** Ends once the next round trip of this work has its turn. */
  wait(): Promise<void>;
}
const turns = new AsyncLocalStorage<Turn>();

/** Makes every round trip of `interleave`'s work wait for its turn. `jest.restoreAllMocks` undoes it. */
export function holdRoundTrips(): void {
  hold(Query.prototype, 'exec');
  hold(mongo.FindCursor.prototype, 'toArray'); // batched finds
  for (const write of WRITES) hold(mongo.Collection.prototype, write);
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
function hold(prototype: object, method: string): void {
  const object = prototype as Methods;
  const original = object[method] as (...args: unknown[]) => Promise<unknown>;
  jest.spyOn(object, method).mockImplementation(async function (this: unknown, ...args) {
    await turns.getStore()?.wait();
    return turns.exit(() => original.apply(this, args)); // the cursor of a query is held once
  });
}

/**
 * Does all work at once, one round trip after another in the order of `choose`: the same choices give the
 * same order. Answers each outcome; `between` runs after every round trip.
 */
export async function interleave(
  doings: readonly (() => Promise<unknown>)[],
  choose: Choice,
  between: () => Promise<void>,
): Promise<PromiseSettledResult<unknown>[]> {
  const waiting: (() => void)[] = [];
  let settled = Promise.withResolvers<void>();
  const begin = (doing: () => Promise<unknown>) => {
    const wait = () =>
      new Promise<void>((go) => {
        waiting.push(go);
        settled.resolve();
      });
    return turns.run({ wait }, doing).finally(() => settled.resolve());
  };
  const ends: Promise<unknown>[] = [];
  for (const doing of doings) {
    settled = Promise.withResolvers();
    ends.push(begin(doing));
    await settled.promise;
  }
  const all = Promise.allSettled(ends);
  while (waiting.length > 0) {
    const [go] = waiting.splice(choose(waiting.length), 1);
    settled = Promise.withResolvers();
    go?.();
    await settled.promise;
    await between();
  }
  return all;
}
