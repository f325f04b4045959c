import mongoose, { mongo } from 'mongoose';
import { connectDatabase } from '../../mixins/database/database.ts';
import { IdempotencyRecordModel } from '../../models/idempotency-record.model.ts';
import { idempotencyRecords as records } from '../../services/api/idempotency/records.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';

beforeAll(async () => {
  await connectDatabase((await startDatabase(dataFolder())).uri);
});
afterAll(async () => {
  await mongoose.disconnect();
  await stopServers();
});

const attempt = (id: string, lease: string, fingerprint = 'same') => ({
  id,
  fingerprint,
  lease,
  sequence: 'boxes',
});
const REPLY = { status: 201, headers: { Location: '/boxes/1' }, body: '{}' };

test('one of many attempts that meet at the first claim gets the lease', async () => {
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, n) => records.claim(attempt('met', `lease ${n}`))),
  );
  const kinds = claims.map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['claimed', ...Array(9).fill('in-flight')]);
});

test('an attempt that never ended leaves its id to the next when its lease is over', async () => {
  const first = await records.claim(attempt('died', 'a'));
  expect(await records.claim(attempt('died', 'b'))).toMatchObject({ kind: 'in-flight' });
  await IdempotencyRecordModel.updateOne({ _id: 'died' }, { leasedUntil: new Date(0) });
  expect(await records.claim(attempt('died', 'c'))).toEqual(first);
  await records.complete(attempt('died', 'a'), REPLY); // late: the lease is another's
  expect(await records.claim(attempt('died', 'd'))).toMatchObject({ kind: 'in-flight' });
});

test('an attempt without an answer is repeated at once, with the same id', async () => {
  const first = await records.claim(attempt('failed', 'a'));
  await records.complete(attempt('failed', 'a'), null);
  expect(await records.claim(attempt('failed', 'b'))).toEqual(first);
});

test('an answer is kept, and counts for the same request only', async () => {
  await records.claim(attempt('done', 'a'));
  await records.complete(attempt('done', 'a'), REPLY);
  expect(await records.claim(attempt('done', 'b'))).toEqual({ kind: 'answered', reply: REPLY });
  expect(await records.claim(attempt('done', 'c', 'another'))).toEqual({ kind: 'reused' });
});

test('an outage of the database is 503, as it is in an action', async () => {
  const away = new mongo.MongoNetworkError('connect ECONNREFUSED');
  jest.spyOn(IdempotencyRecordModel, 'findOneAndUpdate').mockImplementationOnce(() => {
    throw away;
  });
  await expect(records.claim(attempt('away', 'a'))).rejects.toMatchObject({ code: 503 });
});
