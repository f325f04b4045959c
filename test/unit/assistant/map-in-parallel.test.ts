import { setImmediate as turn } from 'node:timers/promises';
import { mapInParallel } from '../../../services/assistant/answering/calls/map-in-parallel.ts';

it('does all work, a few items at once', async () => {
  let inFlight = 0;
  let most = 0;
  const done: number[] = [];
  await mapInParallel([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++inFlight);
    await turn();
    inFlight--;
    done.push(item);
  });
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

it('rejects with an error once all that had begun has ended', async () => {
  const ended: number[] = [];
  const work = mapInParallel([1, 2, 3], 2, async (item) => {
    if (item === 1) throw new Error('the first');
    await turn();
    ended.push(item);
  });
  await expect(work).rejects.toThrow('the first');
  expect(ended).toEqual([2, 3]);
});
