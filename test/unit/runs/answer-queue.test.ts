import { setImmediate } from 'node:timers/promises';
import { AnswerQueue } from '../../../services/runs/engine/execution/effects/answer-queue.ts';

const share = { owner: 'person:1', tenant: 'workspace:1' };
const { signal } = new AbortController();

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}

test('large answers are read one in each turn of the event loop', async () => {
  const answers = new AnswerQueue().forRun(share);
  let read = 0;
  const reads = [1, 2, 3].map(() => answers.read(100_000, () => ++read, signal));
  const counts: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    await setImmediate();
    counts.push(read);
  }
  await Promise.all(reads);
  for (const [at, count] of counts.entries()) {
    expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(1);
  }
});

test('large results are read as expressions take them', async () => {
  const answers = new AnswerQueue().forRun(share);
  let read = 0;
  const ends: (() => void)[] = [];
  const evaluateNext = async () => {
    await answers.readResult(100_000, () => ++read, signal);
    await answers.evaluate(() => new Promise<void>((resolve) => ends.push(resolve)));
  };
  const all = Promise.all(Array.from({ length: 20 }, evaluateNext));
  await pass(60);
  expect(read).toBeLessThanOrEqual(8);
  while (ends.length > 0) {
    const before = read;
    ends.shift()?.();
    await pass(10);
    expect(read - before).toBeLessThanOrEqual(1);
  }
  await all;
  expect(read).toBe(20);
});

test('large results that no expression takes are read one after another', async () => {
  const answers = new AnswerQueue().forRun(share);
  const results = [1, 2, 3].map((at) => answers.readResult(100_000, () => at, signal));
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});

test('a small answer is read at once', async () => {
  const answers = new AnswerQueue().forRun(share);
  let read = false;
  void answers.read(
    100,
    () => {
      read = true;
    },
    signal,
  );
  expect(read).toBe(true);
});
