import { mongo } from 'mongoose';
import { IdempotencyRecordModel } from '../../models/idempotency-record.model.ts';
import { idempotencyRecords as records } from '../../services/api/idempotency/records.ts';
import { useDatabase } from '../helpers/database.ts';

useDatabase();

const attempt = (id: string, lease: string, fingerprint = 'same') => ({
  id,
  fingerprint,
  secret: `key\n${fingerprint}`,
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
  await records.keepReply(attempt('died', 'a'), REPLY); // late: the lease is another's
  await records.release([attempt('died', 'a')]);
  await records.renew(attempt('died', 'a'));
  expect(await records.claim(attempt('died', 'd'))).toMatchObject({ kind: 'in-flight' });
});

test('an attempt without an answer is repeated at once, with the same id', async () => {
  const first = await records.claim(attempt('failed', 'a'));
  await records.release([attempt('failed', 'a')]);
  expect(await records.claim(attempt('failed', 'b'))).toEqual(first);
  await records.release([attempt('failed', 'b')]);
  expect(await records.claim(attempt('failed', 'c', 'another'))).toEqual({ kind: 'reused' });
});

test('a first attempt that was not valid leaves nothing, a later one what the first may have made', async () => {
  const first = await records.claim(attempt('wrong', 'a'));
  await records.discard(attempt('wrong', 'a'));
  const corrected = await records.claim(attempt('wrong', 'b', 'another'));
  expect(corrected).toMatchObject({ kind: 'claimed' });
  expect(corrected).not.toEqual(first);
  await records.release([attempt('wrong', 'b')]);
  expect(await records.claim(attempt('wrong', 'c', 'another'))).toEqual(corrected);
  await records.discard(attempt('wrong', 'c'));
  expect(await records.claim(attempt('wrong', 'd', 'another'))).toEqual(corrected);
});

test('several attempts give their leases back at once, and no lease of another', async () => {
  for (const id of ['one', 'two', 'three']) await records.claim(attempt(id, `lease ${id}`));
  await records.release([attempt('one', 'lease one'), attempt('two', 'lease three')]);
  const kinds = async (id: string) => (await records.claim(attempt(id, 'next'))).kind;
  expect(await Promise.all(['one', 'two', 'three'].map(kinds))).toEqual([
    'claimed',
    'in-flight',
    'in-flight',
  ]);
});

test('a renewal prolongs the lease of its own attempt', async () => {
  await records.claim(attempt('long', 'a'));
  const soon = new Date(Date.now() + 1_000);
  await IdempotencyRecordModel.updateOne({ _id: 'long' }, { leasedUntil: soon });
  await records.renew(attempt('long', 'b'));
  const leasedUntil = async () => (await IdempotencyRecordModel.findById('long'))?.leasedUntil;
  expect(await leasedUntil()).toEqual(soon);
  await records.renew(attempt('long', 'a'));
  expect((await leasedUntil())?.getTime()).toBeGreaterThan(soon.getTime() + 5_000);
});

test('an action that creates nothing reserves no id', async () => {
  const claim = await records.claim({ ...attempt('changes', 'a'), sequence: null });
  expect(claim).toEqual({ kind: 'claimed', reservedId: null });
});

test('an answer is kept, and counts for the same request only', async () => {
  await records.claim(attempt('done', 'a'));
  await records.keepReply(attempt('done', 'a'), REPLY);
  expect(await records.claim(attempt('done', 'b'))).toEqual({ kind: 'answered', reply: REPLY });
  expect(await records.claim(attempt('done', 'c', 'another'))).toEqual({ kind: 'reused' });
});

test('an answer is stored sealed: only the key and the request of the client open it', async () => {
  const reply = { ...REPLY, body: '{"email":"ada@example.com"}' };
  const first = attempt('sealed', 'a');
  await records.claim(first);
  await records.keepReply(first, reply);
  const stored = await IdempotencyRecordModel.findById('sealed').orFail().lean();
  const text = Buffer.from(stored.reply ?? '', 'base64url').toString('latin1');
  for (const plain of ['ada@example.com', 'email', '/boxes/1', 'Location']) {
    expect(text).not.toContain(plain);
    expect(JSON.stringify(stored)).not.toContain(plain);
  }
  expect(JSON.stringify(stored)).not.toContain(first.secret);
  const repeat = attempt('sealed', 'b');
  expect(await records.claim(repeat)).toEqual({ kind: 'answered', reply });
  await expect(records.claim({ ...repeat, secret: 'another' })).rejects.toThrow();
});

test('a sealed answer counts for its own record only', async () => {
  const first = attempt('own', 'a');
  await records.claim(first);
  await records.keepReply(first, REPLY);
  const { reply } = await IdempotencyRecordModel.findById('own').orFail().lean();
  await records.claim(attempt('copy', 'a'));
  await IdempotencyRecordModel.updateOne({ _id: 'copy' }, { reply, lease: null });
  await expect(records.claim(attempt('copy', 'b'))).rejects.toThrow();
});

test('an answer that an earlier version has stored is repeated', async () => {
  await records.claim(attempt('old', 'a'));
  const stored = { reply: JSON.stringify(REPLY), lease: null, leasedUntil: null };
  await IdempotencyRecordModel.updateOne({ _id: 'old' }, stored);
  expect(await records.claim(attempt('old', 'b'))).toEqual({ kind: 'answered', reply: REPLY });
});

test('an outage of the database is 503, as it is in an action', async () => {
  const away = new mongo.MongoNetworkError('connect ECONNREFUSED');
  jest.spyOn(IdempotencyRecordModel, 'findOneAndUpdate').mockImplementationOnce(() => {
    throw away;
  });
  await expect(records.claim(attempt('away', 'a'))).rejects.toMatchObject({ code: 503 });
});
