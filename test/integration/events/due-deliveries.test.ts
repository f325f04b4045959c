import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { findDue } from '../../../services/events/delivering/lanes/pending-deliveries.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { deliveryOf, insertDeliveries } from './delivering.ts';

useEmptyDatabase([EventDeliveryModel]);
afterEach(() => jest.restoreAllMocks());

const LIMIT = 300;
/** Deliveries that a search has read before it is interrupted, fewer than the first batch of a cursor has. */
const READ = 50;
const NOW = 10_000_000;

/** Inserts deliveries of different resources at these times, in milliseconds. */
const insert = (...times: { _id: number; at: number; position?: number }[]) =>
  insertDeliveries(
    ...times.map(({ _id, at, position = at * 1_000 }) => ({
      ...deliveryOf(_id, String(_id), at),
      position,
    })),
  );
const find = (limit = LIMIT) => findDue(1, { now: NOW, limit, except: [] });
const series = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ _id: n + 1, at: 1_000 + 10 * n }));

/** Calls `work` once, while a search after the first one has read some of its deliveries. */
function interruptSecondScan(work: () => Promise<unknown>): void {
  const { collection } = EventDeliveryModel;
  const search = collection.find.bind(collection);
  let scans = 0;
  let isDone = false;
  jest.spyOn(collection, 'find').mockImplementation((...args: Parameters<typeof search>) => {
    const cursor = search(...args);
    const isLater = ++scans > 1;
    cursor.toArray = async () => {
      const rows = [];
      for await (const row of cursor) {
        rows.push(row);
        if (!isLater || isDone || rows.length < READ) continue;
        isDone = true;
        await work();
      }
      return rows;
    };
    return cursor;
  });
}

test('a later event that is recorded during a search is not found without an earlier one', async () => {
  await insert(...series(2 * LIMIT));
  const [first, later] = [9_001, 9_002];
  interruptSecondScan(async () => {
    await insert({ _id: first, at: 1_005 });
    await insert({ _id: later, at: 1_000 + 10 * (LIMIT - 2) + 5 });
  });
  const { due, hasMore } = await find();
  const ids = due.map(({ _id }) => _id);
  expect(hasMore).toBe(true);
  expect(ids.filter((id) => id < 9_000)).toEqual(series(LIMIT).map(({ _id }) => _id));
  expect(ids.includes(first) || !ids.includes(later)).toBe(true);
});

test('the earliest of many that are due at the same time are found in the order of their events', async () => {
  await insert(...series(50).map(({ _id, at }) => ({ _id, at: 5_000, position: at })));
  const { due } = await find(20);
  expect(due.map(({ _id }) => _id)).toEqual(series(20).map(({ _id }) => _id));
});

test('many events of one microsecond are found some at a time', async () => {
  await insert(...series(50).map(({ _id }) => ({ _id, at: 5_000 })));
  const { due, hasMore } = await find(5);
  expect(hasMore).toBe(true);
  expect(due.length).toBeGreaterThanOrEqual(5);
});
