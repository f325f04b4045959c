import { SharedAnswer } from '../../support/shared-answer.ts';

it('asks once for all who come within its time, whether the answer is there or not', async () => {
  const clock = { now: 5_000 };
  let asked = 0;
  const answer = new SharedAnswer(
    async () => ++asked,
    100,
    () => clock.now,
  );
  expect(await Promise.all([answer.get(), answer.get()])).toEqual([1, 1]);
  clock.now += 99;
  expect(await answer.get()).toBe(1);
  clock.now += 1;
  expect(await answer.get()).toBe(2);
});

it('tells all of them of a failure, and asks again later', async () => {
  const clock = { now: 0 };
  const answer = new SharedAnswer(
    () => Promise.reject(new Error('away')),
    100,
    () => clock.now,
  );
  const both = await Promise.allSettled([answer.get(), answer.get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  clock.now += 100;
  await expect(answer.get()).rejects.toThrow('away');
});
