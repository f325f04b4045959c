import { setTimeout as sleep } from 'node:timers/promises';
import { SharedTokenBuckets } from '../../../mixins/database/shared-token-buckets.ts';
import { TokenBucketModel } from '../../../models/token-bucket.model.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([TokenBucketModel]);

const LIMIT = { count: 10, seconds: 60 };
/** Two processes with the same limit. */
const processes = (name: string, limit = LIMIT) => [
  new SharedTokenBuckets(name, limit),
  new SharedTokenBuckets(name, limit),
];

test.each([7, 10, 64])(
  'of simultaneous attempts in two processes exactly %i get a token',
  async (count) => {
    const all = processes(`count ${count}`, { count, seconds: 6_000 });
    const attempts = Array.from({ length: count + 50 }, (_, n) => all[n % 2]?.take('ada'));
    const grants = await Promise.all(attempts);
    expect(grants.filter((grant) => grant?.granted)).toHaveLength(count);
    expect((await all[0]?.take('bob'))?.granted).toBe(true);
  },
);

test('a grant says how many tokens are left, and a refusal when the next comes', async () => {
  const [one, other] = processes('grants', { count: 2, seconds: 60 });
  expect(await one?.take('ada')).toEqual({ granted: true, remaining: 1, waitSeconds: 30 });
  expect(await other?.take('ada')).toMatchObject({ granted: true, remaining: 0 });
  const refused = await one?.take('ada');
  expect(refused).toMatchObject({ granted: false, remaining: 0 });
  expect(refused?.waitSeconds).toBeGreaterThan(25);
  expect(refused?.waitSeconds).toBeLessThanOrEqual(30);
});

test('a bucket is refilled by the clock of the database', async () => {
  const [one, other] = processes('refill', { count: 4, seconds: 1 });
  for (let n = 0; n < 4; n++) expect((await one?.take('ada'))?.granted).toBe(true);
  expect((await other?.take('ada'))?.granted).toBe(false);
  await sleep(300); // a token comes every 250 ms
  expect((await other?.take('ada'))?.granted).toBe(true);
});

test('a flood of refused attempts costs one command', async () => {
  const [one] = processes('flood', { count: 1, seconds: 60 });
  await one?.take('ada');
  await one?.take('ada');
  const update = jest.spyOn(TokenBucketModel, 'findOneAndUpdate');
  for (let n = 0; n < 100; n++) expect((await one?.take('ada'))?.granted).toBe(false);
  expect(update).not.toHaveBeenCalled();
  update.mockRestore();
});

test('a bucket names nobody, and goes once it is full', async () => {
  await TokenBucketModel.deleteMany();
  await processes('names')[0]?.take('ada@example.com');
  const stored = await TokenBucketModel.find().lean();
  expect(JSON.stringify(stored)).not.toContain('ada');
  for (const { expiresAt, fullAt } of stored) {
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(fullAt);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 62_000);
  }
});

test('a reset fills a bucket in every process that forgets its refusals, and says what was taken', async () => {
  const [one, other] = processes('reset', { count: 3, seconds: 600 });
  for (let n = 0; n < 3; n++) await one?.take('ada');
  expect((await one?.take('ada'))?.granted).toBe(false);
  expect((await other?.take('ada'))?.granted).toBe(false);
  expect(await one?.reset('ada')).toEqual({ taken: 3, empty: true });
  expect(await one?.reset('ada')).toEqual({ taken: 0, empty: false });
  expect((await one?.take('ada'))?.granted).toBe(true);
  expect((await other?.take('ada'))?.granted).toBe(false);
  other?.forget();
  expect(await other?.take('ada')).toMatchObject({ granted: true, remaining: 1 });
  expect(await other?.reset('ada')).toEqual({ taken: 2, empty: false });
});
