import { GroupCommitQueue } from '../../../mixins/changes/group-commit-queue.ts';

/** A queue whose first write is held until `release`, and the groups that it wrote. */
function heldQueue() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const groups: string[][] = [];
  const queue = new GroupCommitQueue<string, string>(async (_id, updates) => {
    groups.push([...updates]);
    await promise;
    return updates.map((update) =>
      update.startsWith('bad')
        ? { status: 'rejected', reason: new Error(update) }
        : { status: 'fulfilled', value: `wrote ${update}` },
    );
  });
  return { queue, groups, release };
}

const nextTurn = () => new Promise(setImmediate);

test('updates that come during a write share the next write, each with its outcome', async () => {
  const { queue, groups, release } = heldQueue();
  const first = queue.run(1, 'ada', 'first');
  await nextTurn();
  const others = ['a', 'bad b', 'c'].map((update) => queue.run(1, 'ada', update));
  const elsewhere = queue.run(2, 'ada', 'elsewhere');
  await nextTurn();
  expect(groups).toEqual([['first'], ['elsewhere']]);
  release();
  expect(await first).toBe('wrote first');
  expect(await elsewhere).toBe('wrote elsewhere');
  expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(groups).toEqual([['first'], ['elsewhere'], ['a', 'bad b', 'c']]);
  expect(await queue.run(1, 'ada', 'later')).toBe('wrote later');
});

test('callers take turns, so that one with many updates does not fill the next write', async () => {
  const { queue, groups, release } = heldQueue();
  const first = queue.run(1, 'ada', 'first');
  await nextTurn();
  const many = Array.from({ length: 150 }, (_, i) => queue.run(1, 'ada', `many ${i}`));
  const one = queue.run(1, 'bob', 'one');
  release();
  await Promise.all([first, one, ...many]);
  expect(groups.map(({ length }) => length)).toEqual([1, 100, 51]);
  expect(groups[1]?.slice(0, 2)).toContain('one');
});

test('a caller with 250 waiting updates is refused, and others are not', async () => {
  const { queue, release } = heldQueue();
  const first = queue.run(1, 'ada', 'first');
  await nextTurn();
  const waiting = Array.from({ length: 250 }, (_, i) => queue.run(1, 'ada', `${i}`));
  await expect(queue.run(1, 'ada', 'too many')).rejects.toMatchObject({ type: 'BUSY' });
  const other = queue.run(1, 'bob', 'one');
  release();
  expect(await Promise.all([first, other, ...waiting])).toHaveLength(252);
});
