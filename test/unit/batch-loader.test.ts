import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchById } from '../../mixins/database/batch-loader.ts';

interface Item {
  id: number;
  label: string;
}
const itemOf = (id: number): Item => ({ id, label: `item ${id}` });

/** A loader over a store that has the even ids, and the ids of each of its reads. */
function loaderWithReads() {
  const reads: number[][] = [];
  const find = batchById(
    async (ids: number[]) => {
      reads.push(ids);
      return ids
        .filter((id) => id % 2 === 0)
        .map(itemOf)
        .reverse();
    },
    ({ id }) => id,
  );
  return { reads, find };
}

describe('a batched find', () => {
  it('joins the ids of one turn of the event loop, each once, and gives each caller its own item', async () => {
    const { reads, find } = loaderWithReads();
    const early = [find(2), find(4)];
    await Promise.resolve(); // still the same turn
    const all = await Promise.all([...early, find(2), find(6)]);
    expect(reads).toEqual([[2, 4, 6]]);
    expect(all).toEqual([2, 4, 2, 6].map(itemOf));
  });

  it('is null for an id without an item', async () => {
    const { find } = loaderWithReads();
    expect(await Promise.all([find(1), find(2), find(3)])).toEqual([null, itemOf(2), null]);
  });

  it('reads again in the next turn, also while the first read is under way', async () => {
    const { reads, find } = loaderWithReads();
    const first = find(2);
    await nextTurn();
    await nextTurn();
    await Promise.all([first, find(2)]);
    expect(reads).toEqual([[2], [2]]);
  });

  it('sends its read after the last id of the turn was asked for', async () => {
    const events: string[] = [];
    const find = batchById(
      async (ids: number[]) => {
        events.push(`read ${ids}`);
        return ids.map(itemOf);
      },
      ({ id }) => id,
    );
    const first = find(1);
    await Promise.resolve();
    events.push('written');
    await Promise.all([first, find(2)]);
    expect(events).toEqual(['written', 'read 1,2']);
  });

  it('rejects all who asked in a turn whose read fails, and nobody after them', async () => {
    let failures = 1;
    const find = batchById(
      async (ids: number[]) => {
        if (failures-- > 0) throw new Error('away');
        return ids.map(itemOf);
      },
      ({ id }) => id,
    );
    const failed = await Promise.allSettled([find(1), find(2), find(1)]);
    expect(failed.map((end) => end.status === 'rejected' && end.reason.message)).toEqual([
      'away',
      'away',
      'away',
    ]);
    expect(await find(1)).toEqual(itemOf(1));
  });

  it('reads at most 100 ids at once', async () => {
    const { reads, find } = loaderWithReads();
    const ids = Array.from({ length: 250 }, (_, index) => 2 * index);
    expect(await Promise.all(ids.map(find))).toEqual(ids.map(itemOf));
    expect(reads.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('gives items that nobody can change, since callers share them', async () => {
    const { find } = loaderWithReads();
    const [one, other] = await Promise.all([find(2), find(2)]);
    expect(one).toBe(other);
    expect(() => Object.assign(one as object, { label: 'changed' })).toThrow(TypeError);
  });

  it('gives items whose arrays nobody can change', async () => {
    const find = batchById(
      async (ids: number[]) => ids.map((id) => ({ id, ownerIds: [1], none: null })),
      ({ id }) => id,
    );
    const item = await find(2);
    expect(() => item?.ownerIds.push(2)).toThrow(TypeError);
    expect(await find(2)).toEqual({ id: 2, ownerIds: [1], none: null });
  });
});
